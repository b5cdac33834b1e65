import { describe, expect, test } from "vitest";
import type { JsonObject } from "../objects/json.ts";
import { customKind, customSchema } from "../objects/kinds/custom-resource.ts";
import { kindRegistry } from "../objects/kinds/registry.ts";
import { openapiV2, openapiV3, openapiV3Index } from "./openapi.ts";

const definition = (size: string): JsonObject => ({
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A widget.",
            properties: { spec: { type: "object", properties: { size: { type: size } } } },
          },
        },
      },
    ],
  },
});

const registry = kindRegistry([customKind(definition("integer"))]);

interface Operation {
  parameters: { name: string }[];
  requestBody?: { content: JsonObject };
  "x-kubernetes-action": string;
  "x-kubernetes-group-version-kind": JsonObject;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonObject> };
}

function documentOf(group: string, version: string, crd = definition("integer")): Document {
  const found = openapiV3(registry, group, version, (_, name) => customSchema(crd, name));
  if (!found) throw new Error(`${group}/${version} has no document`);
  return JSON.parse(String(found.body));
}

const indexOf = (crd: JsonObject): Record<string, { serverRelativeURL: string }> =>
  JSON.parse(String(openapiV3Index(registry, (_, name) => customSchema(crd, name)).body)).paths;

describe("OpenAPI v3", () => {
  test("every kind that can be patched can be with fieldValidation", () => {
    for (const { group, versions } of registry.groups()) {
      for (const version of versions) {
        const operations = Object.values(documentOf(group, version).paths).flatMap(
          (path) => path.patch ?? [],
        );
        for (const { kind, verbs } of registry.inVersion(group, version)) {
          if (!verbs.includes("patch")) continue;
          const patch = operations.find(
            (operation) => operation["x-kubernetes-group-version-kind"].kind === kind,
          );
          expect(patch?.["x-kubernetes-group-version-kind"]).toEqual({ group, version, kind });
          expect(patch?.parameters.map(({ name }) => name)).toContain("fieldValidation");
        }
      }
    }
  });

  test("every reference leads to a schema", () => {
    for (const { group, versions } of registry.groups()) {
      for (const version of versions) {
        const document = documentOf(group, version);
        const targets = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
        for (const [, name] of targets) expect(document.components.schemas).toHaveProperty([name ?? ""]);
      }
    }
  });

  test("namespaced kinds are listed in a namespace and across all", () => {
    const { paths } = documentOf("apps", "v1");
    expect(
      paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]?.put?.["x-kubernetes-action"],
    ).toBe("put");
    expect(paths["/apis/apps/v1/deployments"]?.get?.["x-kubernetes-action"]).toBe("list");
    expect(paths["/apis/apps/v1/deployments"]?.post).toBeUndefined();
  });

  test("what is not served has no operation", () => {
    const { paths } = documentOf("", "v1");
    expect(paths["/api/v1/namespaces"]?.delete).toBeUndefined();
    expect(paths["/api/v1/namespaces/{namespace}/pods/{name}/eviction"]).toHaveProperty("post");
    expect(paths["/api/v1/namespaces/{namespace}/pods/{name}/eviction"]).not.toHaveProperty("get");
  });

  test("clients are not led to compute strategic merges from schemas that do not know lists", () => {
    const { paths } = documentOf("apps", "v1");
    const patch = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]?.patch;
    expect(Object.keys(patch?.requestBody?.content ?? {})).toEqual([
      "application/apply-patch+yaml",
      "application/json-patch+json",
      "application/merge-patch+json",
    ]);
  });

  test("owner references merge by uid, finalizers as a set", () => {
    const meta = documentOf("", "v1").components.schemas["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
    expect(meta?.properties).toMatchObject({
      ownerReferences: { "x-kubernetes-patch-merge-key": "uid", "x-kubernetes-patch-strategy": "merge" },
      finalizers: { "x-kubernetes-patch-strategy": "merge" },
    });
  });

  test("a built-in kind takes any content, under its own fields", () => {
    const { schemas } = documentOf("", "v1").components;
    expect(schemas["io.k8s.api.core.v1.ConfigMap"]?.properties).toHaveProperty("data");
    expect(schemas["io.k8s.api.core.v1.ConfigMap"]?.properties).not.toHaveProperty("spec");
    expect(schemas["io.k8s.api.core.v1.Pod"]?.properties).toMatchObject({
      spec: { "x-kubernetes-preserve-unknown-fields": true },
      status: { "x-kubernetes-preserve-unknown-fields": true },
    });
  });

  test("a custom kind is described by its definition", () => {
    expect(documentOf("example.com", "v1").components.schemas["com.example.v1.Widget"]).toMatchObject({
      description: "A widget.",
      properties: { spec: { properties: { size: { type: "integer" } } }, metadata: {} },
      "x-kubernetes-group-version-kind": [{ group: "example.com", version: "v1", kind: "Widget" }],
    });
  });

  test("the index leads to every document, by a hash that changes with its content", () => {
    const paths = indexOf(definition("integer"));
    expect(paths["api/v1"]?.serverRelativeURL).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9a-f]{16}$/);
    expect(paths["apis/apps/v1"]?.serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=/);
    expect(indexOf(definition("integer"))).toEqual(paths);
    const changed = indexOf(definition("string"));
    expect(changed["apis/example.com/v1"]).not.toEqual(paths["apis/example.com/v1"]);
    expect(changed["api/v1"]).toEqual(paths["api/v1"]);
  });

  test("there is no document of what is not served", () => {
    expect(openapiV3(registry, "apps", "v9")).toBeUndefined();
  });
});

describe("OpenAPI v2", () => {
  test("is JSON unless protobuf is asked for", () => {
    const { body, contentType } = openapiV2(registry, "application/json");
    expect(contentType).toBe("application/json");
    expect(JSON.parse(String(body))).toMatchObject({ swagger: "2.0", paths: {}, definitions: {} });
  });

  test("as protobuf says of every kind that a patch may be a dry run, and defines none", () => {
    const { body, contentType } = openapiV2(
      registry,
      "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    );
    expect(contentType).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    const bytes = body as Uint8Array;
    const text = (value: string) => [...new TextEncoder().encode(value)];
    const info = [0x0a, 6, ...text("kubegc"), 0x12, 7, ...text("v1.34.0")];
    const head = [...[0x0a, 3, ...text("2.0")], ...[0x12, info.length, ...info], 0x42];
    expect([...bytes.slice(0, head.length)]).toEqual(head);
    // The last field: definitions, empty.
    expect([...bytes.slice(-2)]).toEqual([0x4a, 0]);
    const shown = new TextDecoder().decode(bytes);
    expect(shown).toContain("/apis/apps/v1/namespaces/{namespace}/replicasets/{name}");
    expect(shown).toContain('group: "apps"\nkind: ReplicaSet\nversion: v1\n');
  });
});
