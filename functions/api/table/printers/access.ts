import type { KubeObject } from "../../../objects/object.ts";
import { ageColumn, type Column, column, createdAtColumn, nameColumn, wideColumn } from "../column.ts";
import { booleanAt, listAt, textAt, textsAt } from "../reading.ts";

const subjects = (kind: string, name: (subject: unknown) => string) => (object: KubeObject) =>
  listAt(object, "subjects")
    .filter((subject) => textAt(subject, "kind") === kind)
    .map(name)
    .join(", ");

const subjectName = (subject: unknown): string => textAt(subject, "name");

const bindingColumns: readonly Column[] = [
  nameColumn,
  column(
    "Role",
    "The role that is granted.",
    (object) => `${textAt(object, "roleRef", "kind")}/${textAt(object, "roleRef", "name")}`,
  ),
  ageColumn,
  wideColumn("Users", "Users who have the role.", subjects("User", subjectName)),
  wideColumn("Groups", "Groups that have the role.", subjects("Group", subjectName)),
  wideColumn(
    "ServiceAccounts",
    "Service accounts that have the role.",
    subjects("ServiceAccount", (subject) => `${textAt(subject, "namespace")}/${textAt(subject, "name")}`),
  ),
];

function requestCondition(request: KubeObject): string {
  const types = listAt(request, "status", "conditions").map((condition) => textAt(condition, "type"));
  const parts = [types.includes("Denied") ? "Denied" : types.includes("Approved") ? "Approved" : "Pending"];
  if (types.includes("Failed")) parts.push("Failed");
  if (textAt(request, "status", "certificate") !== "") parts.push("Issued");
  return parts.join(",");
}

const rule = (field: string) => (object: KubeObject) => textAt(object, "spec", field, "rule");

/** ServiceAccounts, and what people and programs may do. */
export const accessColumns: Record<string, readonly Column[]> = {
  serviceaccounts: [
    nameColumn,
    column(
      "Secrets",
      "Number of secrets that pods of this account may use.",
      (object) => listAt(object, "secrets").length,
    ),
    ageColumn,
  ],
  "roles.rbac.authorization.k8s.io": [nameColumn, createdAtColumn],
  "clusterroles.rbac.authorization.k8s.io": [nameColumn, createdAtColumn],
  "rolebindings.rbac.authorization.k8s.io": bindingColumns,
  "clusterrolebindings.rbac.authorization.k8s.io": bindingColumns,
  "certificatesigningrequests.certificates.k8s.io": [
    nameColumn,
    ageColumn,
    column(
      "SignerName",
      "Who is asked to sign.",
      (object) => textAt(object, "spec", "signerName") || "<none>",
    ),
    column("Requestor", "Who asks.", (object) => textAt(object, "spec", "username")),
    column("Condition", "What became of the request.", requestCondition),
  ],
  "podsecuritypolicies.policy": [
    nameColumn,
    column("Priv", "Whether pods may be privileged.", (object) =>
      String(booleanAt(object, "spec", "privileged") ?? false),
    ),
    column("Caps", "Capabilities that may be added.", (object) =>
      textsAt(object, "spec", "allowedCapabilities").join(","),
    ),
    column("SELinux", "Which SELinux labels are allowed.", rule("seLinux")),
    column("RunAsUser", "Which users are allowed.", rule("runAsUser")),
    column("FsGroup", "Which file system groups are allowed.", rule("fsGroup")),
    column("SupGroup", "Which supplemental groups are allowed.", rule("supplementalGroups")),
    column("ReadOnlyRootFs", "Whether the root file system must be read-only.", (object) =>
      String(booleanAt(object, "spec", "readOnlyRootFilesystem") ?? false),
    ),
    column("Volumes", "Volumes that may be used.", (object) => textsAt(object, "spec", "volumes").join(",")),
  ],
};
