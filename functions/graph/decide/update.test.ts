import { describe, expect, it, test } from "vitest";
import type { JsonObject } from "../../objects/json.ts";
import type { Kind } from "../../objects/kind.ts";
import { asJson, type KubeObject } from "../../objects/object.ts";
import { EARLIER, kindOf, NOW, refersTo, stored, told, WIDGET } from "./decide.fixture.ts";
import { decideUpdate } from "./update.ts";

const configMap = kindOf("configmaps");
const namespace = kindOf("namespaces");

function update(before: KubeObject, next: JsonObject, kind: Kind = configMap, subresource?: "finalize") {
  return decideUpdate(before, next, { kind, verb: "update", subresource, now: NOW });
}

function decision(...args: Parameters<typeof update>) {
  const decided = update(...args);
  if (!decided.ok) throw new Error(JSON.stringify(decided.failure));
  return decided.value.decision;
}

/** The object with other fields in its metadata; undefined takes one out. */
function changed(object: KubeObject, metadata: object, fields: object = {}): JsonObject {
  const merged = { ...object, metadata: { ...object.metadata, ...metadata }, ...fields };
  return JSON.parse(JSON.stringify(merged)) as JsonObject;
}

const terminating = (metadata: object = {}, kind: Kind = configMap) =>
  stored(kind, { metadata: { deletionTimestamp: EARLIER, deletionGracePeriodSeconds: 0, ...metadata } });

describe("an update", () => {
  it("that changes nothing writes nothing", () => {
    const object = stored(configMap, { metadata: { labels: { a: "b" } }, data: { k: "v" } });
    expect(decision(object, asJson(object))).toEqual({ outcome: "same", object });
  });

  it("writes what differs", () => {
    const object = stored(configMap);
    const decided = decision(object, changed(object, { labels: { a: "b" } }, { data: { k: "v" } }));
    expect(decided).toMatchObject({
      outcome: "write",
      next: { metadata: { labels: { a: "b" } }, data: { k: "v" } },
    });
  });

  it("cannot take the mark of a deletion off, move it, or set it", () => {
    const held = terminating({ finalizers: ["x/a"] });
    for (const deletionTimestamp of [undefined, "2030-01-01T00:00:00Z"]) {
      expect(decision(held, changed(held, { deletionTimestamp }))).toMatchObject({ outcome: "same" });
    }
  });

  it("raises the generation only for a change outside metadata and status", () => {
    const widget = stored(WIDGET, { metadata: { generation: 3 }, spec: { size: 1 } });
    const generation = (next: JsonObject) => {
      const decided = decision(widget, next, WIDGET);
      return decided.outcome === "write" ? decided.next.metadata.generation : decided.outcome;
    };
    expect(generation(changed(widget, { labels: { a: "b" } }))).toBe(3);
    expect(generation(changed(widget, {}, { spec: { size: 2 } }))).toBe(4);
  });

  it("#11 keeps one of two references that are the same, and says so", () => {
    const object = stored(configMap);
    const reference = refersTo(kindOf("pods"), "p");
    const decided = update(object, changed(object, { ownerReferences: [reference, reference] }));
    expect(decided).toMatchObject({
      ok: true,
      value: {
        decision: { outcome: "write", next: { metadata: { ownerReferences: [reference] } } },
        warnings: [expect.stringContaining("uid-p")],
      },
    });
  });

  test.each([
    ["another uid", { uid: "other" }, "Conflict"],
    ["a stale resourceVersion", { resourceVersion: "6" }, "Conflict"],
    [
      "#13 a reference without a uid",
      { ownerReferences: [refersTo(namespace, "n", { uid: "" })] },
      "Invalid",
    ],
    ["a mark of a deletion that nobody asked for", { deletionTimestamp: EARLIER }, "Invalid"],
    ["a finalizer without a domain", { finalizers: ["nonsense"] }, "Invalid"],
  ])("with %s is refused", (_, metadata, reason) => {
    const object = stored(configMap);
    expect(update(object, changed(object, metadata))).toMatchObject({ ok: false, failure: { reason } });
  });

  it("without a resourceVersion goes through, whatever is stored", () => {
    const object = stored(configMap);
    const next = changed(object, { resourceVersion: undefined, labels: { a: "b" } });
    expect(decision(object, next).outcome).toBe("write");
  });
});

describe("an update that takes the last finalizer off", () => {
  it("#62 removes a terminating object, and answers with what was sent", () => {
    const held = terminating({ finalizers: ["x/a"], labels: { a: "b" } });
    const decided = decision(held, changed(held, { finalizers: undefined, labels: { a: "c" } }));
    expect(decided).toMatchObject({ outcome: "remove", answer: { metadata: { labels: { a: "c" } } } });
    expect(decided.outcome === "remove" && told(decided.answer)).not.toHaveProperty("finalizers");
  });

  it("#63 keeps one that lives", () => {
    const held = stored(configMap, { metadata: { finalizers: ["x/a"] } });
    expect(decision(held, changed(held, { finalizers: undefined })).outcome).toBe("write");
  });

  it("keeps one while others are left", () => {
    const held = terminating({ finalizers: ["x/a", "x/b"] });
    expect(decision(held, changed(held, { finalizers: ["x/b"] }))).toMatchObject({
      outcome: "write",
      next: { metadata: { finalizers: ["x/b"] } },
    });
  });

  it("#82 keeps a Pod in its grace period", () => {
    const pod = kindOf("pods");
    const held = terminating({ finalizers: ["x/a"], deletionGracePeriodSeconds: 30 }, pod);
    expect(decision(held, changed(held, { finalizers: undefined }), pod).outcome).toBe("write");
  });

  it("removes one that has none left by whatever it changes", () => {
    const left = terminating();
    expect(decision(left, changed(left, { labels: { a: "b" } })).outcome).toBe("remove");
  });
});

describe("an update of a terminating Namespace", () => {
  const going = (specFinalizers: string[], finalizers?: string[]) =>
    stored(namespace, {
      metadata: { deletionTimestamp: EARLIER, ...(finalizers ? { finalizers } : {}) },
      spec: { finalizers: specFinalizers },
      status: { phase: "Terminating" },
    });

  it("#150 removes it when its spec's last finalizer is taken off", () => {
    const object = going(["kubernetes"]);
    const next = changed(object, {}, { spec: { finalizers: [] } });
    expect(decision(object, next, namespace, "finalize").outcome).toBe("remove");
  });

  it("leaves its spec's finalizers alone unless it is addressed to them", () => {
    const object = going(["kubernetes"]);
    const next = changed(object, { labels: { a: "b" } }, { spec: { finalizers: [] } });
    expect(decision(object, next, namespace)).toMatchObject({
      outcome: "write",
      next: { spec: { finalizers: ["kubernetes"] } },
    });
  });

  it("#151 that takes the last finalizer off its metadata leaves it to its spec's", () => {
    const object = going(["kubernetes"], ["x/a"]);
    expect(decision(object, changed(object, { finalizers: undefined }), namespace).outcome).toBe("write");
  });

  it("#149 removes it when its spec had none left", () => {
    const object = going([], ["x/a"]);
    expect(decision(object, changed(object, { finalizers: undefined }), namespace).outcome).toBe("remove");
  });
});
