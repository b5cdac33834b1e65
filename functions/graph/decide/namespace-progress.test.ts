import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../objects/json.ts";
import { type KubeObject, timestamp } from "../../objects/object.ts";
import { EARLIER, kindOf, NOW, stored } from "./decide.fixture.ts";
import { namespaceProgress, type RemainingContent } from "./namespace-progress.ts";

const terminating = (specFinalizers: string[], more: { finalizers?: string[]; status?: object } = {}) =>
  stored(kindOf("namespaces"), {
    metadata: { deletionTimestamp: EARLIER, ...(more.finalizers ? { finalizers: more.finalizers } : {}) },
    spec: { finalizers: specFinalizers },
    status: { phase: "Terminating", ...more.status },
  });

const nothing: RemainingContent = { resources: [], finalizers: [] };
const held: RemainingContent = {
  resources: [
    { resource: "pods", count: 1 },
    { resource: "deployments.apps", count: 2 },
  ],
  finalizers: [{ finalizer: "x/y", count: 1 }],
};

function conditionsOf(namespace: KubeObject | undefined): Record<string, JsonObject> {
  const status = isJsonObject(namespace?.status) ? namespace.status : {};
  const conditions = Array.isArray(status.conditions) ? status.conditions.filter(isJsonObject) : [];
  return Object.fromEntries(conditions.map(({ type, ...condition }) => [String(type), condition]));
}

describe("a terminating Namespace", () => {
  it("#150 with nothing left in it loses the finalizer `kubernetes`, and no other", () => {
    expect(namespaceProgress(terminating(["kubernetes"]), nothing, NOW)?.spec).toEqual({ finalizers: [] });
    expect(namespaceProgress(terminating(["x/a", "kubernetes"]), nothing, NOW)?.spec).toEqual({
      finalizers: ["x/a"],
    });
  });

  it("that somebody else finishes is not written", () => {
    expect(namespaceProgress(terminating(["x/a"]), nothing, NOW)).toBeUndefined();
  });

  it("#149 that only the finalizers of its metadata hold is not written", () => {
    expect(namespaceProgress(terminating([], { finalizers: ["x/a"] }), nothing, NOW)).toBeUndefined();
  });

  it("that nothing holds at all is due to go", () => {
    expect(namespaceProgress(terminating([]), nothing, NOW)).toBeDefined();
  });

  it("#157 with something left says what, and what holds it", () => {
    const lastTransitionTime = timestamp(NOW);
    expect(conditionsOf(namespaceProgress(terminating(["kubernetes"]), held, NOW))).toEqual({
      NamespaceDeletionDiscoveryFailure: {
        status: "False",
        reason: "ResourcesDiscovered",
        message: "All resources successfully discovered",
        lastTransitionTime,
      },
      NamespaceDeletionGroupVersionParsingFailure: {
        status: "False",
        reason: "ParsedGroupVersions",
        message: "All legacy kube types successfully parsed",
        lastTransitionTime,
      },
      NamespaceDeletionContentFailure: {
        status: "False",
        reason: "ContentDeleted",
        message: "All content successfully deleted, may be waiting on finalization",
        lastTransitionTime,
      },
      NamespaceContentRemaining: {
        status: "True",
        reason: "SomeResourcesRemain",
        message:
          "Some resources are remaining: deployments.apps has 2 resource instances, pods. has 1 resource instances",
        lastTransitionTime,
      },
      NamespaceFinalizersRemaining: {
        status: "True",
        reason: "SomeFinalizersRemain",
        message: "Some content in the namespace has finalizers remaining: x/y in 1 resource instances",
        lastTransitionTime,
      },
    });
  });

  it("with something left that no finalizer holds says that too", () => {
    const conditions = conditionsOf(
      namespaceProgress(terminating(["kubernetes"]), { ...held, finalizers: [] }, NOW),
    );
    expect(conditions.NamespaceFinalizersRemaining).toMatchObject({
      status: "False",
      reason: "ContentHasNoFinalizers",
      message: "All content-preserving finalizers finished",
    });
  });

  it("#159 is not written again when nothing has changed, however late it is", () => {
    const once = namespaceProgress(terminating(["kubernetes"]), held, NOW);
    expect(once && namespaceProgress(once, held, NOW + 60_000)).toBeUndefined();
  });

  it("#159 gives a condition another time only with another status", () => {
    const once = namespaceProgress(terminating(["kubernetes"]), held, NOW);
    const fewer = { ...held, resources: [{ resource: "pods", count: 1 }], finalizers: [] };
    const conditions = conditionsOf(once && namespaceProgress(once, fewer, NOW + 60_000));
    expect(conditions.NamespaceContentRemaining).toMatchObject({
      message: "Some resources are remaining: pods. has 1 resource instances",
      lastTransitionTime: timestamp(NOW),
    });
    expect(conditions.NamespaceFinalizersRemaining).toMatchObject({
      status: "False",
      lastTransitionTime: timestamp(NOW + 60_000),
    });
  });

  it("keeps the rest of its status", () => {
    const namespace = terminating(["kubernetes"], { status: { note: "mine" } });
    expect(namespaceProgress(namespace, held, NOW)?.status).toMatchObject({
      phase: "Terminating",
      note: "mine",
    });
  });
});
