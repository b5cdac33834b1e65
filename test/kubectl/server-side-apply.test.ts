import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { makeCluster, type TestCluster, writeKubeconfig } from "../cluster.ts";
import { eventually, startServer, type TestServer } from "../server.ts";
import { kubectls, Shell } from "./kubectl.ts";

const CONFIG_MAP = "/api/v1/namespaces/default/configmaps/web";
const DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments/web";
const WIDGET = "/apis/example.com/v1/namespaces/default/widgets/w";

let server: TestServer;
let folder: string;
let clusters = 0;

beforeAll(async () => {
  server = await startServer();
  folder = mkdtempSync(join(tmpdir(), "kubegc-apply-"));
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const configMap = (data: Record<string, string>) =>
  stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", namespace: "default" }, data });

const deployment = (replicas: number | undefined, image: string) =>
  stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default", labels: { app: "web" } },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "web", image, ports: [{ containerPort: 80 }] }] },
      },
    },
  });

const DEFINITION = stringify({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  parts: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, size: { type: "integer" } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
});

const widget = (...parts: object[]) =>
  stringify({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w", namespace: "default" },
    spec: { parts },
  });

/** Older ones do not hand over what they applied on the client, nor leave managedFields out unless asked. */
const FIRST_MINOR = 26;
const programs = kubectls().filter(({ version }) => Number(version.split(".")[1]) >= FIRST_MINOR);

interface Entry {
  manager: string;
  operation: string;
  subresource?: string;
}

describe.each(programs)("kubectl $version apply --server-side", (program) => {
  let cluster: TestCluster;
  let shell: Shell;

  beforeEach(async () => {
    cluster = await makeCluster(server, `apply-${clusters++}`);
    shell = new Shell(program, writeKubeconfig(server, cluster, folder), folder);
  });
  afterEach(() => shell.end());

  const get = async (path: string) => (await cluster.call("GET", path)).body;
  const owners = async (path: string): Promise<string[]> => {
    const { metadata } = await get(path);
    return metadata.managedFields.map(
      ({ manager, operation, subresource }: Entry) =>
        `${manager} ${operation}${subresource ? ` ${subresource}` : ""}`,
    );
  };
  const apply = (input: string, flags = "") =>
    shell.kubectl(`apply --server-side -f - ${flags}`.trim(), input);
  const refused = async (input: string, ...flags: string[]): Promise<string> => {
    const ran = await shell.run(["apply", "--server-side", "-f", "-", ...flags], input);
    expect(ran.code).toBe(1);
    return ran.stderr;
  };

  it("makes an object, and says who owns what in it", async () => {
    expect(await apply(configMap({ a: "1" }))).toBe("configmap/web serverside-applied\n");
    const shown = parse(await shell.kubectl("get configmap web -o yaml --show-managed-fields"));
    expect(shown.metadata.managedFields).toMatchObject([
      {
        manager: "kubectl",
        operation: "Apply",
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:a": {} } },
      },
    ]);
  });

  it("removes a field that it is not told of any more", async () => {
    await apply(configMap({ a: "1", b: "2" }));
    await apply(configMap({ a: "1" }));
    expect((await get(CONFIG_MAP)).data).toEqual({ a: "1" });
  });

  it("changes nothing the second time", async () => {
    await apply(configMap({ a: "1" }));
    const { metadata } = await get(CONFIG_MAP);
    await apply(configMap({ a: "1" }));
    expect((await get(CONFIG_MAP)).metadata).toEqual(metadata);
  });

  it("is refused a field that somebody else owns, and takes it when told to", async () => {
    await apply(configMap({ a: "1" }), "--field-manager=flux");
    expect(await refused(configMap({ a: "2" }))).toContain(
      'Apply failed with 1 conflict: conflict with "flux": .data.a',
    );
    await apply(configMap({ a: "2" }), "--force-conflicts");
    expect((await get(CONFIG_MAP)).data).toEqual({ a: "2" });
    expect(await owners(CONFIG_MAP)).toEqual(["kubectl Apply"]);
  });

  it("leaves the replicas to whoever scales", async () => {
    await apply(deployment(1, "nginx:1"));
    await shell.kubectl("scale deployment web --replicas=3");
    expect(await refused(deployment(1, "nginx:1"))).toMatch(
      /with subresource "scale" using apps\/v1: \.spec\.replicas/,
    );
    await apply(deployment(undefined, "nginx:2"));
    const { spec } = await get(DEPLOYMENT);
    expect([spec.replicas, spec.template.spec.containers[0].image]).toEqual([3, "nginx:2"]);
    expect(await owners(DEPLOYMENT)).toEqual([
      "kubectl Apply",
      expect.stringMatching(/^kubectl\S* Update scale$/),
    ]);
  });

  it("takes over from kubectl apply, and kubectl apply from it", async () => {
    await shell.kubectl("apply -f -", deployment(1, "nginx:1"));
    await apply(deployment(1, "nginx:2"));
    expect(await owners(DEPLOYMENT)).not.toContain("kubectl-client-side-apply Update");
    await apply(deployment(undefined, "nginx:2"));
    await shell.kubectl("apply -f -", deployment(2, "nginx:3"));
    const { spec } = await get(DEPLOYMENT);
    expect([spec.replicas, spec.template.spec.containers[0].image]).toEqual([2, "nginx:3"]);
  });

  it("only tries when told so", async () => {
    await apply(configMap({ a: "1" }), "--dry-run=server");
    expect((await cluster.call("GET", CONFIG_MAP)).code).toBe(404);
  });

  it("applies objects of a kind that was defined just before, list items by their keys", async () => {
    await apply(DEFINITION);
    await eventually(
      () => cluster.call("GET", "/apis/example.com/v1/widgets"),
      ({ code }) => code === 200,
    );
    await apply(widget({ name: "a", size: 1 }));
    await apply(widget({ name: "b", size: 2 }), "--field-manager=other");
    expect((await get(WIDGET)).spec.parts).toEqual([
      { name: "a", size: 1 },
      { name: "b", size: 2 },
    ]);
    expect(await refused(widget({ name: "b", size: 3 }))).toContain(
      'conflict with "other": .spec.parts[name="b"].size',
    );
    await apply(widget({ name: "a", size: 1 }));
    expect((await get(WIDGET)).spec.parts).toHaveLength(2);
  });
});

describe("an apply", () => {
  let cluster: TestCluster;

  beforeEach(async () => {
    cluster = await makeCluster(server, `apply-${clusters++}`);
  });

  const patch = (query: string, body: unknown, type = "application/apply-patch+yaml") =>
    cluster.call("PATCH", `${CONFIG_MAP}${query}`, body, { "content-type": type });
  const config = (data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data });

  it("answers 201 when it made the object, and 200 later", async () => {
    expect((await patch("?fieldManager=flux", config({ a: "1" }))).code).toBe(201);
    expect((await patch("?fieldManager=flux", config({ a: "2" }))).code).toBe(200);
  });

  it("names the causes of a conflict", async () => {
    await patch("?fieldManager=flux", config({ a: "1" }));
    const { code, body } = await patch("?fieldManager=argo", config({ a: "2" }));
    expect(code).toBe(409);
    expect(body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'Apply failed with 1 conflict: conflict with "flux": .data.a',
      reason: "Conflict",
      details: {
        causes: [{ reason: "FieldManagerConflict", message: 'conflict with "flux"', field: ".data.a" }],
      },
      code: 409,
    });
  });

  it.each([
    [
      "without a manager",
      "",
      config({}),
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    ["that is no YAML", "?fieldManager=flux", "a: [", 400, "error decoding YAML: "],
    [
      "of another version",
      "?fieldManager=flux",
      { ...config({}), apiVersion: "v2" },
      400,
      "Incorrect version specified in apply patch. Specified patch version: v2, expected: v1",
    ],
    [
      "with managedFields",
      "?fieldManager=flux",
      { ...config({}), metadata: { name: "web", managedFields: [] } },
      400,
      "metadata.managedFields must be nil",
    ],
  ])("%s is refused", async (_, query, body, code, message) => {
    const answer = await patch(query, body);
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(message);
  });

  it("alone may be forced", async () => {
    const answer = await patch("?force=true", { data: {} }, "application/merge-patch+json");
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain("force: Forbidden: may not be specified for non-apply patch");
  });
});
