import { describe, expect, it, test } from "vitest";
import type { Kind } from "../../objects/kind.ts";
import { asUid, timestamp } from "../../objects/object.ts";
import { type Candidate, decideCandidate, decideCreate, type NamespaceState } from "./create.ts";
import { EARLIER, kindOf, NOW, refersTo, stored } from "./decide.fixture.ts";

const configMap = kindOf("configmaps");
const JSON_TYPE = "application/json";

const body = (metadata: object, fields: object = {}, kind: Kind = configMap) =>
  JSON.stringify({ apiVersion: "v1", kind: kind.kind, metadata, ...fields });

function candidateOf(text: string, kind: Kind = configMap) {
  return decideCandidate(text, JSON_TYPE, {
    kind,
    version: kind.versions[0] ?? "v1",
    namespace: kind.namespaced ? "team" : "",
    now: NOW,
    uid: asUid("uid-new"),
    random: () => 0,
  });
}

function candidate(text: string, kind?: Kind): Candidate {
  const decided = candidateOf(text, kind);
  if (!decided.ok) throw new Error(JSON.stringify(decided.failure));
  return decided.value;
}

describe("the body of a POST", () => {
  it("#14 loses what only the server may say", () => {
    const { object } = candidate(
      body({
        name: "c",
        uid: "mine",
        creationTimestamp: "2001-01-01T00:00:00Z",
        deletionTimestamp: EARLIER,
        deletionGracePeriodSeconds: 5,
        selfLink: "/x",
      }),
    );
    expect(object.metadata).toEqual({
      name: "c",
      namespace: "team",
      uid: "uid-new",
      creationTimestamp: timestamp(NOW),
    });
  });

  it("#1 keeps references, finalizers and labels as sent, whether the owner is there or not", () => {
    const kept = {
      ownerReferences: [refersTo(kindOf("pods"), "p")],
      finalizers: ["x/a"],
      labels: { app: "web" },
    };
    expect(candidate(body({ name: "c", ...kept })).object.metadata).toMatchObject(kept);
  });

  it("#11 holds one of two references that are the same, and says so", () => {
    const reference = refersTo(kindOf("pods"), "p");
    const { object, warnings } = candidate(body({ name: "c", ownerReferences: [reference, reference] }));
    expect(object.metadata.ownerReferences).toEqual([reference]);
    expect(warnings).toEqual([expect.stringContaining("uid-p")]);
  });

  it("#12 holds both of two references to one uid that differ, and says nothing", () => {
    const reference = refersTo(kindOf("pods"), "p");
    const references = [reference, { ...reference, blockOwnerDeletion: true }];
    const { object, warnings } = candidate(body({ name: "c", ownerReferences: references }));
    expect(object.metadata.ownerReferences).toEqual(references);
    expect(warnings).toEqual([]);
  });

  it("gets a name when it asks for one", () => {
    expect(candidate(body({ generateName: "c-" })).object.metadata.name).toMatch(/^c-[a-z0-9]{5}$/);
  });

  it("begins to count generations for the kinds that do", () => {
    const deployment = kindOf("deployments.apps");
    const text = JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" } });
    expect(candidate(text, deployment).object.metadata.generation).toBe(1);
  });

  it.each([
    ["#15 a resourceVersion", body({ name: "c", resourceVersion: "1" }), "Unknown"],
    ["#16 another namespace", body({ name: "c", namespace: "other" }), "BadRequest"],
    ["no JSON", "{", "BadRequest"],
    ["another kind", body({ name: "c" }, {}, kindOf("secrets")), "BadRequest"],
  ])("is refused with %s", (_, text, reason) => {
    expect(candidateOf(text)).toMatchObject({ ok: false, failure: { reason } });
  });

  it("makes a Namespace active, and held by its content", () => {
    const { object } = candidate(body({ name: "team" }, {}, kindOf("namespaces")), kindOf("namespaces"));
    expect(object).toMatchObject({ spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } });
  });
});

describe("a candidate", () => {
  const good = candidate(body({ name: "x" }));
  const faulty = candidate(body({ name: "Not a name" }));
  const inTeam = (state: NamespaceState) => ({ name: "team", state });

  it("is stored as it is when nothing is in the way", () => {
    expect(decideCreate(good, configMap, inTeam("open"), undefined)).toEqual({
      ok: true,
      value: good.object,
    });
  });

  it("#153 is refused while its namespace goes, with the cause", () => {
    expect(decideCreate(good, configMap, inTeam("terminating"), undefined)).toEqual({
      ok: false,
      failure: {
        reason: "Forbidden",
        resource: "configmaps",
        name: "x",
        message: "unable to create new content in namespace team because it is being terminated",
        causes: [
          {
            reason: "NamespaceTerminating",
            message: "namespace team is being terminated",
            field: "metadata.namespace",
          },
        ],
      },
    });
  });

  it("#154 is refused in a namespace that is not there, in the namespace's name", () => {
    expect(decideCreate(good, configMap, inTeam("absent"), undefined)).toEqual({
      ok: false,
      failure: { reason: "NotFound", resource: "namespaces", name: "team" },
    });
  });

  it("that is cluster-scoped needs no namespace", () => {
    const kind = kindOf("nodes");
    const node = candidate(body({ name: "n" }, {}, kind), kind);
    expect(decideCreate(node, kind, { name: "", state: "absent" }, undefined).ok).toBe(true);
  });

  test.each([
    ["alive", {}, false],
    ["terminating", { deletionTimestamp: EARLIER }, true],
  ])("is refused when its name is taken by one that is %s", (_, metadata, terminating) => {
    const existing = stored(configMap, { metadata });
    expect(decideCreate(good, configMap, inTeam("open"), existing)).toEqual({
      ok: false,
      failure: { reason: "AlreadyExists", resource: "configmaps", name: "x", terminating },
    });
  });

  it("is told of the namespace first, then of its faults, then of its name", () => {
    const existing = stored(configMap);
    const reason = (state: NamespaceState) => {
      const decided = decideCreate(faulty, configMap, inTeam(state), existing);
      return decided.ok ? "stored" : decided.failure.reason;
    };
    expect(reason("terminating")).toBe("Forbidden");
    expect(reason("open")).toBe("Invalid");
  });
});
