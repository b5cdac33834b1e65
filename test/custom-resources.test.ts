import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { makeCluster, type TestCluster, writeKubeconfig } from "./cluster.ts";
import { kubectls, Shell } from "./kubectl/kubectl.ts";
import { eventually, startServer, type TestServer } from "./server.ts";

const DEFINITION = "crontabs.stable.example.com";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CRONTABS = "/apis/stable.example.com/v1/namespaces/default/crontabs";

const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: name === "v1",
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  },
  additionalPrinterColumns: [{ name: "Schedule", type: "string", jsonPath: ".spec.cronSpec" }],
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          required: ["cronSpec"],
          properties: {
            cronSpec: { type: "string", pattern: "^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$" },
            image: { type: "string", default: "busybox", description: "What is run." },
            replicas: { type: "integer", minimum: 1, maximum: 10 },
          },
        },
        status: { type: "object", properties: { replicas: { type: "integer" }, phase: { type: "string" } } },
      },
    },
  },
  ...more,
});

const definition = (...versions: object[]) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: DEFINITION },
  spec: {
    group: "stable.example.com",
    scope: "Namespaced",
    names: { plural: "crontabs", kind: "CronTab", shortNames: ["ct"], categories: ["all"] },
    versions: versions.length > 0 ? versions : [version("v1")],
  },
});

const crontab = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: "stable.example.com/v1",
  kind: "CronTab",
  metadata: { name, ...metadata },
  spec: { cronSpec: "* * * * */5", ...spec },
});

let server: TestServer;
let folder: string;
let clusters = 0;

beforeAll(async () => {
  server = await startServer();
  folder = mkdtempSync(join(tmpdir(), "kubegc-crd-"));
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
});

describe.each(kubectls())("custom resources with kubectl $version", (program) => {
  let cluster: TestCluster;
  let shell: Shell;

  beforeEach(async () => {
    cluster = await makeCluster(server, `custom-${clusters++}`);
    shell = new Shell(program, writeKubeconfig(server, cluster, folder), folder);
  });
  afterEach(() => shell.end());

  const apply = (object: object, ...flags: string[]) =>
    shell.run(["apply", "-f", "-", ...flags], stringify(object));
  const exists = async (path: string) => (await cluster.call("GET", path)).code === 200;
  const gone = (path: string) =>
    eventually(
      () => exists(path),
      (found) => !found,
    );

  it("are served, shown and explained as soon as they are defined", async () => {
    expect((await cluster.call("GET", CRONTABS)).code).toBe(404);
    expect((await apply(definition())).stdout).toContain("created");
    await shell.kubectl("wait --for=condition=Established --timeout=10s crd/crontabs.stable.example.com");
    expect((await apply(crontab("one"))).stdout).toContain("crontab.stable.example.com/one created");

    expect(await shell.kubectl("get ct")).toMatch(/NAME +SCHEDULE\none +\* \* \* \* \*\/5/);
    expect(await shell.kubectl("get crontabs -A -o name")).toBe("crontab.stable.example.com/one\n");
    expect(await shell.kubectl("get all -o name")).toContain("crontab.stable.example.com/one");
    expect(await shell.kubectl("explain crontab.spec.image")).toContain("What is run.");
    expect(await shell.kubectl("api-resources --api-group=stable.example.com")).toContain("ct");
    expect(await shell.kubectl("get ct one -o jsonpath={.spec.image}")).toBe("busybox");
    const watched = shell.start("get ct --watch-only -o name");
    await eventually(
      async () => {
        await shell.run(["label", "ct", "one", `seen=${Date.now()}`, "--overwrite"]);
        return watched.printed();
      },
      (printed) => printed.includes("crontab.stable.example.com/one"),
    );
  });

  it("are checked against their schema, by kubectl's own commands", async () => {
    await apply(definition());
    const strict = await apply(crontab("one", { colour: "red" }));
    expect(strict.stderr).toContain(
      'CronTab in version "v1" cannot be handled as a CronTab: strict decoding error: unknown field "spec.colour"',
    );
    const warned = await apply(crontab("one", { colour: "red", replicas: 2 }), "--validate=warn");
    expect([warned.code, warned.stderr]).toEqual([0, 'Warning: unknown field "spec.colour"\n']);
    expect(await shell.kubectl("get ct one -o jsonpath={.spec}")).not.toContain("colour");

    const wrong = await apply(crontab("two", { cronSpec: "daily", replicas: 11, image: 5 }));
    expect(wrong.stderr).toContain('The CronTab "two" is invalid:');
    expect(wrong.stderr).toContain(
      'spec.cronSpec: Invalid value: "daily": spec.cronSpec in body should match',
    );
    expect(wrong.stderr).toContain(
      "spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10",
    );
    expect(wrong.stderr).toContain(
      'spec.image: Invalid value: "integer": spec.image in body must be of type string: "integer"',
    );
    expect((await shell.run(["scale", "ct", "one", "--replicas=50"])).stderr).toContain(
      "less than or equal to 10",
    );
    await shell.kubectl("scale ct one --replicas=5");
    await shell.kubectl('patch ct one --subresource=status --type=merge -p {"status":{"phase":"Busy"}}');
    expect(await shell.kubectl("get ct one -o jsonpath={.spec.replicas}{.status.phase}")).toBe("5Busy");
  });

  it("are the same in each version that is served", async () => {
    await apply(definition(version("v1"), version("v1beta1")));
    await apply(crontab("one"));
    expect(await shell.kubectl("get crontabs.v1beta1.stable.example.com one -o jsonpath={.apiVersion}")).toBe(
      "stable.example.com/v1beta1",
    );
    expect(await shell.kubectl("get ct one -o jsonpath={.apiVersion}")).toBe("stable.example.com/v1");
  });

  it("go with their definition, with what they own, and can be defined again at once", async () => {
    for (const round of ["first", "second"]) {
      await apply(definition());
      await apply(crontab("owner"));
      const owner = (await cluster.call("GET", `${CRONTABS}/owner`)).body;
      const { apiVersion, kind, metadata } = owner;
      const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
      const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: round, ownerReferences } };
      await cluster.call("POST", "/api/v1/namespaces/default/configmaps", configMap);
      await shell.kubectl(`delete crd ${DEFINITION}`);
      await gone(`/api/v1/namespaces/default/configmaps/${round}`);
      expect(await exists(`${DEFINITIONS}/${DEFINITION}`)).toBe(false);
    }
  });

  it("hold their definition while a finalizer holds them", async () => {
    await apply(definition());
    await apply(crontab("held", {}, { finalizers: ["example.com/hold"] }));
    await shell.kubectl(`delete crd ${DEFINITION} --wait=false`);
    await eventually(
      async () => (await cluster.call("GET", `${CRONTABS}/held`)).body.metadata,
      (metadata) => metadata.deletionTimestamp !== undefined,
    );
    const { body } = await cluster.call("GET", `${DEFINITIONS}/${DEFINITION}`);
    expect(body.status.conditions.at(-1)).toMatchObject({
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionInProgress",
    });
    expect((await cluster.call("POST", CRONTABS, crontab("late"))).code).toBe(405);
    await shell.run(["patch", "ct", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}']);
    await gone(`${DEFINITIONS}/${DEFINITION}`);
  });

  it("tell of odd fields in warnings that fit into a header, whatever the fields are called", async () => {
    await apply(definition());
    const odd = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`Ünknown "${i}" \u{1F600}`, 1]));
    const { code, headers } = await cluster.call("POST", CRONTABS, crontab("odd", odd));
    expect(code).toBe(201);
    const warnings = headers.get("warning") ?? "";
    expect(warnings).toContain("unknown field");
    expect(warnings.length).toBeLessThan(8_192);
    const refused = await cluster.call("POST", `${CRONTABS}?fieldValidation=Sometimes`, crontab("two"));
    expect([refused.code, refused.body.message]).toEqual([
      422,
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Sometimes": supported values: "", "Ignore", "Strict", "Warn"',
    ]);
  });

  it("are not defined by what no server could serve", async () => {
    const loose = version("v1", {
      schema: { openAPIV3Schema: { type: "object", properties: { spec: {} } } },
    });
    const refused = await apply(definition(loose));
    expect(refused.stderr).toContain(
      "spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
    );
    expect(await exists(`${DEFINITIONS}/${DEFINITION}`)).toBe(false);
  });
});
