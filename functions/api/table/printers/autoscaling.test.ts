import { describe, expect, test } from "vitest";
import { age, cells } from "./cells.fixture.ts";

describe("autoscaling and disruption", () => {
  const autoscaler = (spec: object, status: object = {}): object => ({
    spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, minReplicas: 2, maxReplicas: 9, ...spec },
    status: { currentReplicas: 3, ...status },
  });
  const cpu = { type: "Resource", resource: { target: { averageUtilization: 70 } } };
  const queue = { type: "External", external: { target: { averageValue: "30" } } };
  const requests = { type: "Object", object: { target: { value: "2k" } } };

  test.each<[what: string, fields: object, targets: string]>([
    [
      "CPU target",
      autoscaler({ targetCPUUtilizationPercentage: 50 }, { currentCPUUtilizationPercentage: 12 }),
      "12%/50%",
    ],
    ["no target", autoscaler({}), "<unknown>/80%"],
    [
      "metrics with what is known of them",
      autoscaler(
        { metrics: [cpu, queue] },
        { currentMetrics: [{ resource: { current: { averageUtilization: 40 } } }] },
      ),
      "40%/70%, <unknown>/30 (avg)",
    ],
    [
      "more metrics than fit",
      autoscaler({ metrics: [requests, cpu, queue] }),
      "<unknown>/2k, <unknown>/70% + 1 more...",
    ],
    ["unknown metric", autoscaler({ metrics: [{ type: "Odd" }] }), "<unknown type>"],
  ])("autoscaler with %s", (_, fields, targets) => {
    expect(cells("autoscaling/v1/horizontalpodautoscalers", fields)).toEqual([
      "x",
      "Deployment/web",
      targets,
      "2",
      9,
      3,
      age,
    ]);
  });

  test("disruption budgets", () => {
    const path = "policy/v1/poddisruptionbudgets";
    expect(cells(path, { spec: { minAvailable: "50%" }, status: { disruptionsAllowed: 1 } })).toEqual([
      "x",
      "50%",
      "N/A",
      1,
      age,
    ]);
    expect(cells(path, { spec: { maxUnavailable: 0 } })).toEqual(["x", "N/A", "0", 0, age]);
  });
});
