import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import { type Millis, timestamp } from "../object.ts";
import { withField } from "./fields.ts";

/** Kinds whose `/status` leaves metadata alone, as it does for every custom resource. */
const KEEPS_METADATA = new Set([
  "customresourcedefinitions.apiextensions.k8s.io",
  "flowschemas.flowcontrol.apiserver.k8s.io",
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
  "storageversions.internal.apiserver.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "volumeattachments.storage.k8s.io",
]);

/** Single metadata fields that `/status` leaves alone: old kubelets corrupt a pod's owner references. */
const KEEPS_FIELD: Readonly<Record<string, string>> = {
  pods: "ownerReferences",
  "deployments.apps": "labels",
};

/** What a request says about which object it means; it is checked, not stored. */
const SENT_METADATA = ["name", "namespace", "uid", "resourceVersion", "managedFields"] as const;

/** The stored object with the status that was sent, and the metadata, for kinds whose status may carry it along. */
export function statusUpdate(
  next: JsonObject,
  stored: JsonObject,
  kind: Kind,
  now: Millis | undefined,
): JsonObject {
  let prepared = withField(stored, "metadata", metadataAfter(next, stored, kind));
  for (const field of ["apiVersion", "kind"]) {
    prepared = withField(prepared, field, next[field] ?? stored[field]);
  }
  return withField(prepared, "status", statusAfter(next.status, stored.status, kind, now));
}

function metadataAfter(next: JsonObject, stored: JsonObject, kind: Kind): JsonObject {
  const sent = isJsonObject(next.metadata) ? next.metadata : {};
  const known = isJsonObject(stored.metadata) ? stored.metadata : {};
  if (kind.traits.custom || KEEPS_METADATA.has(kind.storedAs)) {
    return SENT_METADATA.reduce((metadata, field) => withField(metadata, field, sent[field]), known);
  }
  const field = KEEPS_FIELD[kind.storedAs];
  return field === undefined ? sent : withField(sent, field, known[field]);
}

function statusAfter(
  next: Json | undefined,
  stored: Json | undefined,
  kind: Kind,
  now: Millis | undefined,
): Json | undefined {
  if (!isJsonObject(next)) return next;
  if (kind.storedAs === "pods" && !next.qosClass) {
    // The class is fixed at creation; old kubelets drop it.
    return withField(next, "qosClass", isJsonObject(stored) ? stored.qosClass : undefined);
  }
  if (kind.storedAs === "certificatesigningrequests.certificates.k8s.io") {
    return signingStatus(next, stored, now);
  }
  return next;
}

/** Approval is not the signer's to give: upstream refuses a change of it here, we leave it as it was. */
function signingStatus(next: JsonObject, stored: Json | undefined, now: Millis | undefined): JsonObject {
  const approvals = conditionsOf(stored).filter(isApproval);
  const others = conditionsOf(next).filter((condition) => !isApproval(condition));
  return withConditions(next, [...approvals, ...others], stored, now);
}

/** An approval of a CertificateSigningRequest changes nothing but its conditions. */
export function approvalUpdate(next: JsonObject, stored: JsonObject, now: Millis | undefined): JsonObject {
  const status = isJsonObject(stored.status) ? stored.status : {};
  return {
    ...withField(next, "spec", stored.spec),
    status: withConditions(status, conditionsOf(next.status), stored.status, now),
  };
}

const isApproval = (condition: JsonObject) => condition.type === "Approved" || condition.type === "Denied";

function withConditions(
  status: JsonObject,
  conditions: readonly JsonObject[],
  stored: Json | undefined,
  now: Millis | undefined,
): JsonObject {
  const value = conditions.length === 0 ? undefined : stamped(conditions, conditionsOf(stored), now);
  return withField(status, "conditions", value);
}

function stamped(
  conditions: readonly JsonObject[],
  known: readonly JsonObject[],
  now: Millis | undefined,
): JsonObject[] {
  if (now === undefined) return [...conditions];
  return conditions.map((condition) => {
    const before = known.find(({ type }) => type === condition.type);
    const since = before?.status === condition.status ? before?.lastTransitionTime : undefined;
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? timestamp(now),
      lastTransitionTime: condition.lastTransitionTime ?? since ?? timestamp(now),
    };
  });
}

function conditionsOf(status: Json | undefined): JsonObject[] {
  const conditions = isJsonObject(status) ? status.conditions : undefined;
  return Array.isArray(conditions) ? conditions.filter(isJsonObject) : [];
}
