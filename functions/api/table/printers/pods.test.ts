import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../objects/object.ts";
import { podColumns } from "./pods.ts";

const now = Date.parse("2026-11-20T16:00:00Z");

interface Parts {
  deleted?: true;
  containers?: number;
  init?: readonly object[];
  spec?: object;
  status?: object;
}

function pod({ deleted, containers = 1, init = [], spec = {}, status = {} }: Parts): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "p",
      uid: "u",
      creationTimestamp: "2026-11-20T15:00:00Z",
      ...(deleted ? { deletionTimestamp: "2026-11-20T15:59:00Z" } : {}),
    },
    spec: {
      containers: Array.from({ length: containers }, (_, i) => ({ name: `c${i}` })),
      initContainers: init,
      ...spec,
    },
    status,
  };
}

const cells = (parts: Parts): unknown[] => podColumns.map((column) => column.cell(pod(parts), now));

const running = { ready: true, restartCount: 1, state: { running: {} } };
const terminated = (fields: object): object => ({ restartCount: 2, state: { terminated: fields } });
const waiting = (reason: string): object => ({ restartCount: 3, state: { waiting: { reason } } });

describe("READY, STATUS and RESTARTS of a pod", () => {
  test.each<[what: string, parts: Parts, ready: string, status: string, restarts: number]>([
    ["waits to be scheduled", { status: { phase: "Pending" } }, "0/1", "Pending", 0],
    [
      "runs",
      { containers: 2, status: { phase: "Running", containerStatuses: [running, running] } },
      "2/2",
      "Running",
      2,
    ],
    [
      "has a container that cannot start",
      {
        containers: 2,
        status: { phase: "Running", containerStatuses: [running, waiting("CrashLoopBackOff")] },
      },
      "1/2",
      "CrashLoopBackOff",
      4,
    ],
    [
      "has several containers with something to say: the first one's reason",
      { containers: 2, status: { phase: "Pending", containerStatuses: [waiting("A"), waiting("B")] } },
      "0/2",
      "A",
      6,
    ],
    [
      "is done",
      {
        status: {
          phase: "Succeeded",
          containerStatuses: [terminated({ reason: "Completed", exitCode: 0 })],
        },
      },
      "0/1",
      "Completed",
      2,
    ],
    [
      "failed with an exit code",
      { status: { phase: "Failed", containerStatuses: [terminated({ exitCode: 3 })] } },
      "0/1",
      "ExitCode:3",
      2,
    ],
    [
      "was ended by a signal",
      { status: { phase: "Failed", containerStatuses: [terminated({ signal: 9, exitCode: 137 })] } },
      "0/1",
      "Signal:9",
      2,
    ],
    ["was evicted", { status: { phase: "Failed", reason: "Evicted" } }, "0/1", "Evicted", 0],
    [
      "has one container done and one running, and is not ready",
      {
        containers: 2,
        status: { phase: "Running", containerStatuses: [terminated({ reason: "Completed" }), running] },
      },
      "1/2",
      "NotReady",
      3,
    ],
    [
      "has one container done and one running, and is ready",
      {
        containers: 2,
        status: {
          phase: "Running",
          conditions: [{ type: "Ready", status: "True" }],
          containerStatuses: [terminated({ reason: "Completed" }), running],
        },
      },
      "1/2",
      "Running",
      3,
    ],
    [
      "is held back by scheduling gates",
      {
        status: {
          phase: "Pending",
          conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
        },
      },
      "0/1",
      "SchedulingGated",
      0,
    ],
    [
      "has run one of two init containers",
      {
        init: [{ name: "a" }, { name: "b" }],
        status: {
          phase: "Pending",
          initContainerStatuses: [terminated({ exitCode: 0 }), waiting("PodInitializing")],
          containerStatuses: [waiting("PodInitializing")],
        },
      },
      "0/1",
      "Init:1/2",
      5,
    ],
    [
      "has an init container that cannot start",
      {
        init: [{ name: "a" }],
        status: { phase: "Pending", initContainerStatuses: [waiting("ImagePullBackOff")] },
      },
      "0/1",
      "Init:ImagePullBackOff",
      3,
    ],
    [
      "has a failed init container",
      {
        init: [{ name: "a" }],
        status: { phase: "Pending", initContainerStatuses: [terminated({ exitCode: 1 })] },
      },
      "0/1",
      "Init:ExitCode:1",
      2,
    ],
    [
      "has a failed init container with a reason",
      {
        init: [{ name: "a" }],
        status: { phase: "Pending", initContainerStatuses: [terminated({ exitCode: 1, reason: "Error" })] },
      },
      "0/1",
      "Init:Error",
      2,
    ],
    [
      "runs with a sidecar, whose restarts count beside the containers'",
      {
        init: [{ name: "setup" }, { name: "proxy", restartPolicy: "Always" }],
        status: {
          phase: "Running",
          initContainerStatuses: [
            { name: "setup", ...terminated({ exitCode: 0 }) },
            { name: "proxy", started: true, ready: true, restartCount: 5, state: { running: {} } },
          ],
          containerStatuses: [running],
        },
      },
      "2/2",
      "Running",
      6,
    ],
    [
      "is being deleted",
      { deleted: true, status: { phase: "Running", containerStatuses: [running] } },
      "1/1",
      "Terminating",
      1,
    ],
    [
      "is being deleted and has finished",
      {
        deleted: true,
        status: { phase: "Succeeded", containerStatuses: [terminated({ reason: "Completed" })] },
      },
      "0/1",
      "Completed",
      2,
    ],
    [
      "is being deleted while its node is lost",
      { deleted: true, status: { phase: "Running", reason: "NodeLost" } },
      "0/1",
      "Unknown",
      0,
    ],
  ])("that %s", (_, parts, ready, status, restarts) => {
    expect(cells(parts).slice(0, 5)).toEqual(["p", ready, status, restarts, "60m"]);
  });
});

describe("wide columns of a pod", () => {
  test("say where it runs", () => {
    const parts = {
      spec: { nodeName: "n1", readinessGates: [{ conditionType: "lb" }, { conditionType: "dns" }] },
      status: {
        phase: "Running",
        podIP: "10.0.0.1",
        nominatedNodeName: "n2",
        conditions: [{ type: "lb", status: "True" }],
      },
    };
    expect(cells(parts).slice(5)).toEqual(["10.0.0.1", "n1", "n2", "1/2"]);
  });

  test("say so when there is nothing to say", () => {
    expect(cells({}).slice(5)).toEqual(["<none>", "<none>", "<none>", "<none>"]);
  });
});
