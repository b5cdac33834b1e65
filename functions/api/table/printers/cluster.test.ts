import { describe, expect, test } from "vitest";
import { age, cells } from "./cells.fixture.ts";

describe("cluster", () => {
  test.each<[what: string, path: string, fields: object, cells: unknown[]]>([
    ["namespace", "/v1/namespaces", { status: { phase: "Terminating" } }, ["x", "Terminating", age]],
    [
      "resource quota",
      "/v1/resourcequotas",
      {
        status: {
          hard: { "requests.cpu": "2", "limits.cpu": "4", pods: "10" },
          used: { "requests.cpu": "500m", pods: "3" },
        },
      },
      ["x", age, "pods: 3/10, requests.cpu: 500m/2", "limits.cpu: 0/4"],
    ],
    ["limit range", "/v1/limitranges", {}, ["x", "2026-11-20T15:00:00Z"]],
    ["lease", "coordination.k8s.io/v1/leases", { spec: { holderIdentity: "n1" } }, ["x", "n1", age]],
    [
      "lease candidate",
      "coordination.k8s.io/v1beta1/leasecandidates",
      { spec: { leaseName: "l", binaryVersion: "1.34.0", strategy: "OldestEmulationVersion" } },
      ["x", "l", "1.34.0", "", "OldestEmulationVersion", age],
    ],
    [
      "storage version",
      "internal.apiserver.k8s.io/v1alpha1/storageversions",
      {
        status: {
          storageVersions: ["a", "b", "c", "d", "e"].map((id) => ({
            apiServerID: id,
            encodingVersion: "v1",
          })),
        },
      },
      ["x", "<unset>", "a=v1,b=v1,c=v1 + 2 more...", age],
    ],
    [
      "priority class",
      "scheduling.k8s.io/v1/priorityclasses",
      { value: 1000, globalDefault: true },
      ["x", 1000, true, age],
    ],
    ["runtime class", "node.k8s.io/v1/runtimeclasses", { handler: "runsc" }, ["x", "runsc", age]],
    [
      "webhook configuration",
      "admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
      { webhooks: [{}, {}] },
      ["x", 2, age],
    ],
  ])("%s", (_, path, fields, expected) => {
    expect(cells(path, fields)).toEqual(expected);
  });

  test("a ready node with roles", () => {
    const node = {
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        addresses: [
          { type: "Hostname", address: "n1" },
          { type: "InternalIP", address: "10.0.0.1" },
        ],
        nodeInfo: {
          kubeletVersion: "v1.33.1",
          osImage: "Linux",
          kernelVersion: "6.1",
          containerRuntimeVersion: "containerd://2.0",
        },
      },
    };
    const labels = {
      "node-role.kubernetes.io/worker": "",
      "node-role.kubernetes.io/": "",
      "kubernetes.io/role": "edge",
      other: "x",
    };
    expect(cells("/v1/nodes", node, { labels })).toEqual([
      "x",
      "Ready,SchedulingDisabled",
      "edge,worker",
      age,
      "v1.33.1",
      "10.0.0.1",
      "<none>",
      "Linux",
      "6.1",
      "containerd://2.0",
    ]);
  });

  test.each([
    ["False", "NotReady"],
    ["Unknown", "NotReady"],
    [undefined, "Unknown"],
  ])("a node whose Ready condition is %s is %s", (status, shown) => {
    const conditions = status === undefined ? [] : [{ type: "Ready", status }];
    expect(cells("/v1/nodes", { status: { conditions } }).slice(1, 3)).toEqual([shown, "<none>"]);
  });
});
