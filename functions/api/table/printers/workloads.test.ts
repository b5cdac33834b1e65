import { describe, expect, test } from "vitest";
import { age, cells } from "./cells.fixture.ts";

const template = {
  metadata: { labels: { b: "2", a: "1" } },
  spec: {
    containers: [
      { name: "web", image: "nginx" },
      { name: "log", image: "fluentd" },
    ],
    nodeSelector: { disk: "ssd" },
  },
};
const selector = {
  matchLabels: { tier: "x", app: "web" },
  matchExpressions: [
    { key: "zone", operator: "In", values: ["b", "a"] },
    { key: "canary", operator: "DoesNotExist" },
    { key: "env", operator: "Exists" },
    { key: "os", operator: "NotIn", values: ["c"] },
  ],
};
const selectorText = "app=web,!canary,env,os notin (c),tier=x,zone in (a,b)";

describe("workloads", () => {
  test.each<[what: string, path: string, fields: object, cells: unknown[]]>([
    ["pod template", "/v1/podtemplates", { template }, ["x", "web,log", "nginx,fluentd", "a=1,b=2"]],
    [
      "replica set",
      "apps/v1/replicasets",
      { spec: { replicas: 3, selector, template }, status: { replicas: 2, readyReplicas: 1 } },
      ["x", 3, 2, 1, age, "web,log", "nginx,fluentd", selectorText],
    ],
    [
      "replica set with an unknown operator",
      "apps/v1/replicasets",
      { spec: { replicas: 0, selector: { matchExpressions: [{ key: "a", operator: "Like" }] } } },
      ["x", 0, 0, 0, age, "", "", "<error>"],
    ],
    [
      "replication controller",
      "/v1/replicationcontrollers",
      { spec: { replicas: 1, selector: { app: "web" }, template }, status: { replicas: 1 } },
      ["x", 1, 1, 0, age, "web,log", "nginx,fluentd", "app=web"],
    ],
    [
      "deployment",
      "apps/v1/deployments",
      {
        spec: { replicas: 3, selector: { matchLabels: { app: "web" } }, template },
        status: { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 },
      },
      ["x", "2/3", 3, 1, age, "web,log", "nginx,fluentd", "app=web"],
    ],
    [
      "deployment without a selector",
      "apps/v1/deployments",
      { spec: { replicas: 1 } },
      ["x", "0/1", 0, 0, age, "", "", ""],
    ],
    [
      "stateful set",
      "apps/v1/statefulsets",
      { spec: { replicas: 2, template }, status: { readyReplicas: 2 } },
      ["x", "2/2", age, "web,log", "nginx,fluentd"],
    ],
    [
      "daemon set",
      "apps/v1/daemonsets",
      {
        spec: { selector: { matchLabels: { app: "d" } }, template },
        status: {
          desiredNumberScheduled: 5,
          currentNumberScheduled: 4,
          numberReady: 3,
          updatedNumberScheduled: 2,
          numberAvailable: 1,
        },
      },
      ["x", 5, 4, 3, 2, 1, "disk=ssd", age, "web,log", "nginx,fluentd", "app=d"],
    ],
    [
      "running job",
      "batch/v1/jobs",
      {
        spec: { completions: 3, template },
        status: { succeeded: 1, startTime: "2026-11-20T15:50:00Z" },
      },
      ["x", "1/3", "10m", age, "web,log", "nginx,fluentd", "<none>"],
    ],
    [
      "finished job",
      "batch/v1/jobs",
      {
        spec: { completions: 1 },
        status: {
          succeeded: 1,
          startTime: "2026-11-20T15:50:00Z",
          completionTime: "2026-11-20T15:50:42Z",
        },
      },
      ["x", "1/1", "42s", age, "", "", "<none>"],
    ],
    [
      "job of a work queue",
      "batch/v1/jobs",
      { spec: { parallelism: 4 } },
      ["x", "0/1 of 4", "", age, "", "", "<none>"],
    ],
    [
      "job of one pod",
      "batch/v1/jobs",
      { spec: { parallelism: 1 } },
      ["x", "0/1", "", age, "", "", "<none>"],
    ],
    [
      "cron job",
      "batch/v1/cronjobs",
      {
        spec: { schedule: "*/5 * * * *", suspend: true, jobTemplate: { spec: { template } } },
        status: { active: [{}, {}], lastScheduleTime: "2026-11-20T15:55:00Z" },
      },
      ["x", "*/5 * * * *", "True", 2, "5m", age, "web,log", "nginx,fluentd", "<none>"],
    ],
    [
      "cron job that never ran",
      "batch/v1/cronjobs",
      { spec: { schedule: "@daily", suspend: false } },
      ["x", "@daily", "False", 0, "<none>", age, "", "", "<none>"],
    ],
  ])("%s", (_, path, fields, expected) => {
    expect(cells(path, fields)).toEqual(expected);
  });

  test("a controller revision names its controller with kind and group", () => {
    const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "1" };
    const path = "apps/v1/controllerrevisions";
    const owned = (controller: boolean) =>
      cells(path, { revision: 4 }, { ownerReferences: [{ ...owner, controller }] });
    expect(owned(true)).toEqual(["x", "statefulset.apps/db", 4, age]);
    expect(owned(false)).toEqual(["x", "<none>", 4, age]);
  });
});
