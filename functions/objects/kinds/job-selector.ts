import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { withAbsent } from "./fields.ts";

const NAME_LABELS = ["batch.kubernetes.io/job-name", "job-name"];
const UID_LABEL = "batch.kubernetes.io/controller-uid";
const UID_LABELS = [UID_LABEL, "controller-uid"];

/**
 * A new Job selects the pods that are made for it, and only those: by its uid, unless its author does it
 * (`manualSelector`). A Job's controller makes no pods without these labels.
 *
 * Source: `generateSelector` in upstream's `pkg/registry/batch/job/strategy.go`.
 */
export function withJobSelector(job: JsonObject): JsonObject {
  const { spec, metadata } = job;
  if (!isJsonObject(spec) || spec.manualSelector === true || !isJsonObject(metadata)) return job;
  const { name = "", uid = "" } = metadata;
  const template = objectOrEmpty(spec.template);
  const about = objectOrEmpty(template.metadata);
  const labels = withAbsent(objectOrEmpty(about.labels), {
    ...Object.fromEntries(NAME_LABELS.map((label) => [label, name])),
    ...Object.fromEntries(UID_LABELS.map((label) => [label, uid])),
  });
  const selector = objectOrEmpty(spec.selector);
  const matchLabels = withAbsent(objectOrEmpty(selector.matchLabels), { [UID_LABEL]: uid });
  return {
    ...job,
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...about, labels } },
    },
  };
}

const objectOrEmpty = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
