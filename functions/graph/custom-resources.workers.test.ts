import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../objects/json.ts";
import { asJson, type KubeObject, type OwnerReference } from "../objects/object.ts";
import { kindOf } from "./decide/decide.fixture.ts";
import { create, objectOf, ownedBy, patch, remove, replace, TestCluster } from "./graph.fixture.ts";
import type { MutationReply, MutationRequest } from "./request.ts";

const definitions = kindOf("customresourcedefinitions.apiextensions.k8s.io");
const configMap = kindOf("configmaps");
const WIDGETS = "widgets.example.com";

const SPEC: JsonObject = {
  type: "object",
  required: ["size"],
  properties: {
    size: { type: "integer", minimum: 1 },
    colour: { type: "string", default: "red" },
    note: { type: "string" },
  },
};

const version = (spec: JsonObject = SPEC, more: JsonObject = {}): JsonObject => ({
  name: "v1",
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: { spec, status: { type: "object", properties: { phase: { type: "string" } } } },
    },
  },
  ...more,
});

function definition(plural = "widgets", kind = "Widget", versions = [version()], names: JsonObject = {}) {
  return {
    name: `${plural}.example.com`,
    fields: {
      spec: { group: "example.com", scope: "Namespaced", names: { plural, kind, ...names }, versions },
    },
  };
}

async function withWidgets(...versions: JsonObject[]): Promise<TestCluster> {
  const cluster = await TestCluster.create(["team", "other"]);
  await cluster.make(
    definitions,
    definition("widgets", "Widget", versions.length > 0 ? versions : [version()]),
  );
  await cluster.settle();
  return cluster;
}

async function makeWidget(cluster: TestCluster, name: string, more: object = {}, namespace = "team") {
  const kind = await cluster.kind(WIDGETS);
  return cluster.make(kind, { name, fields: { spec: { size: 1 } }, ...more }, namespace);
}

const conditionsOf = (crd: KubeObject | undefined): Record<string, string> => {
  const status = crd && asJson(crd).status;
  const conditions = isJsonObject(status) && Array.isArray(status.conditions) ? status.conditions : [];
  return Object.fromEntries(
    conditions.filter(isJsonObject).map(({ type, status, reason }) => [String(type), `${status} ${reason}`]),
  );
};

const told = (reply: MutationReply | undefined): string => {
  if (reply === undefined) return "nothing";
  if (reply.ok) return "ok";
  const { failure } = reply;
  return failure.reason === "Invalid"
    ? failure.errors.map(({ field, message }) => `${field}: ${message}`).join("; ")
    : `${failure.reason}${"message" in failure ? `: ${failure.message}` : ""}`;
};

const judging = (
  request: MutationRequest,
  fieldValidation: MutationRequest["fieldValidation"],
): MutationRequest => (fieldValidation === undefined ? request : { ...request, fieldValidation });

describe("a custom object", () => {
  it("is kept without what its definition does not know, with the defaults that it gives", async () => {
    const cluster = await withWidgets();
    const widget = await makeWidget(cluster, "w", {
      fields: { spec: { size: 2, shape: "round" }, extra: 1 },
    });
    expect(widget).toMatchObject({ spec: { size: 2, colour: "red" } });
    expect(asJson(widget).spec).not.toHaveProperty("shape");
    expect(widget).not.toHaveProperty("extra");
    expect(await cluster.find(await cluster.kind(WIDGETS), "w")).toEqual(widget);
  });

  it("that does not fit is refused, and nothing is written", async () => {
    const cluster = await withWidgets();
    const kind = await cluster.kind(WIDGETS);
    const [made] = await cluster.ask("team", create(kind, { name: "w", fields: { spec: { size: 0 } } }));
    expect(told(made)).toBe(
      "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
    );
    const widget = await makeWidget(cluster, "w");
    const [changed, patched] = await cluster.ask(
      "team",
      replace(kind, { ...widget, spec: {} }),
      patch(kind, "w", { spec: { colour: 5 } }),
    );
    expect(told(changed)).toBe("spec.size: Required value");
    expect(told(patched)).toContain("spec.colour in body must be of type string");
    expect(await cluster.find(kind, "w")).toEqual(widget);
  });

  it.each([
    [
      "Strict",
      'BadRequest: Widget in version "v1" cannot be handled as a Widget: strict decoding error: ',
      [],
    ],
    ["Warn", "ok", ['unknown field "metadata.lables"', 'unknown field "spec.shape"']],
    ["Ignore", "ok", []],
  ] as const)("with unknown fields under %s", async (directive, answer, warnings) => {
    const cluster = await withWidgets();
    const kind = await cluster.kind(WIDGETS);
    const text = JSON.stringify({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "w", lables: {} },
      spec: { size: 1, shape: "round" },
    });
    const request = create(kind, { name: "w" });
    const mutation = { verb: "create", text, mediaType: "application/json" } as const;
    const [reply] = await cluster.ask("team", judging({ ...request, mutation }, directive));
    expect(told(reply)).toBe(
      answer === "ok" ? answer : `${answer}unknown field "metadata.lables", unknown field "spec.shape"`,
    );
    expect(reply?.ok ? reply.warnings : []).toEqual(warnings);
  });

  it("that a patch gives unknown fields is refused by a strict reader, in the patch's name", async () => {
    const cluster = await withWidgets();
    await makeWidget(cluster, "w");
    const kind = await cluster.kind(WIDGETS);
    const request = patch(kind, "w", { spec: { shape: "round" } });
    const [strict, warned] = await cluster.ask("team", judging(request, "Strict"), judging(request, "Warn"));
    expect(told(strict)).toMatch(
      /^patch: Invalid value: .*strict decoding error: unknown field "spec\.shape"$/,
    );
    expect(warned).toMatchObject({ ok: true, warnings: ['unknown field "spec.shape"'] });
  });

  it("keeps its status apart when that is a subresource", async () => {
    const cluster = await withWidgets(version(SPEC, { subresources: { status: {} } }));
    const kind = await cluster.kind(WIDGETS);
    const widget = await makeWidget(cluster, "w", {
      fields: { spec: { size: 1 }, status: { phase: "Mine" } },
    });
    expect(widget).not.toHaveProperty("status");
    const through = (body: object): MutationRequest => {
      const request = patch(kind, "w", body);
      return {
        ...request,
        mutation: { ...request.mutation, subresource: "status" } as MutationRequest["mutation"],
      };
    };
    const [wrong, right] = await cluster.ask(
      "team",
      through({ status: { phase: 7 } }),
      through({ spec: { size: 9 }, status: { phase: "Ready" } }),
    );
    expect(told(wrong)).toBe(
      'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
    );
    expect(objectOf(right)).toMatchObject({ spec: { size: 1 }, status: { phase: "Ready" } });
  });

  it("is served in each version, and checked by the schema of the one it is written in", async () => {
    const second = version(
      { type: "object", properties: { size: { type: "integer", maximum: 5 } } },
      {
        name: "v2",
        storage: false,
      },
    );
    const cluster = await withWidgets(version(), second);
    await makeWidget(cluster, "w", { fields: { spec: { size: 3 } } });
    const kind = await cluster.kind(WIDGETS);
    const inV2 = (request: MutationRequest): MutationRequest => ({ ...request, version: "v2" });
    const [fits, over] = await cluster.ask(
      "team",
      inV2(patch(kind, "w", { metadata: { labels: { a: "b" } } })),
      inV2(patch(kind, "w", { spec: { size: 6 } })),
    );
    expect(objectOf(fits)).toMatchObject({ apiVersion: "example.com/v2", spec: { size: 3 } });
    expect(told(over)).toContain("should be less than or equal to 5");
  });

  it("that a stricter schema would refuse can still be changed elsewhere, and lose its finalizer", async () => {
    const cluster = await withWidgets();
    await makeWidget(cluster, "w", { finalizers: ["x.io/hold"], fields: { spec: { size: 2 } } });
    const strict = version({ type: "object", properties: { size: { type: "integer", minimum: 3 } } });
    await cluster.ask("", patch(definitions, WIDGETS, { spec: { versions: [strict] } }));
    const kind = await cluster.kind(WIDGETS);
    const [labelled, changed, freed] = await cluster.ask(
      "team",
      patch(kind, "w", { metadata: { labels: { a: "b" } } }),
      patch(kind, "w", { spec: { size: 1 } }),
      patch(kind, "w", { metadata: { finalizers: null } }),
    );
    expect([told(labelled), told(freed)]).toEqual(["ok", "ok"]);
    expect(told(changed)).toContain("should be greater than or equal to 3");
  });

  it("of a kind and version that are served no more is not found, whatever the request was routed by", async () => {
    const cluster = await withWidgets(version(), version(SPEC, { name: "v2", storage: false }));
    const before = await cluster.kind(WIDGETS);
    await cluster.ask("", patch(definitions, WIDGETS, { spec: { versions: [version()] } }));
    const request = create(before, { name: "w", fields: { spec: { size: 1 } } });
    const text = JSON.stringify({ metadata: { name: "w" }, spec: { size: 1 } });
    const mutation = { verb: "create", text, mediaType: "application/json" } as const;
    const [old, current] = await cluster.ask(
      "team",
      { ...request, version: "v2", mutation },
      { ...request, version: "v1", mutation: { ...mutation, text: text.replace('"w"', '"x"') } },
    );
    expect([told(old), told(current)]).toEqual(["NoSuchResource", "ok"]);
  });
});

describe("a built-in object", () => {
  it.each([
    [
      "Strict",
      /^BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: /,
    ],
    ["Warn", /^ok$/],
  ] as const)("with fields that it cannot have, and some twice, under %s", async (directive, answer) => {
    const cluster = await TestCluster.create();
    const text = '{"metadata":{"name":"c","nmae":"x"},"data":{"a":"1","a":"2"},"dat":{}}';
    const request = create(configMap, { name: "c" });
    const mutation = { verb: "create", text, mediaType: "application/json" } as const;
    const [reply] = await cluster.ask("team", judging({ ...request, mutation }, directive));
    const oddities = ['duplicate field "data.a"', 'unknown field "dat"', 'unknown field "metadata.nmae"'];
    expect(told(reply)).toMatch(answer);
    expect(reply?.ok ? reply.warnings : told(reply).replace(answer, "").split(", ")).toEqual(oddities);
  });
});

describe("a definition", () => {
  it.each<[string, object, string]>([
    ["its scope", { scope: "Cluster" }, 'spec.scope: Invalid value: "Cluster": field is immutable'],
    [
      "its kind",
      { names: { kind: "Gadget" } },
      'spec.names.kind: Invalid value: "Gadget": field is immutable',
    ],
    ["its group", { group: "other.com" }, 'spec.group: Invalid value: "other.com": field is immutable'],
    [
      "a version that was stored",
      { versions: [version(SPEC, { name: "v2" })] },
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions',
    ],
    [
      "a schema that is not structural",
      { versions: [version({ properties: {} })] },
      "spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
    ],
  ])("cannot change %s", async (_, spec, fault) => {
    const cluster = await withWidgets();
    const [reply] = await cluster.ask("", patch(definitions, WIDGETS, { spec }));
    expect(told(reply)).toContain(fault);
  });

  it("is told what is not done with it", async () => {
    const cluster = await TestCluster.create();
    const rules = version({ ...SPEC, "x-kubernetes-validations": [{ rule: "self.size < 9" }] });
    const [reply] = await cluster.ask("", create(definitions, definition("widgets", "Widget", [rules])));
    expect(reply).toMatchObject({
      ok: true,
      warnings: ["x-kubernetes-validations of v1 are kept but not evaluated by this server"],
    });
  });

  it("whose names are taken waits, and is served when they become free", async () => {
    const cluster = await withWidgets();
    const rival = definition("gadgets", "Widget", [version()], { shortNames: ["g"] });
    const gadgets = await cluster.make(definitions, rival);
    expect(conditionsOf(gadgets)).toEqual({
      NamesAccepted: "False ListKindConflict",
      Established: "False NotAccepted",
    });
    await cluster.ask("", remove(definitions, WIDGETS));
    await cluster.settle();
    const served = await cluster.find(definitions, "gadgets.example.com");
    expect(conditionsOf(served)).toEqual({
      NamesAccepted: "True NoConflicts",
      Established: "True InitialNamesAccepted",
    });
    const kind = await cluster.kind("gadgets.example.com");
    expect(
      told((await cluster.ask("team", create(kind, { name: "g", fields: { spec: { size: 1 } } })))[0]),
    ).toBe("ok");
  });

  it("of two that ask for the same names at once gives them to the first", async () => {
    const cluster = await TestCluster.create();
    const replies = await cluster.ask(
      "",
      create(definitions, definition("widgets", "Widget")),
      create(definitions, definition("gadgets", "Widget")),
    );
    expect(replies.map((reply) => conditionsOf(objectOf(reply)).Established)).toEqual([
      "True InitialNamesAccepted",
      "False NotAccepted",
    ]);
  });
});

describe("a reference to a kind that is not known", () => {
  const claim = (more: Partial<OwnerReference> = {}): OwnerReference => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    name: "gone",
    uid: "uid-of-nobody",
    ...more,
  });

  it("#146 keeps its dependent, until the kind is installed and the owner turns out to be missing", async () => {
    const cluster = await TestCluster.create(["team", "other"]);
    await cluster.make(configMap, {
      name: "kept",
      owners: [claim({ apiVersion: "nowhere.io/v1", uid: "other" })],
    });
    await cluster.make(configMap, { name: "here", owners: [claim()] });
    await cluster.make(configMap, { name: "there", owners: [claim()] }, "other");
    await cluster.settle();
    expect((await cluster.left()).length).toBe(3);
    await cluster.make(definitions, definition());
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/kept"]);
  });

  it("is resolved by a version that comes later as well", async () => {
    const cluster = await withWidgets();
    await cluster.make(configMap, { name: "c", owners: [claim({ apiVersion: "example.com/v2" })] });
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/c"]);
    const versions = [version(), version(SPEC, { name: "v2", storage: false })];
    await cluster.ask("", patch(definitions, WIDGETS, { spec: { versions } }));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
  });

  it("is looked for in slices when many owners are named, and the dependents of live ones are left alone", async () => {
    const cluster = await TestCluster.create();
    const live = await cluster.make(configMap, { name: "live" });
    const requests = Array.from({ length: 1_200 }, (_, i) =>
      create(configMap, { name: `d${i}`, owners: [claim({ name: `w${i}`, uid: `nobody-${i}` })] }),
    );
    await cluster.ask("team", ...requests, create(configMap, { name: "dependent", owners: [ownedBy(live)] }));
    await cluster.settle();
    await cluster.make(definitions, definition());
    await cluster.settle();
    expect(await cluster.left()).toEqual(["team/configmaps/dependent", "team/configmaps/live"]);
  }, 30_000);
});

describe("the end of a definition", () => {
  it("#161 takes its objects along, then what they owned, and again after it was made anew", async () => {
    const cluster = await TestCluster.create(["team", "other"]);
    for (const round of ["first", "second"]) {
      await cluster.make(definitions, definition());
      const widget = await makeWidget(cluster, "w");
      await makeWidget(cluster, "w", {}, "other");
      await cluster.make(configMap, { name: round, owners: [ownedBy(widget)] });
      await cluster.settle();
      expect((await cluster.left()).length).toBe(3);
      const [reply] = await cluster.ask("", remove(definitions, WIDGETS));
      expect(conditionsOf(objectOf(reply)).Terminating).toBe("True InstanceDeletionInProgress");
      await cluster.settle();
      expect(await cluster.left()).toEqual([]);
      expect(await cluster.find(definitions, WIDGETS)).toBeUndefined();
    }
  });

  it("#162 waits for an object that a finalizer holds, and lets none be made meanwhile", async () => {
    const cluster = await withWidgets();
    await makeWidget(cluster, "held", { finalizers: ["x.io/hold"] });
    const kind = await cluster.kind(WIDGETS);
    await cluster.ask("", remove(definitions, WIDGETS));
    await cluster.settle();
    expect((await cluster.find(kind, "held"))?.metadata.deletionTimestamp).toBeDefined();
    const waiting = await cluster.find(definitions, WIDGETS);
    expect(waiting?.metadata.deletionTimestamp).toBeDefined();
    expect(conditionsOf(waiting).Established).toBe("True InitialNamesAccepted");

    const [refused, again] = await cluster.ask(
      "team",
      create(kind, { name: "late", fields: { spec: { size: 1 } } }),
    );
    expect([told(refused), again]).toEqual(["MethodNotAllowed", undefined]);
    await cluster.ask("team", patch(kind, "held", { metadata: { finalizers: null } }));
    await cluster.settle();
    expect(await cluster.left()).toEqual([]);
    expect(await cluster.find(definitions, WIDGETS)).toBeUndefined();
  });
});
