import type { KubeObject } from "../../../objects/object.ts";
import {
  ageColumn,
  booleanColumn,
  type Column,
  column,
  createdAtColumn,
  integerColumn,
  nameColumn,
  wideColumn,
} from "../column.ts";
import {
  booleanAt,
  conditionStatus,
  countAt,
  entriesAt,
  integerAt,
  listAt,
  scalarAt,
  textAt,
} from "../reading.ts";

function nodeStatus(node: KubeObject): string {
  const ready = conditionStatus(node, "Ready");
  const status = ready === undefined ? "Unknown" : ready === "True" ? "Ready" : "NotReady";
  return booleanAt(node, "spec", "unschedulable") === true ? `${status},SchedulingDisabled` : status;
}

/** From labels `node-role.kubernetes.io/<role>` and `kubernetes.io/role=<role>`. */
function nodeRoles(node: KubeObject): string {
  const prefix = "node-role.kubernetes.io/";
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(prefix)) roles.add(key.slice(prefix.length));
    else if (key === "kubernetes.io/role") roles.add(value);
  }
  roles.delete("");
  return [...roles].sort().join(",") || "<none>";
}

const nodeAddress = (type: string) => (node: KubeObject) => {
  const address = listAt(node, "status", "addresses").find((item) => textAt(item, "type") === type);
  return address === undefined ? "<none>" : textAt(address, "address");
};

const nodeInfo = (field: string) => (node: KubeObject) =>
  textAt(node, "status", "nodeInfo", field) || "<unknown>";

/** The first three, `server=version` each, and how many more there are. */
function storageVersions(object: KubeObject): string {
  const all = listAt(object, "status", "storageVersions");
  const shown = all
    .slice(0, 3)
    .map((server) => `${textAt(server, "apiServerID")}=${textAt(server, "encodingVersion")}`)
    .join(",");
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}

/** `pods: 1/10, requests.cpu: 200m/1`, either of the limits or of all else. */
const quota = (kind: "limits" | "requests") => (object: KubeObject) =>
  entriesAt(object, "status", "hard")
    .map(([resource]) => resource)
    .filter((resource) => resource.startsWith("limits.") === (kind === "limits"))
    .sort()
    .map((resource) => {
      const used = scalarAt(object, "status", "used", resource) || "0";
      return `${resource}: ${used}/${scalarAt(object, "status", "hard", resource)}`;
    })
    .join(", ");

const health = (read: (condition: unknown) => string, otherwise: string) => (object: KubeObject) => {
  const condition = listAt(object, "conditions").find((item) => textAt(item, "type") === "Healthy");
  return condition === undefined ? otherwise : read(condition);
};

const limited =
  (...path: string[]) =>
  (object: KubeObject) =>
    integerAt(object, "spec", "limited", ...path) ?? "<none>";

const webhooks = [
  nameColumn,
  integerColumn(
    "Webhooks",
    "Number of webhooks registered in this configuration.",
    (object) => listAt(object, "webhooks").length,
  ),
  ageColumn,
];

export const clusterColumns: Record<string, readonly Column[]> = {
  namespaces: [
    nameColumn,
    column("Status", "The status of the namespace.", (object) => textAt(object, "status", "phase")),
    ageColumn,
  ],
  nodes: [
    nameColumn,
    column("Status", "The status of the node.", nodeStatus),
    column("Roles", "The roles of the node.", nodeRoles),
    ageColumn,
    column("Version", "Version of the kubelet.", (node) =>
      textAt(node, "status", "nodeInfo", "kubeletVersion"),
    ),
    wideColumn("Internal-IP", "First internal address of the node.", nodeAddress("InternalIP")),
    wideColumn("External-IP", "First external address of the node.", nodeAddress("ExternalIP")),
    wideColumn("OS-Image", "Operating system of the node.", nodeInfo("osImage")),
    wideColumn("Kernel-Version", "Kernel of the node.", nodeInfo("kernelVersion")),
    wideColumn("Container-Runtime", "Container runtime of the node.", nodeInfo("containerRuntimeVersion")),
  ],
  componentstatuses: [
    nameColumn,
    column(
      "Status",
      "Status of the component conditions.",
      health((condition) => (textAt(condition, "status") === "True" ? "Healthy" : "Unhealthy"), "Unknown"),
    ),
    column(
      "Message",
      "Message of the component conditions.",
      health((item) => textAt(item, "message"), ""),
    ),
    column(
      "Error",
      "Error of the component conditions.",
      health((item) => textAt(item, "error"), ""),
    ),
  ],
  limitranges: [nameColumn, createdAtColumn],
  resourcequotas: [
    nameColumn,
    ageColumn,
    column("Request", "What is used of each request or count, and its limit.", quota("requests")),
    column("Limit", "What is used of each limit, and how far it goes.", quota("limits")),
  ],
  "customresourcedefinitions.apiextensions.k8s.io": [nameColumn, createdAtColumn],
  "leases.coordination.k8s.io": [
    nameColumn,
    column("Holder", "Who holds the lease.", (object) => textAt(object, "spec", "holderIdentity")),
    ageColumn,
  ],
  "leasecandidates.coordination.k8s.io": [
    nameColumn,
    column("LeaseName", "The lease it is a candidate for.", (item) => textAt(item, "spec", "leaseName")),
    column("BinaryVersion", "Its version.", (item) => textAt(item, "spec", "binaryVersion")),
    column("EmulationVersion", "The version it acts as.", (item) => textAt(item, "spec", "emulationVersion")),
    column("Strategy", "How a leader is chosen.", (item) => textAt(item, "spec", "strategy")),
    ageColumn,
  ],
  "storageversions.internal.apiserver.k8s.io": [
    nameColumn,
    column(
      "CommonEncodingVersion",
      "The version in which all API servers store.",
      (object) => textAt(object, "status", "commonEncodingVersion") || "<unset>",
    ),
    column("StorageVersions", "The version in which each API server stores.", storageVersions),
    ageColumn,
  ],
  "priorityclasses.scheduling.k8s.io": [
    nameColumn,
    integerColumn("Value", "The priority of pods of this class.", (object) => countAt(object, "value")),
    booleanColumn(
      "Global-Default",
      "Whether pods without a class have this one.",
      (object) => booleanAt(object, "globalDefault") ?? false,
    ),
    ageColumn,
  ],
  "runtimeclasses.node.k8s.io": [
    nameColumn,
    column("Handler", "The runtime's configuration.", (object) => textAt(object, "handler")),
    ageColumn,
  ],
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": webhooks,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": webhooks,
  "flowschemas.flowcontrol.apiserver.k8s.io": [
    nameColumn,
    column("PriorityLevel", "The priority level of matching requests.", (object) =>
      textAt(object, "spec", "priorityLevelConfiguration", "name"),
    ),
    column("MatchingPrecedence", "Lower is tried first.", (object) =>
      countAt(object, "spec", "matchingPrecedence"),
    ),
    column(
      "DistinguisherMethod",
      "How requests are told apart.",
      (object) => textAt(object, "spec", "distinguisherMethod", "type") || "<none>",
    ),
    ageColumn,
    column(
      "MissingPL",
      "Whether the priority level does not exist.",
      (object) => conditionStatus(object, "Dangling") ?? "?",
    ),
  ],
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": [
    nameColumn,
    column("Type", "Whether requests are limited.", (object) => textAt(object, "spec", "type")),
    column(
      "AssuredConcurrencyShares",
      "Share of the server's concurrency.",
      limited("assuredConcurrencyShares"),
    ),
    column("Queues", "Number of queues.", limited("limitResponse", "queuing", "queues")),
    column("HandSize", "Queues a flow is dealt.", limited("limitResponse", "queuing", "handSize")),
    column(
      "QueueLengthLimit",
      "Requests that may wait.",
      limited("limitResponse", "queuing", "queueLengthLimit"),
    ),
    ageColumn,
  ],
};
