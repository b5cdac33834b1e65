import type { KubeObject } from "../../../objects/object.ts";
import { ageColumn, type Column, column, integerColumn, nameColumn } from "../column.ts";
import { countAt, hasAt, integerAt, listAt, scalarAt, textAt } from "../reading.ts";

/** How many metrics a cell spells out. */
const shown = 2;

/** Targets as `autoscaling/v2` lists them or, without a list, the CPU target of `autoscaling/v1`, 80% unless it is set. */
function targets(autoscaler: KubeObject): string {
  const metrics = listAt(autoscaler, "spec", "metrics");
  if (metrics.length === 0) {
    const target = integerAt(autoscaler, "spec", "targetCPUUtilizationPercentage") ?? 80;
    const current = integerAt(autoscaler, "status", "currentCPUUtilizationPercentage");
    return `${current === undefined ? "<unknown>" : `${current}%`}/${target}%`;
  }
  const current = listAt(autoscaler, "status", "currentMetrics");
  const texts = metrics.slice(0, shown).map((metric, i) => metricText(metric, current[i]));
  const more = metrics.length - shown;
  return more > 0 ? `${texts.join(", ")} + ${more} more...` : texts.join(", ");
}

/** `current/target` of one metric; upstream's `formatHPAMetrics`. */
function metricText(metric: unknown, status: unknown): string {
  const type = textAt(metric, "type");
  const field = metricFields[type];
  if (field === undefined) return "<unknown type>";
  const target = (value: string): string => scalarAt(metric, field, "target", value);
  const current = (value: string): string => scalarAt(status, field, "current", value) || "<unknown>";

  const average = type === "Pods" || hasAt(metric, field, "target", "averageValue");
  const utilization = type === "Resource" || type === "ContainerResource";
  if (average) {
    const mark = type === "External" || type === "Object" ? " (avg)" : "";
    return `${current("averageValue")}/${target("averageValue")}${mark}`;
  }
  if (!utilization) return `${current("value")}/${target("value")}`;
  const percent = (text: string, otherwise: string): string => (text === "" ? otherwise : `${text}%`);
  return `${percent(scalarAt(status, field, "current", "averageUtilization"), "<unknown>")}/${percent(target("averageUtilization"), "<auto>")}`;
}

const metricFields: Record<string, string | undefined> = {
  External: "external",
  Pods: "pods",
  Object: "object",
  Resource: "resource",
  ContainerResource: "containerResource",
};

export const autoscalingColumns: Record<string, readonly Column[]> = {
  "horizontalpodautoscalers.autoscaling": [
    nameColumn,
    column("Reference", "What is scaled.", (object) => {
      const kind = textAt(object, "spec", "scaleTargetRef", "kind");
      return `${kind}/${textAt(object, "spec", "scaleTargetRef", "name")}`;
    }),
    column("Targets", "Current and wanted value of each metric.", targets),
    column(
      "MinPods",
      "Least number of pods.",
      (object) => scalarAt(object, "spec", "minReplicas") || "<unset>",
    ),
    column("MaxPods", "Greatest number of pods.", (object) => countAt(object, "spec", "maxReplicas")),
    column("Replicas", "Current number of pods.", (object) => countAt(object, "status", "currentReplicas")),
    ageColumn,
  ],
  "poddisruptionbudgets.policy": [
    nameColumn,
    column(
      "Min Available",
      "The minimum number of pods that must be available.",
      (object) => scalarAt(object, "spec", "minAvailable") || "N/A",
    ),
    column(
      "Max Unavailable",
      "The maximum number of pods that may be unavailable.",
      (object) => scalarAt(object, "spec", "maxUnavailable") || "N/A",
    ),
    integerColumn(
      "Allowed Disruptions",
      "Calculated number of pods that may be disrupted at this time.",
      (object) => countAt(object, "status", "disruptionsAllowed"),
    ),
    ageColumn,
  ],
};
