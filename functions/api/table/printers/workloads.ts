import type { KubeObject, Millis } from "../../../objects/object.ts";
import {
  ageColumn,
  booleanColumn,
  type Column,
  column,
  integerColumn,
  nameColumn,
  wideColumn,
} from "../column.ts";
import { humanDuration, parseTime, timeSince } from "../human-duration.ts";
import { booleanAt, countAt, integerAt, listAt, textAt } from "../reading.ts";
import { deploymentSelectorText, labelSelectorText, labelsText } from "../selector-text.ts";
import { podColumns } from "./pods.ts";

const containerTexts =
  (field: "name" | "image", ...template: string[]) =>
  (object: KubeObject) =>
    listAt(object, ...template, "spec", "containers")
      .map((container) => textAt(container, field))
      .join(",");

const containersColumn = (...template: string[]): Column =>
  wideColumn("Containers", "Names of each container in the template.", containerTexts("name", ...template));

const imagesColumn = (...template: string[]): Column =>
  wideColumn(
    "Images",
    "Images referenced by each container in the template.",
    containerTexts("image", ...template),
  );

const selectorColumn = (...path: string[]): Column =>
  wideColumn("Selector", "Which pods belong to the object.", (object) => labelSelectorText(object, ...path));

const desiredReplicas = (object: KubeObject): number => countAt(object, "spec", "replicas");

const status = (field: string) => (object: KubeObject) => countAt(object, "status", field);

const readyOfDesired = column(
  "Ready",
  "Number of ready pods, of those desired.",
  (object) => `${countAt(object, "status", "readyReplicas")}/${desiredReplicas(object)}`,
);

const replicaColumns: readonly Column[] = [
  nameColumn,
  integerColumn("Desired", "Number of desired pods.", desiredReplicas),
  integerColumn("Current", "Number of pods that exist.", status("replicas")),
  integerColumn("Ready", "Number of ready pods.", status("readyReplicas")),
  ageColumn,
  containersColumn("spec", "template"),
  imagesColumn("spec", "template"),
];

/** `2/3`; `1/1 of 4` when the number of completions is left to the pods. */
function completions(job: KubeObject): string {
  const succeeded = countAt(job, "status", "succeeded");
  const wanted = integerAt(job, "spec", "completions");
  const parallelism = countAt(job, "spec", "parallelism");
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function duration(job: KubeObject, now: Millis): string {
  const start = parseTime(textAt(job, "status", "startTime"));
  if (start === undefined) return "";
  return humanDuration((parseTime(textAt(job, "status", "completionTime")) ?? now) - start);
}

/** `<kind>[.<group>]/<name>` of the managing owner. */
function controllerName(object: KubeObject): string {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined) return "<none>";
  const [group, version] = owner.apiVersion.split("/");
  const kind = version === undefined ? owner.kind : `${owner.kind}.${group}`;
  return `${kind.toLowerCase()}/${owner.name}`;
}

export const workloadColumns: Record<string, readonly Column[]> = {
  pods: podColumns,
  podtemplates: [
    nameColumn,
    column("Containers", "Names of each container in the template.", containerTexts("name", "template")),
    column(
      "Images",
      "Images referenced by each container in the template.",
      containerTexts("image", "template"),
    ),
    column("Pod Labels", "The labels for the pod template.", (object) =>
      labelsText(object, "template", "metadata", "labels"),
    ),
  ],
  replicationcontrollers: [
    ...replicaColumns,
    wideColumn("Selector", "Which pods belong to the object.", (object) =>
      labelsText(object, "spec", "selector"),
    ),
  ],
  "replicasets.apps": [...replicaColumns, selectorColumn("spec", "selector")],
  "deployments.apps": [
    nameColumn,
    readyOfDesired,
    column("Up-to-date", "Number of pods with the newest template.", status("updatedReplicas")),
    column("Available", "Number of pods ready for long enough.", status("availableReplicas")),
    ageColumn,
    containersColumn("spec", "template"),
    imagesColumn("spec", "template"),
    wideColumn("Selector", "Which pods belong to the object.", (object) =>
      deploymentSelectorText(object, "spec", "selector"),
    ),
  ],
  "statefulsets.apps": [
    nameColumn,
    readyOfDesired,
    ageColumn,
    containersColumn("spec", "template"),
    imagesColumn("spec", "template"),
  ],
  "daemonsets.apps": [
    nameColumn,
    integerColumn("Desired", "Number of nodes that should run the pod.", status("desiredNumberScheduled")),
    integerColumn("Current", "Number of nodes that run the pod.", status("currentNumberScheduled")),
    integerColumn("Ready", "Number of nodes where the pod is ready.", status("numberReady")),
    integerColumn(
      "Up-to-date",
      "Number of nodes with the newest template.",
      status("updatedNumberScheduled"),
    ),
    integerColumn("Available", "Number of nodes where the pod is available.", status("numberAvailable")),
    column("Node Selector", "Which nodes run the pod.", (object) =>
      labelsText(object, "spec", "template", "spec", "nodeSelector"),
    ),
    ageColumn,
    containersColumn("spec", "template"),
    imagesColumn("spec", "template"),
    selectorColumn("spec", "selector"),
  ],
  "controllerrevisions.apps": [
    nameColumn,
    column("Controller", "Controller of the object.", controllerName),
    column("Revision", "Revision of the state kept here.", (object) => countAt(object, "revision")),
    ageColumn,
  ],
  "jobs.batch": [
    nameColumn,
    column("Completions", "Number of pods that succeeded, of those wanted.", completions),
    column("Duration", "Time required to complete the job.", duration),
    ageColumn,
    containersColumn("spec", "template"),
    imagesColumn("spec", "template"),
    selectorColumn("spec", "selector"),
  ],
  "cronjobs.batch": [
    nameColumn,
    column("Schedule", "The schedule in Cron format.", (object) => textAt(object, "spec", "schedule")),
    booleanColumn("Suspend", "Whether further runs are held back.", (object) => {
      const suspended = booleanAt(object, "spec", "suspend");
      return suspended === undefined ? "<unset>" : suspended ? "True" : "False";
    }),
    integerColumn("Active", "Number of running jobs.", (object) => listAt(object, "status", "active").length),
    column("Last Schedule", "Time since the last run was due.", (object, now) => {
      const last = textAt(object, "status", "lastScheduleTime");
      return last === "" ? "<none>" : timeSince(last, now);
    }),
    ageColumn,
    containersColumn("spec", "jobTemplate", "spec", "template"),
    imagesColumn("spec", "jobTemplate", "spec", "template"),
    selectorColumn("spec", "jobTemplate", "spec", "selector"),
  ],
};
