import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../objects/object.ts";
import { decideNode, type NodeFacts, nodeDueAt } from "./nodes.ts";
import { gist, OFF, settingsOf, stored, T0 } from "./sweeps.fixture.ts";

const PROVIDER = { instanceProvider: { url: "https://machines.example.com/" } };
const settings = settingsOf("nodes", PROVIDER);

const SHUTDOWN = { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" };
const OTHER = { key: "team", value: "blue", effect: "NoExecute" };

function node(ready: string | undefined, taints: object[] = [], providerID?: string): KubeObject {
  return stored("nodes", "n1", {
    spec: { ...(taints.length > 0 ? { taints } : {}), ...(providerID === undefined ? {} : { providerID }) },
    status: { conditions: ready === undefined ? [] : [{ type: "Ready", status: ready }] },
  });
}

const YES = { answer: true };
const NO = { answer: false };
const PROBLEM = { problem: "500" };

describe("a Node", () => {
  test.each<[string, KubeObject, NodeFacts, string]>([
    ["#84 not ready: is asked about", node("False"), {}, "ask:instance-exists"],
    ["#84 its machine does not exist", node("False"), { exists: NO }, "delete:instance-absent"],
    ["#85 nobody can say", node("False"), { exists: PROBLEM }, "skip until 5000"],
    ["#86 its machine exists: is asked about again", node("False"), { exists: YES }, "ask:instance-shutdown"],
    ["#86 exists, and runs", node("False"), { exists: YES, shutdown: NO }, "keep until 5000"],
    ["#87 unknown, does not exist", node("Unknown"), { exists: NO }, "delete:instance-absent"],
    ["#87 unknown, exists", node("Unknown"), { exists: YES, shutdown: NO }, "keep until 5000"],
    ["#88 no Ready condition", node(undefined), { exists: NO }, "delete:instance-absent"],
    ["#89 ready: is not asked about", node("True"), {}, "keep"],
    ["#89 ready, whatever was said", node("True"), { exists: NO }, "keep"],
    ["#90 shut down", node("False"), { exists: YES, shutdown: YES }, "patch"],
    [
      "#90 shut down, and tainted already",
      node("False", [SHUTDOWN]),
      { exists: YES, shutdown: YES },
      "keep until 5000",
    ],
    [
      "#91 nobody can say whether it is shut down",
      node("False"),
      { exists: YES, shutdown: PROBLEM },
      "skip until 5000",
    ],
    ["#92 ready, with the taint", node("True", [SHUTDOWN]), {}, "patch"],
    [
      "#93 shut down, and not existing",
      node("False"),
      { exists: NO, shutdown: YES },
      "delete:instance-absent",
    ],
    ["#94 without a providerID, not found by name", node("False"), { exists: NO }, "delete:instance-absent"],
    ["#95 without a providerID, an error by name", node("False"), { exists: PROBLEM }, "skip until 5000"],
  ])("%s", (_, object, facts, decision) => {
    expect(gist(decideNode(object, facts, settings, T0))).toBe(decision);
  });

  test("#94 is asked about by its name, and by its providerID when it has one", () => {
    expect(decideNode(node("False"), {}, settings, T0)).toMatchObject({
      question: { node: "n1", providerID: "" },
    });
    expect(decideNode(node("False", [], "aws:///i-1"), {}, settings, T0)).toMatchObject({
      question: { node: "n1", providerID: "aws:///i-1" },
    });
  });

  test("#84 is deleted without options but its uid, and says so before", () => {
    expect(decideNode(node("False"), { exists: NO }, settings, T0)).toMatchObject({
      deletion: {
        options: { dryRun: false, uid: "uid-n1" },
        events: [
          {
            when: "before",
            type: "Normal",
            reason: "DeletingNode",
            message: "Deleting node n1 because it does not exist in the cloud provider",
          },
          { when: "failed", type: "Warning", reason: "DeletingNodeFailed" },
        ],
      },
    });
  });

  const taintsAfter = (object: KubeObject, facts: NodeFacts) => {
    const decision = decideNode(object, facts, settings, T0);
    const spec = decision.act === "patch" ? (decision.patch.next.spec as { taints?: object[] }) : undefined;
    return spec?.taints ?? [];
  };

  test("#90 #92 gets and loses the taint, and keeps the others", () => {
    expect(taintsAfter(node("False", [OTHER]), { exists: YES, shutdown: YES })).toEqual([OTHER, SHUTDOWN]);
    expect(taintsAfter(node("True", [SHUTDOWN, OTHER]), {})).toEqual([OTHER]);
    expect(taintsAfter(node("True", [SHUTDOWN]), {})).toEqual([]);
  });
});

test("a Node is only ever deleted when it is not ready, and its machine is known not to exist", () => {
  const answer = fc.constantFrom(undefined, YES, NO, PROBLEM);
  const statuses = fc.constantFrom("True", "False", "Unknown", undefined);
  fc.assert(
    fc.property(statuses, answer, answer, fc.boolean(), (ready, exists, shutdown, provided) => {
      const facts: NodeFacts = { ...(exists ? { exists } : {}), ...(shutdown ? { shutdown } : {}) };
      const object = node(ready);
      const own = provided ? settings : settingsOf("nodes");
      const decision = decideNode(object, facts, own, T0);
      expect(decision.act === "delete").toBe(provided && ready !== "True" && exists === NO);
      if (decision.act !== "keep") expect(nodeDueAt(object, own)).toBeLessThanOrEqual(T0);
      expect(decideNode(object, facts, settingsOf("nodes", { ...PROVIDER, ...OFF }), T0).act).toBe("keep");
    }),
  );
});
