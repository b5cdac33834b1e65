import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import {
  CRD_CLEANUP_FINALIZER,
  customKind,
  customSchema,
  establish,
  isEstablished,
  validateCustomResourceDefinition,
} from "./custom-resource.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const LATER = NOW + 60_000;

const version = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: "object" } },
  ...more,
});

const crd = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com", ...metadata },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [version("v1", { storage: true })],
    ...spec,
  },
});

describe("the kind of a definition", () => {
  test("has its names, defaults for those left out, and the traits of a custom resource", () => {
    expect(
      customKind(crd({ names: { plural: "widgets", kind: "Widget", shortNames: ["wi"] } })),
    ).toMatchObject({
      group: "example.com",
      versions: ["v1"],
      kind: "Widget",
      resource: "widgets",
      singular: "widget",
      shortNames: ["wi"],
      categories: [],
      namespaced: true,
      subresources: [],
      storedAs: "widgets.example.com",
      traits: { custom: true, countsGenerations: true, nameSyntax: "subdomain", deletion: "ordinary" },
    });
  });

  test("serves what is served, by priority and whatever the storage version is", () => {
    const versions = [
      version("v1alpha1", { storage: true }),
      version("v1"),
      version("v2", { served: false }),
      version("v1beta1"),
    ];
    expect(customKind(crd({ versions })).versions).toEqual(["v1", "v1beta1", "v1alpha1"]);
  });

  test("offers a subresource that any served version declares", () => {
    const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
    const versions = [
      version("v1", { storage: true }),
      version("v2", { subresources: { status: {}, scale } }),
    ];
    const { subresources } = customKind(crd({ versions }));
    expect(subresources.map(({ name, kind }) => [name, kind])).toEqual([
      ["scale", "Scale"],
      ["status", "Widget"],
    ]);
  });

  test("is cluster-scoped when the definition says so", () => {
    expect(customKind(crd({ scope: "Cluster" })).namespaced).toBe(false);
  });

  test("a version's schema is found by its name", () => {
    expect(customSchema(crd(), "v1")).toEqual({ type: "object" });
    expect(customSchema(crd(), "v9")).toBeUndefined();
  });
});

describe("validation", () => {
  test("accepts what can be established, defaulted or not", () => {
    expect(validateCustomResourceDefinition(crd())).toEqual([]);
    expect(validateCustomResourceDefinition(establish(crd(), NOW))).toEqual([]);
  });

  test.each<[string, JsonObject, string, string]>([
    [
      "a name of another form",
      crd({}, { name: "widgets" }),
      "metadata.name",
      'Invalid value: "widgets": must be spec.names.plural+"."+spec.group',
    ],
    ["no group", crd({ group: "" }), "spec.group", "Required value"],
    [
      "a group without a dot",
      crd({ group: "example" }),
      "spec.group",
      'Invalid value: "example": should be a domain with at least one dot',
    ],
    ["no scope", crd({ scope: "" }), "spec.scope", "Required value"],
    [
      "an unknown scope",
      crd({ scope: "Galaxy" }),
      "spec.scope",
      'Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"',
    ],
    ["no plural", crd({ names: { kind: "Widget" } }), "spec.names.plural", "Required value"],
    ["no kind", crd({ names: { plural: "widgets" } }), "spec.names.kind", "Required value"],
    [
      "a list kind that is the kind",
      crd({ names: { plural: "widgets", kind: "Widget", listKind: "Widget" } }),
      "spec.names.listKind",
      'Invalid value: "Widget": kind and listKind may not be the same',
    ],
    [
      "no version",
      crd({ versions: [] }),
      "spec.versions",
      "Invalid value: []: must have exactly one version marked as storage version",
    ],
    [
      "two storage versions",
      crd({ versions: [version("v1", { storage: true }), version("v2", { storage: true })] }),
      "spec.versions",
      'Invalid value: [{"name":"v1","served":true,"storage":true},{"name":"v2","served":true,"storage":true}]: must have exactly one version marked as storage version',
    ],
    [
      "a version twice",
      crd({ versions: [version("v1", { storage: true }), version("v1")] }),
      "spec.versions",
      'Invalid value: [{"name":"v1","served":true,"storage":true},{"name":"v1","served":true,"storage":false}]: must contain unique version names',
    ],
    [
      "no schema",
      crd({ versions: [{ name: "v1", served: true, storage: true }] }),
      "spec.versions[0].schema.openAPIV3Schema",
      "Required value: schemas are required",
    ],
    [
      "a scale without a path",
      crd({
        versions: [
          version("v1", { storage: true, subresources: { scale: { statusReplicasPath: ".status.n" } } }),
        ],
      }),
      "spec.versions[0].subresources.scale.specReplicasPath",
      "Required value",
    ],
    [
      "a protected group",
      crd({ group: "x.k8s.io" }, { name: "widgets.x.k8s.io" }),
      "metadata.annotations[api-approved.kubernetes.io]",
      'Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ])("refuses %s", (_, definition, field, message) => {
    expect(validateCustomResourceDefinition(definition)).toContainEqual(
      expect.objectContaining({ field, message }),
    );
  });

  test.each([
    ["spec.versions[0].name", crd({ versions: [version("1.0", { storage: true })] })],
    ["spec.names.plural", crd({ names: { plural: "Widgets", kind: "Widget" } })],
    ["spec.names.kind", crd({ names: { plural: "widgets", kind: "Wid_get" } })],
    ["spec.names.shortNames[0]", crd({ names: { plural: "widgets", kind: "Widget", shortNames: ["W"] } })],
  ])("wants a DNS label in %s", (field, definition) => {
    const error = validateCustomResourceDefinition(definition).find((candidate) => candidate.field === field);
    expect(error?.message).toContain("a DNS-1035 label must consist of");
  });

  test("survives input of any shape", () => {
    for (const spec of [null, 7, "x", [], { versions: "v1", names: [] }, { versions: [null, 1] }]) {
      expect(validateCustomResourceDefinition({ metadata: null, spec }).length).toBeGreaterThan(0);
    }
  });
});

describe("establishing", () => {
  const established = establish(crd(), NOW);

  test("accepts the names, remembers the storage version and serves it", () => {
    expect(established.spec).toMatchObject({
      conversion: { strategy: "None" },
      names: { singular: "widget", listKind: "WidgetList" },
    });
    expect(established.status).toEqual({
      conditions: [
        {
          type: "NamesAccepted",
          status: "True",
          lastTransitionTime: "2026-01-02T03:04:05Z",
          reason: "NoConflicts",
          message: "no conflicts found",
        },
        {
          type: "Established",
          status: "True",
          lastTransitionTime: "2026-01-02T03:04:05Z",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        },
      ],
      acceptedNames: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      storedVersions: ["v1"],
    });
    expect(established.metadata).toMatchObject({ finalizers: [CRD_CLEANUP_FINALIZER] });
    expect([isEstablished(crd()), isEstablished(established)]).toEqual([false, true]);
  });

  test("again changes nothing", () => {
    expect(establish(established, LATER)).toEqual(established);
  });

  test("with another storage version remembers both", () => {
    const spec = { ...(established.spec as JsonObject), versions: [version("v2", { storage: true })] };
    expect(establish({ ...established, spec }, LATER).status).toMatchObject({ storedVersions: ["v1", "v2"] });
  });

  test("gives a terminating definition no finalizer", () => {
    const terminating = crd({}, { deletionTimestamp: "2026-01-02T03:04:05Z" });
    expect(establish(terminating, NOW).metadata).not.toHaveProperty("finalizers");
  });

  test("does not change its input", () => {
    const input = crd();
    establish(input, NOW);
    expect(input).toEqual(crd());
  });
});
