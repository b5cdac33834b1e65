import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import { builtInKinds } from "../kinds/built-in.ts";
import { type MergeRules, mergeRulesOf } from "../patch/merge-keys.ts";
import { builtInShape } from "./built-in-shapes.ts";
import { type FieldShape, fieldShape } from "./field-shape.ts";
import { printFieldsV1 } from "./fields-v1.ts";
import { schemaShape } from "./schema-shape.ts";
import { fieldsOf } from "./value-fields.ts";

function kindNamed(name: string): Kind {
  const kind = builtInKinds.find(({ kind: candidate }) => candidate === name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind;
}

/** The shape at `spec.containers[].ports`. */
function shapeAt(kind: string, path: string): FieldShape {
  let shape: FieldShape = builtInShape(kindNamed(kind));
  for (const step of path.split(".")) {
    const name = step.replace("[]", "");
    if (shape.is === "object") shape = fieldShape(shape, name);
    if (step.endsWith("[]") && shape.is === "items") shape = shape.item;
  }
  return shape;
}

const described = (shape: FieldShape): string => (shape.is === "items" ? shape.keys.join("+") : shape.is);

describe("built-in kinds", () => {
  test.each([
    ["Pod", "spec.containers", "name"],
    ["Pod", "spec.containers[].env", "name"],
    ["Pod", "spec.containers[].ports", "containerPort+protocol"],
    ["Pod", "spec.containers[].volumeMounts", "mountPath"],
    ["Pod", "spec.initContainers[].ports", "containerPort+protocol"],
    ["Pod", "spec.tolerations", "object"],
    ["Pod", "spec.topologySpreadConstraints", "topologyKey+whenUnsatisfiable"],
    ["Pod", "spec.topologySpreadConstraints[].labelSelector", "atomic"],
    ["Pod", "spec.nodeSelector", "atomic"],
    ["Pod", "spec.volumes[].ephemeral.volumeClaimTemplate.spec.selector", "atomic"],
    ["Pod", "spec.containers[].env[].valueFrom.secretKeyRef", "atomic"],
    ["Deployment", "spec.selector", "atomic"],
    ["Deployment", "spec.template.spec.containers", "name"],
    ["CronJob", "spec.jobTemplate.spec.template.spec.containers[].ports", "containerPort+protocol"],
    ["Job", "spec.template.metadata.finalizers", "set"],
    ["Service", "spec.ports", "port+protocol"],
    ["Service", "spec.selector", "atomic"],
    ["ServiceAccount", "secrets", "name"],
    ["RoleBinding", "roleRef", "atomic"],
    ["ConfigMap", "metadata.finalizers", "set"],
    ["ConfigMap", "metadata.ownerReferences", "uid"],
    ["ConfigMap", "metadata.ownerReferences[]", "atomic"],
    ["Node", "spec.podCIDRs", "set"],
    ["ValidatingWebhookConfiguration", "webhooks", "name"],
    ["ValidatingWebhookConfiguration", "webhooks[].objectSelector", "atomic"],
  ])("%s %s is divided by %s", (kind, path, expected) => {
    expect(described(shapeAt(kind, path))).toBe(expected);
  });

  test("a list that nothing is said about is owned as a whole", () => {
    const fields = fieldsOf({ spec: { tolerations: [{ key: "a" }] } }, builtInShape(kindNamed("Pod")));
    expect(printFieldsV1(fields)).toEqual({ "f:spec": { "f:tolerations": {} } });
  });

  /** Lists with a merge key that nevertheless are owned as a whole. */
  const ATOMIC_LISTS = new Set(["Job status.conditions", "Pod status.hostIPs"]);

  const mergedLists = (rules: MergeRules, path: string[] = []): string[] =>
    Object.entries(rules).flatMap(([name, rule]) => {
      const here = [...path, name];
      if (rule.merge === "object") return mergedLists(rule.fields, here);
      if (rule.merge === "set") return [here.join(".")];
      if (rule.merge !== "items") return [];
      return [here.join("."), ...mergedLists(rule.fields, [...path, `${name}[]`])];
    });

  test("lists that a strategic merge patch merges are divided, but for those upstream excepts", () => {
    const undivided = builtInKinds.flatMap(({ kind }) =>
      mergedLists(mergeRulesOf(kind))
        .filter((path) => !["items", "set"].includes(shapeAt(kind, path).is))
        .map((path) => `${kind} ${path}`),
    );
    expect(undivided.filter((list) => !ATOMIC_LISTS.has(list))).toEqual([]);
  });
});

describe("schemas of custom kinds", () => {
  const list = (more: JsonObject, items: JsonObject = { type: "object" }): JsonObject => ({
    type: "array",
    items,
    ...more,
  });
  const byName = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };

  test.each<[string, JsonObject, Json, JsonObject]>([
    ["an atomic list, which is the default", list({}), [{ name: "a" }], { "f:x": {} }],
    ["a set", list({ "x-kubernetes-list-type": "set" }), ["a", 1], { "f:x": { 'v:"a"': {}, "v:1": {} } }],
    [
      "a list of items with a key",
      list(byName, { type: "object", properties: { name: { type: "string" }, n: { type: "integer" } } }),
      [{ name: "a", n: 1 }],
      { "f:x": { 'k:{"name":"a"}': { ".": {}, "f:name": {}, "f:n": {} } } },
    ],
    [
      "a key that is left out and has a default",
      list(
        { ...byName, "x-kubernetes-list-map-keys": ["name", "kind"] },
        {
          type: "object",
          properties: { name: {}, kind: { type: "string", default: "K" } },
        },
      ),
      [{ name: "a" }],
      { "f:x": { 'k:{"kind":"K","name":"a"}': { ".": {}, "f:name": {} } } },
    ],
    [
      "an object with fields, which are not owned beside what they hold",
      { type: "object", properties: { y: { type: "object", properties: { z: { type: "string" } } } } },
      { y: { z: "1" } },
      { "f:x": { "f:y": { "f:z": {} } } },
    ],
    [
      "a map, whose entries are",
      { type: "object", additionalProperties: { type: "object", properties: { z: { type: "string" } } } },
      { y: { z: "1" } },
      { "f:x": { "f:y": { ".": {}, "f:z": {} } } },
    ],
    ["an atomic object", { type: "object", "x-kubernetes-map-type": "atomic" }, { y: 1 }, { "f:x": {} }],
    [
      "unknown fields, deduced from what is there",
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      { y: { z: [1, 2] } },
      { "f:x": { "f:y": { ".": {}, "f:z": {} } } },
    ],
  ])("%s", (_, schema, value, expected) => {
    const shape = schemaShape({ type: "object", properties: { x: schema } });
    expect(printFieldsV1(fieldsOf({ x: value }, shape))).toEqual(expected);
  });
});
