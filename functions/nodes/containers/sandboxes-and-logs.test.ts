import { describe, expect, it, test } from "vitest";
import { container, SimulatedNode, sandbox, sandboxId } from "../plan/simulated-node.fixture.ts";
import { logDirectoriesToRemove, logLinksToRemove, statusIn } from "./logs.ts";
import type { PodStates } from "./pods.ts";
import { sandboxesToRemove } from "./sandboxes.ts";

const NOW = Date.UTC(2026, 10, 21);

/** Pods p0 and p1 are known, any other is deleted. */
const isDeleted = (uid: string): boolean => uid !== "p0" && uid !== "p1";
const KNOWN: PodStates = { sourcesReady: true, isDeleted, isTerminated: isDeleted };
const ENDED: PodStates = { ...KNOWN, isTerminated: () => true };
const NOT_READY: PodStates = { ...KNOWN, sourcesReady: false };
const SYNCING: PodStates = { sourcesReady: false, isDeleted: () => false, isTerminated: () => false };

/** `p0 READY@1 +c` is a sandbox with an exited container. */
function removed(text: string, pods = KNOWN, aggressive = false): string[] {
  const parsed = text.split(", ").map((each) => {
    const [, uid = "", state, at, used] = /^(\S+) (READY|NOTREADY)@(\d+)( \+c)?$/.exec(each) ?? [];
    return { ...sandbox(uid, state as "READY", Number(at)), used: used !== undefined };
  });
  const containers = parsed
    .filter(({ used }) => used)
    .map(({ podUid, id }) => container(`${podUid}/c`, 0, { sandbox: id }));
  return sandboxesToRemove({ sandboxes: parsed, containers, pods, aggressive }).map(
    ({ podUid, createdAt }) => `${podUid}@${createdAt}`,
  );
}

describe("sandboxes that go", () => {
  test.each<[string, string, string[]]>([
    ["#206 that of a pod that is gone", "d NOTREADY@0", ["d@0"]],
    ["#207 not while it is ready", "d READY@0", []],
    ["#208 not the only one of a pod that is not gone", "p0 READY@0, p1 NOTREADY@0", []],
    ["#209 older ones", "p0 NOTREADY@1, p0 NOTREADY@0", ["p0@0"]],
    ["#210 not one that has a container", "p0 NOTREADY@1, p0 NOTREADY@0 +c", []],
    ["#212 not even of a pod that is gone", "d NOTREADY@0 +c", []],
    [
      "#213 the newest stays, whether or not it is used",
      "p0 READY@1, p0 NOTREADY@0, p1 NOTREADY@1 +c, p1 NOTREADY@0, d NOTREADY@0",
      ["p0@0", "p1@0", "d@0"],
    ],
  ])("%s", (_, text, expected) => {
    expect(removed(text)).toEqual(expected);
  });

  it("#211 under pressure those of pods that have ended, but none that is ready", () => {
    expect(removed("p0 READY@0, p1 NOTREADY@0", ENDED, true)).toEqual(["p1@0"]);
    expect(removed("p0 READY@0, p1 NOTREADY@0", ENDED)).toEqual([]);
  });

  it("#214 whether the pod is gone is all that counts; until that is known none goes for it", () => {
    expect(removed("d NOTREADY@0", NOT_READY)).toEqual(["d@0"]);
    expect(removed("d NOTREADY@0", SYNCING)).toEqual([]);
  });

  it("are stopped first, and go after their containers have gone", () => {
    const node = new SimulatedNode(NOW);
    node.sandboxes = [sandbox("d", "NOTREADY", 0)];
    node.containers = [container("d/c", 0, { sandbox: sandboxId("d@0") })];
    expect(node.settle().map(({ steps }) => steps.map(({ verb }) => verb))).toEqual([["rm"]]);
    node.now += 60_000;
    expect(node.settle().map(({ steps }) => steps.map(({ verb }) => verb))).toEqual([["stopp", "rmp"]]);
  });
});

describe("logs that go", () => {
  const LISTED = ["u1", "u2", "u3", "u4", "prod_web_u5", "prod_db_u6"];
  const pods: PodStates = { ...KNOWN, isDeleted: (uid) => !["u1", "u2", "u5"].includes(uid) };

  it("#215 folders of pods that are gone, in listing order", () => {
    expect(logDirectoriesToRemove(LISTED, pods)).toEqual(["u3", "u4", "prod_db_u6"]);
  });

  it("#216 none while it is not known which pods there are", () => {
    expect(logDirectoriesToRemove(LISTED, { ...pods, sourcesReady: false })).toEqual([]);
  });

  it("#217 links that lead nowhere, unless the container lives", () => {
    const link = "web_default_app-abcdef123.log";
    expect(logLinksToRemove([link], () => "EXITED")).toEqual([link]);
    expect(logLinksToRemove([link], () => "RUNNING")).toEqual([]);
    expect(logLinksToRemove([link], () => "error")).toEqual([link]);
    const short = "web_default_app-abc.log";
    expect(logLinksToRemove([short], () => "RUNNING")).toEqual([short]);
  });

  it("#217 a container that is not listed is one that the runtime knows nothing of", () => {
    const running = container("p0/c", 0, { state: "RUNNING" });
    const statusOf = statusIn([running]);
    expect([statusOf(running.id), statusOf(running.id.slice(0, 63)), statusOf("abcdef")]).toEqual([
      "RUNNING",
      "RUNNING",
      "error",
    ]);
  });

  it("#218 a link whose target is there is not reported, and the runtime is not asked", () => {
    expect(
      logLinksToRemove([], () => {
        throw new Error("asked");
      }),
    ).toEqual([]);
  });

  it("#219 when the folder of logs cannot be read the rest is done, and there is an Event", () => {
    const node = new SimulatedNode(NOW);
    node.containers = [container("d/c", 0, { sandbox: sandboxId("d@0") })];
    node.sandboxes = [sandbox("e", "NOTREADY", 0)];
    node.logs = undefined;
    node.links = ["web_default_app-abcdef123.log"];
    const verbs = node.settle().flatMap(({ steps }) => steps.map(({ verb }) => verb));
    expect(verbs).toEqual(["rm", "stopp", "rmp"]);
    expect(node.events).toEqual([
      { reason: "ContainerGCFailed", message: "failed to read podLogsRootDirectory" },
    ]);
  });
});
