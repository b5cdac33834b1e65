import type { Kind } from "../kind.ts";
import type { GroupResource, KubeObject } from "../object.ts";
import { valueAt } from "./field-path.ts";

/** How a field's value reads as text. */
export type FieldReader = (object: KubeObject) => string;

export interface FieldRules {
  /** Canonical names a request may use. */
  readonly accepted: ReadonlySet<string>;
  /** Other spellings, to the canonical name. */
  readonly aliases: ReadonlyMap<string, string>;
  /** An accepted field without a reader always reads as the empty text. */
  readonly read: ReadonlyMap<string, FieldReader>;
  /** The refusal of a field that the kind does not know. */
  readonly unknown: (field: string) => string;
}

/**
 * The fields a kind can be selected by: upstream's field label conversion functions (`pkg/apis/…/conversion.go`) and what
 * each registry strategy makes selectable. Kinds without an entry know only their name and namespace.
 *
 * One field more than upstream: `status.replicas` of ReplicaSets, which the documentation lists and `apps/v1` refuses.
 */
export function fieldRules(kind: Kind): FieldRules {
  if (kind.traits.custom) return kind.namespaced ? customNamespaced : customClusterScoped;
  return (kind.group === "events.k8s.io" ? eventsGroup : byResource.get(kind.storedAs)) ?? metadataOnly;
}

const string =
  (...path: string[]): FieldReader =>
  (object) => {
    const value = valueAt(object, ...path);
    return typeof value === "string" ? value : "";
  };

const boolean =
  (...path: string[]): FieldReader =>
  (object) =>
    String(valueAt(object, ...path) === true);

const integer =
  (...path: string[]): FieldReader =>
  (object) => {
    const value = valueAt(object, ...path);
    return typeof value === "number" ? String(Math.trunc(value)) : "0";
  };

const unsupported = (field: string): string => `field label not supported: ${field}`;

function rules(
  scope: "namespaced" | "cluster",
  fields: Record<string, FieldReader | undefined>,
  also: { aliases?: Record<string, string>; unknown?: (field: string) => string } = {},
): FieldRules {
  const all: Record<string, FieldReader | undefined> = {
    "metadata.name": string("metadata", "name"),
    ...fields,
  };
  if (scope === "namespaced") all["metadata.namespace"] = string("metadata", "namespace");
  const read = new Map<string, FieldReader>();
  for (const [field, reader] of Object.entries(all)) if (reader !== undefined) read.set(field, reader);
  return {
    accepted: new Set(Object.keys(all)),
    aliases: new Map(Object.entries(also.aliases ?? {})),
    read,
    unknown: also.unknown ?? unsupported,
  };
}

/** Reads the first path that holds something: an Event may be kept in the words of either of its two API groups. */
const firstOf =
  (...readers: FieldReader[]): FieldReader =>
  (object) => {
    for (const reader of readers) {
      const value = reader(object);
      if (value !== "") return value;
    }
    return "";
  };

const involved = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
const reporting = firstOf(string("reportingComponent"), string("reportingController"));

const eventFields: Record<string, FieldReader> = {
  ...Object.fromEntries(
    involved.map((field) => [
      `involvedObject.${field}`,
      firstOf(string("involvedObject", field), string("regarding", field)),
    ]),
  ),
  reason: string("reason"),
  reportingComponent: reporting,
  source: firstOf(string("source", "component"), string("deprecatedSource", "component"), reporting),
  type: string("type"),
};

/** `events.k8s.io` takes its own spellings; the core ones are taken too, so that one selector serves both groups. */
const eventsGroup = rules("namespaced", eventFields, {
  aliases: {
    ...Object.fromEntries(involved.map((field) => [`regarding.${field}`, `involvedObject.${field}`])),
    reportingController: "reportingComponent",
  },
});

const customNamespaced = rules("namespaced", {});
const customClusterScoped = rules("cluster", {});

const metadataOnly = rules(
  "namespaced",
  {},
  {
    unknown: (field) =>
      `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  },
);

const byResource = new Map<GroupResource, FieldRules>(
  Object.entries({
    pods: rules(
      "namespaced",
      {
        "spec.nodeName": string("spec", "nodeName"),
        "spec.restartPolicy": string("spec", "restartPolicy"),
        "spec.schedulerName": string("spec", "schedulerName"),
        "spec.serviceAccountName": string("spec", "serviceAccountName"),
        "spec.hostNetwork": boolean("spec", "hostNetwork"),
        "status.phase": string("status", "phase"),
        "status.podIP": string("status", "podIP"),
        "status.podIPs": undefined,
        "status.nominatedNodeName": string("status", "nominatedNodeName"),
      },
      { aliases: { "spec.host": "spec.nodeName" } },
    ),
    events: rules("namespaced", eventFields),
    secrets: rules("namespaced", { type: string("type") }),
    services: rules("namespaced", {
      "spec.clusterIP": string("spec", "clusterIP"),
      "spec.type": string("spec", "type"),
    }),
    namespaces: rules("cluster", { "status.phase": string("status", "phase") }),
    nodes: rules("cluster", { "spec.unschedulable": boolean("spec", "unschedulable") }),
    replicationcontrollers: rules("namespaced", { "status.replicas": integer("status", "replicas") }),
    "replicasets.apps": rules(
      "namespaced",
      { "status.replicas": integer("status", "replicas") },
      { unknown: metadataOnly.unknown },
    ),
    "jobs.batch": rules(
      "namespaced",
      { "status.successful": integer("status", "succeeded") },
      { unknown: (field) => `field label ${JSON.stringify(field)} not supported for Job` },
    ),
    "certificatesigningrequests.certificates.k8s.io": rules("cluster", {
      "spec.signerName": string("spec", "signerName"),
    }),
    "nodeimages.gc.kubegc.dev": rules("cluster", {
      node: string("spec", "node"),
      state: string("status", "state"),
      keptBecause: string("status", "keptBecause"),
    }),
    "deletionstatuses.gc.kubegc.dev": rules("cluster", {
      kind: string("spec", "target", "kind"),
      namespace: string("spec", "target", "namespace"),
      name: string("spec", "target", "name"),
      root: string("status", "root"),
    }),
    "deletionrecords.gc.kubegc.dev": rules("cluster", {
      root: string("spec", "root"),
      cause: string("spec", "cause"),
      rule: string("spec", "rule"),
      actor: string("spec", "actor"),
      kind: string("spec", "target", "kind"),
      namespace: string("spec", "target", "namespace"),
      name: string("spec", "target", "name"),
      phase: string("status", "phase"),
    }),
  }) as [GroupResource, FieldRules][],
);
