import { describe, expect, test } from "vitest";
import type { JsonObject } from "../objects/json.ts";
import { customKind, customSchema } from "../objects/kinds/custom-resource.ts";
import { kindRegistry } from "../objects/kinds/registry.ts";
import { openapiV3, openapiV3Index } from "./openapi.ts";
import { openapiV2 } from "./openapi-v2.ts";

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

  test("a built-in kind has its fields, with their types", () => {
    const { schemas } = documentOf("apps", "v1").components;
    expect(schemas["io.k8s.api.apps.v1.DeploymentSpec"]?.properties).toMatchObject({
      replicas: { type: "integer", format: "int32" },
      paused: { type: "boolean" },
      template: { $ref: "#/components/schemas/io.k8s.api.core.v1.PodTemplateSpec" },
    });
    expect(schemas["io.k8s.api.core.v1.Container"]?.properties).toMatchObject({
      args: { type: "array", items: { type: "string" } },
    });
    const { schemas: core } = documentOf("", "v1").components;
    expect(core["io.k8s.api.core.v1.ConfigMap"]?.properties).toMatchObject({
      data: { type: "object", additionalProperties: { type: "string" } },
    });
    expect(core["io.k8s.api.core.v1.ConfigMap"]?.properties).not.toHaveProperty("spec");
  });

  test("a built-in kind whose types are not known takes any content", () => {
    const { schemas } = documentOf("gc.kubegc.dev", "v1alpha1").components;
    expect(schemas["io.k8s.api.gc.v1alpha1.SweepPolicy"]?.properties).toMatchObject({
      spec: { "x-kubernetes-preserve-unknown-fields": true },
    });
  });

  test("the project's own kinds are described by what reads them", () => {
    const { schemas } = documentOf("gc.kubegc.dev", "v1alpha1").components;
    const specOf = (kind: string) =>
      (schemas[`io.k8s.api.gc.v1alpha1.${kind}`]?.properties as JsonObject | undefined)?.spec;
    expect(specOf("DeletionGuard")).toMatchObject({
      properties: {
        freeze: { type: "boolean", description: expect.stringContaining("Nothing at all") },
        cascade: { type: "object", properties: { count: { type: "integer" } } },
        protect: { properties: { labels: { type: "array", items: { type: "string" } } } },
      },
    });
    expect(specOf("SweepPolicy")).toMatchObject({
      properties: { sweeps: { properties: { jobs: { properties: { enabled: { type: "boolean" } } } } } },
    });
    expect(specOf("NodePolicy")).toMatchObject({ properties: { keep: { type: "array" } } });
    expect(specOf("DeletionPreview")).toMatchObject({ properties: { target: { type: "object" } } });
    expect(specOf("Import")).toMatchObject({ properties: { items: { type: "array" } } });
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
  interface Definition {
    properties: Record<string, JsonObject>;
  }
  const definitionsWith = (crd: JsonObject): Record<string, Definition> => {
    const custom = kindRegistry([customKind(crd)]);
    const { body, contentType } = openapiV2(custom, "application/json", (_, name) => customSchema(crd, name));
    expect(contentType).toBe("application/json");
    return JSON.parse(String(body)).definitions;
  };
  const definitions = definitionsWith(definition("integer"));

  test("every reference leads to a definition", () => {
    const targets = [...JSON.stringify(definitions).matchAll(/"\$ref":"([^"]+)"/g)];
    expect(targets.length).toBeGreaterThan(500);
    for (const [, target = ""] of targets) {
      expect(definitions).toHaveProperty([target.replace("#/definitions/", "")]);
    }
  });

  test.each([
    ["core.v1.PodSpec", "containers", "merge", "name"],
    ["core.v1.PodSpec", "volumes", "merge,retainKeys", "name"],
    ["core.v1.Container", "ports", "merge", "containerPort"],
    ["core.v1.EphemeralContainer", "env", "merge", "name"],
    ["core.v1.ServiceSpec", "ports", "merge", "port"],
    ["apps.v1.DeploymentSpec", "strategy", "retainKeys", undefined],
    ["policy.v1.PodDisruptionBudgetSpec", "selector", "replace", undefined],
    ["core.v1.PodSpec", "tolerations", undefined, undefined],
  ])("a client that computes a patch treats %s.%s as the server does", (type, field, strategy, key) => {
    const property = definitions[`io.k8s.api.${type}`]?.properties[field];
    expect(property).toBeDefined();
    expect(property?.["x-kubernetes-patch-strategy"]).toBe(strategy);
    expect(property?.["x-kubernetes-patch-merge-key"]).toBe(key);
  });

  test("a custom kind is described by its definition", () => {
    expect(definitions["com.example.v1.Widget"]).toMatchObject({
      properties: {
        spec: { properties: { size: { type: "integer" } } },
        metadata: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
      },
      "x-kubernetes-group-version-kind": [{ group: "example.com", version: "v1", kind: "Widget" }],
    });
  });

  test("definitions of custom kinds that are too large together lose their fields, not their names", () => {
    const words = "words ".repeat(700_000);
    const crd = definition("integer");
    const spec = crd.spec as { versions: { schema: { openAPIV3Schema: JsonObject } }[] };
    for (const { schema } of spec.versions) schema.openAPIV3Schema.description = words;
    expect(definitionsWith(crd)["com.example.v1.Widget"]).not.toHaveProperty("properties");
  });

  test("as protobuf says of every kind that a patch may be a dry run", () => {
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
    const shown = new TextDecoder().decode(bytes);
    expect(shown).toContain("/apis/apps/v1/namespaces/{namespace}/replicasets/{name}");
    expect(shown).toContain('group: "apps"\nkind: ReplicaSet\nversion: v1\n');
    expect(shown).toContain("#/definitions/io.k8s.api.core.v1.PodTemplateSpec");
  });
});
