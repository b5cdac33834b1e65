import { describe, expect, it, test } from "vitest";
import { container, containerId, SimulatedNode, sandbox, settings } from "../plan/simulated-node.fixture.ts";
import type { ReportedContainer } from "../report/report.ts";
import { deadContainersToRemove, surplusAfterExit } from "./dead-containers.ts";
import { type PodStates, podStates } from "./pods.ts";

const NOW = Date.UTC(2026, 10, 21);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const KNOWN: PodStates = { sourcesReady: true, isDeleted: () => false, isTerminated: () => false };

type Policy = [minAge: number, perPod: number, max: number];
const DEFAULT: Policy = [HOUR, 2, 6];

const policy = ([minAge, maxPerPodContainer, maxContainers]: Policy) => ({
  minAge,
  maxPerPodContainer,
  maxContainers,
});

/** `foo/bar@4,3` is two dead containers; `!` behind a moment means that it runs, `?` that nobody knows. */
function parse(text: string): ReportedContainer[] {
  return text.split(/;? +/).flatMap((unit) => {
    const [of = "", moments = ""] = unit.split("@");
    return moments.split(",").map((moment) => {
      const createdAt = moment.startsWith("now") ? NOW : Number.parseInt(moment, 10);
      const state = moment.endsWith("!") ? "RUNNING" : moment.endsWith("?") ? "UNKNOWN" : "EXITED";
      return container(of, createdAt, { state });
    });
  });
}

const print = (containers: readonly ReportedContainer[]): string[] =>
  containers.map(
    ({ podUid, name, createdAt }) => `${podUid}/${name}@${createdAt === NOW ? "now" : createdAt}`,
  );

function removed(text: string, limits: Policy, pods: PodStates = KNOWN, aggressive = false): string[] {
  const containers = parse(text);
  return print(deadContainersToRemove({ containers, pods, settings: policy(limits), aggressive, now: NOW }));
}

describe("dead containers that go", () => {
  test.each<[string, string, Policy, string[]]>([
    ["#183 all, when a limit allows none", "foo/bar@4,3", [MINUTE, 1, 0], ["foo/bar@3", "foo/bar@4"]],
    ["#184 the oldest beyond the limit of the node", "foo/bar@4,3,2,1,0", [MINUTE, -1, 4], ["foo/bar@0"]],
    ["#185 none without limits", "foo/bar@2,1,0", [MINUTE, -1, -1], []],
    ["#186 none that is too young", "foo/bar@now,now,now", DEFAULT, []],
    ["#187 the oldest beyond the limit of its name", "foo/bar@2,1,0", DEFAULT, ["foo/bar@0"]],
    ["#188 running ones are not counted", "foo/bar@2,1,0!", DEFAULT, []],
    ["#189 none within the limit", "foo/bar@1,0", DEFAULT, []],
    [
      "#190 each pod has limits of its own",
      "foo/bar@2,1,0 foo1/baz@2,1,0 foo2/bar@2,1,0",
      DEFAULT,
      ["foo/bar@0", "foo1/baz@0", "foo2/bar@0"],
    ],
    [
      "#191 an equal share each, cut, when the node has too many",
      "a/a@1,0 b/b@1,0 c/c@1,0 d/d@1,0 e/e@1,0",
      DEFAULT,
      ["a/a@0", "b/b@0", "c/c@0", "d/d@0", "e/e@0"],
    ],
    [
      "#192 then the oldest of all that is left",
      "foo/bar@2,1 foo1/bar1@2,1 foo2/bar2@1 foo3/bar3@0 foo4/bar4@1 foo5/bar5@0 foo6/bar6@2 foo7/bar7@1",
      DEFAULT,
      ["foo/bar@1", "foo1/bar1@1", "foo5/bar5@0", "foo3/bar3@0"],
    ],
    [
      "#196 a share may take more than was needed, and nothing is given back",
      "a/a@4,3,2,1 b/b@7,6,5",
      [0, -1, 5],
      ["a/a@1", "a/a@2", "b/b@5"],
    ],
    ["#197 at least one each, then the oldest", "a/a@1 b/b@2 c/c@3 d/d@4", [0, -1, 3], ["a/a@1"]],
    [
      "#198 the limit of names before that of the node",
      "a/a@9,8 b/b@3 c/c@2 d/d@1",
      [0, 1, 2],
      ["a/a@8", "d/d@1", "c/c@2"],
    ],
  ])("%s", (_, text, limits, expected) => {
    expect(removed(text, limits)).toEqual(expected);
  });

  it("#183 with one for each name, and none for the node", () => {
    expect(removed("foo/bar@0", [MINUTE, 1, 0])).toEqual(["foo/bar@0"]);
  });

  it("#193 under pressure all of pods that have ended, and none of those that have not", () => {
    const ended = (uid: string): boolean => uid === "foo" || uid === "foo1";
    const pods = { ...KNOWN, isTerminated: ended };
    const text = "foo/bar@1,0 foo1/bar@1,0 running/bar@0 foo3/bar@0!";
    expect(removed(text, DEFAULT, pods, true)).toEqual([
      "foo/bar@0",
      "foo/bar@1",
      "foo1/bar@0",
      "foo1/bar@1",
    ]);
    expect(removed(text, DEFAULT, pods)).toEqual([]);
  });

  it("#194 all of a deleted pod that are old enough", () => {
    const pods = { ...KNOWN, isDeleted: (uid: string) => uid === "deleted" };
    expect(removed("deleted/bar@now,1,0 foo/bar@1,0", DEFAULT, pods)).toEqual([
      "deleted/bar@0",
      "deleted/bar@1",
    ]);
  });

  it("#195 none for that while it is not known which pods there are", () => {
    const pods = { sourcesReady: false, isDeleted: () => true, isTerminated: () => true };
    expect(removed("deleted/bar@0", DEFAULT, pods, true)).toEqual([]);
  });

  it("#201 one that was made and never started, but not one that is about to start", () => {
    const look = (createdAt: number) =>
      deadContainersToRemove({
        containers: [container("a/a", createdAt, { state: "CREATED" })],
        pods: KNOWN,
        settings: policy([0, 0, -1]),
        aggressive: false,
        now: NOW,
      });
    expect(look(0)).toHaveLength(1);
    expect(look(NOW - 1000)).toEqual([]);
  });

  it("none that the kubelet did not make", () => {
    const pods = { sourcesReady: true, isDeleted: () => true, isTerminated: () => true };
    expect(removed("/bar@2,1,0", [0, 0, 0], pods, true)).toEqual([]);
  });
});

describe("what the node is asked to do", () => {
  const nodeWith = (text: string, limits: Policy): SimulatedNode => {
    const node = new SimulatedNode(NOW, { containers: policy(limits) });
    node.containers = parse(text);
    node.sandboxes = [...new Set(node.containers.map(({ podUid }) => podUid))].map((uid) =>
      sandbox(uid, "READY", 0),
    );
    node.pods = node.sandboxes.map(({ podUid }) => podUid);
    return node;
  };

  it("#199 one whose state nobody knows is stopped before it is removed", () => {
    const node = nodeWith("a/a@0?", [HOUR, 0, 0]);
    const id = node.containers[0]?.id;
    expect(node.settle().map(({ steps }) => steps)).toEqual([
      [
        { verb: "stop", id },
        { verb: "rm", id },
      ],
    ]);
  });

  it("#200 and stays when it cannot be stopped, until the next run, which is no failure", () => {
    const node = nodeWith("a/a@0?", [0, 0, 0]);
    const id = node.containers[0]?.id;
    node.failing.add(`stop ${id}`);
    node.run();
    expect(node.tried).toEqual([`stop ${id}`]);
    expect(node.reasons).toEqual([]);
    node.failing.clear();
    node.run();
    expect(node.containers).toEqual([]);
  });

  it("#202 nothing goes in place of one that could not be removed", () => {
    const node = nodeWith("a/a@2,1,0", [0, 2, -1]);
    const oldest = node.containers[2]?.id;
    node.failing.add(`rm ${oldest}`);
    node.run();
    node.run();
    expect(node.tried).toEqual([`rm ${oldest}`, `rm ${oldest}`]);
    expect(node.containers).toHaveLength(3);
  });

  it("what has no label of a pod is never touched, whatever the limits", () => {
    const node = new SimulatedNode(NOW, { containers: policy([0, 0, 0]) });
    node.containers = [container("/other", 0), container("/other", 1)];
    expect(node.run()).toEqual([]);
  });

  it("what an exit leaves over goes at once, between two runs", () => {
    const node = nodeWith("a/a@1 a/a@2!", [0, 1, -1]);
    node.settle();
    node.now += 5000;
    node.containers = node.containers.map((each) => ({ ...each, state: "EXITED" }));
    const [older] = node.containers;
    expect(node.settle().flatMap(({ steps }) => steps)).toEqual([{ verb: "rm", id: older?.id }]);
    expect(node.containers.map(({ createdAt }) => createdAt)).toEqual([2]);
  });

  it("containers that cannot be listed are a failure and an Event, every time", () => {
    const node = nodeWith("a/a@0", DEFAULT);
    node.take(node.report({ containers: undefined }));
    expect(node.events).toContainEqual({ reason: "ContainerGCFailed", message: "failed to list containers" });
  });
});

describe("what goes when a container has ended", () => {
  const pod = [
    container("p/foo", 0),
    container("p/bar", 1),
    container("p/bar", 2),
    container("p/bar", 3, { id: containerId("bar3") }),
    container("p/bar", 4, { state: "RUNNING" }),
  ];
  const keepOne = policy([0, 1, -1]);

  it("#203 instances of its name beyond those that are kept, newest first", () => {
    expect(print(surplusAfterExit(containerId("bar3"), pod, keepOne, false))).toEqual(["p/bar@2", "p/bar@1"]);
    // At least one stays, whatever the limit.
    const none = policy([0, 0, -1]);
    expect(print(surplusAfterExit(containerId("bar3"), pod, none, false))).toEqual(["p/bar@2", "p/bar@1"]);
  });

  it("#204 nothing for one that is not of the pod", () => {
    expect(surplusAfterExit(containerId("other"), pod, keepOne, false)).toEqual([]);
  });

  it("#205 every dead container of a pod whose content may go", () => {
    expect(print(surplusAfterExit(containerId("bar3"), pod, keepOne, true))).toEqual([
      "p/bar@3",
      "p/bar@2",
      "p/bar@1",
      "p/foo@0",
    ]);
  });
});

describe("what is known about pods", () => {
  const listed = <T>(items: T[], complete = true) => ({ items, complete });
  const report = (folders: string[] | undefined) => ({
    podDirectories: folders,
    containers: listed([container("running/a", 0, { state: "RUNNING" })]),
    sandboxes: listed([
      sandbox("ready", "READY", 0),
      sandbox("ended", "NOTREADY", 0),
      sandbox("running", "NOTREADY", 0),
    ]),
  });
  const told = (folders: string[] | undefined, uid: string): [boolean, boolean] => {
    const pods = podStates(report(folders));
    return [pods.isDeleted(uid), pods.isTerminated(uid)];
  };

  it("one without a folder is deleted, unless something of it runs", () => {
    expect(told(["ready"], "gone")).toEqual([true, true]);
    expect(told(["ready"], "running")).toEqual([false, false]);
    expect(told(["running"], "ready")).toEqual([false, false]);
  });

  it("one whose sandboxes have all ended has ended", () => {
    expect(told(["ready", "ended"], "ended")).toEqual([false, true]);
    expect(told(["ready", "starting"], "starting")).toEqual([false, false]);
  });

  it("without folders, with those of another kubelet, or with half a listing none is deleted", () => {
    expect(told(undefined, "gone")[0]).toBe(false);
    expect(told([], "gone")[0]).toBe(false);
    expect(told(["other"], "gone")[0]).toBe(false);
    const half = podStates({
      ...report(["ready"]),
      sandboxes: listed([sandbox("ready", "READY", 0)], false),
    });
    expect([half.sourcesReady, half.isDeleted("gone")]).toEqual([false, false]);
  });

  it("an idle node may have no pods", () => {
    const pods = podStates({ podDirectories: [], containers: listed([]), sandboxes: listed([]) });
    expect(pods.isDeleted("gone")).toBe(true);
    expect(settings().containers.maxPerPodContainer).toBe(1);
  });
});
