import { describe, expect, it, test } from "vitest";
import { disrupt, needsNoBudget, protects } from "./disruption-budget.ts";
import type { JsonObject } from "./json.ts";
import type { KubeObject } from "./object.ts";

const NOW = Date.UTC(2026, 10, 20, 16, 20, 3);

const pod = (more: JsonObject = {}, metadata: object = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", uid: "u", creationTimestamp: "", labels: { app: "x" }, ...metadata },
    ...more,
  }) as KubeObject;

const budget = (status: JsonObject): JsonObject => ({ metadata: { name: "b" }, status });

describe("a pod needs no budget", () => {
  test.each([
    ["when it is pending", pod({ status: { phase: "Pending" } }), true],
    ["when it has succeeded", pod({ status: { phase: "Succeeded" } }), true],
    ["when it has failed", pod({ status: { phase: "Failed" } }), true],
    ["when it is going", pod({}, { deletionTimestamp: "2026-11-20T16:20:03Z" }), true],
    ["unless it runs", pod({ status: { phase: "Running" } }), false],
  ])("%s", (_, each, expected) => expect(needsNoBudget(each)).toBe(expected));
});

describe("a budget is about a pod", () => {
  test.each<[string, JsonObject, boolean]>([
    ["that it selects", { selector: { matchLabels: { app: "x" } } }, true],
    ["when it selects all", { selector: {} }, true],
    ["but not another one", { selector: { matchLabels: { app: "y" } } }, false],
    ["but not without a selector", {}, false],
  ])("%s", (_, spec, expected) => expect(protects({ spec }, pod())).toBe(expected));
});

describe("an eviction", () => {
  it("takes one disruption from the budget and notes the pod", () => {
    const before = { disruptionsAllowed: 2, disruptedPods: { q: "2026-11-20T16:00:00Z" } };
    expect(disrupt(budget(before), "p", NOW)).toEqual({
      allowed: true,
      status: {
        disruptionsAllowed: 1,
        disruptedPods: { q: "2026-11-20T16:00:00Z", p: "2026-11-20T16:20:03Z" },
      },
    });
  });

  test.each<[string, JsonObject]>([
    ["0", { disruptionsAllowed: 0, desiredHealthy: 3, currentHealthy: 2 }],
    ["nothing that it says", { desiredHealthy: 3, currentHealthy: 2 }],
    ["less than none", { disruptionsAllowed: -1, desiredHealthy: 3, currentHealthy: 2 }],
  ])("is refused when the budget allows %s", (_, status) => {
    const cause = "The disruption budget b needs 3 healthy pods and has 2 currently";
    expect(disrupt(budget(status), "p", NOW)).toEqual({ allowed: false, cause });
  });

  it("is refused when too many are not confirmed", () => {
    const disruptedPods = Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`p${i}`, ""]));
    expect(disrupt(budget({ disruptionsAllowed: 1, disruptedPods }), "p", NOW)).toMatchObject({
      allowed: false,
      cause: expect.stringMatching(/^DisruptedPods map too big/),
    });
  });
});
