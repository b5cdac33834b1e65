import { isJsonObject } from "../../objects/json.ts";
import { apiVersion, type Kind } from "../../objects/kind.ts";
import { customKind } from "../../objects/kinds/custom-resource.ts";
import { type KindRegistry, kindRegistry } from "../../objects/kinds/registry.ts";
import type { DeleteOptions } from "../../objects/metadata/delete-options.ts";
import {
  type GroupResource,
  type KubeObject,
  type ObjectMeta,
  type OwnerReference,
  timestamp,
} from "../../objects/object.ts";
import { type DeleteDecision, decideDelete } from "./delete.ts";

/** 2026-11-20T16:20:03Z */
export const NOW = Date.UTC(2026, 10, 20, 16, 20, 3);
export const EARLIER = timestamp(NOW - 60_000);

/** One namespaced and one cluster-scoped custom kind, as definitions give them. */
export const WIDGET = customKind(definition("Widget", "widgets", "Namespaced"));
export const PLANET = customKind(definition("Planet", "planets", "Cluster"));

export const kinds: KindRegistry = kindRegistry([WIDGET, PLANET]);

export function definition(kind: string, plural: string, scope: "Namespaced" | "Cluster") {
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  };
}

/** `configmaps`, `jobs.batch`. */
export function kindOf(storedAs: string): Kind {
  const kind = kinds.byStore(storedAs as GroupResource);
  if (kind === undefined) throw new Error(`no kind is stored as ${storedAs}`);
  return kind;
}

export interface Fields {
  metadata?: Partial<ObjectMeta>;
  [field: string]: unknown;
}

/** A stored object named `x` with uid `uid-x` and resourceVersion 7, in namespace `team` when it has one. */
export function stored(kind: Kind, { metadata = {}, ...fields }: Fields = {}): KubeObject {
  const name = metadata.name ?? "x";
  return {
    apiVersion: apiVersion(kind.group, kind.versions[0] ?? "v1"),
    kind: kind.kind,
    metadata: {
      name,
      ...(kind.namespaced ? { namespace: "team" } : {}),
      uid: `uid-${name}`,
      resourceVersion: "7",
      creationTimestamp: EARLIER,
      ...metadata,
    },
    ...fields,
  };
}

/** A reference to an object of that kind, named and numbered as `stored` does. */
export function refersTo(kind: Kind, name: string, more: Partial<OwnerReference> = {}): OwnerReference {
  return {
    apiVersion: apiVersion(kind.group, kind.versions[0] ?? "v1"),
    kind: kind.kind,
    name,
    uid: `uid-${name}`,
    ...more,
  };
}

/** The metadata without what every object has. */
export function told({ metadata }: KubeObject) {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers, generation, ownerReferences } = metadata;
  return Object.fromEntries(
    Object.entries({
      deletionTimestamp,
      deletionGracePeriodSeconds,
      finalizers,
      generation,
      ownerReferences,
    }).filter(([, value]) => value !== undefined),
  );
}

export const phaseOf = (object: KubeObject) =>
  isJsonObject(object.status) ? object.status.phase : undefined;

/** Decides a DELETE that nothing stands against. */
export function deletion(
  object: KubeObject,
  options: Partial<DeleteOptions> = {},
  kind: Kind = kindOf("configmaps"),
): DeleteDecision {
  const version = kind.versions[0] ?? "v1";
  const decided = decideDelete(object, { dryRun: false, ...options }, { kind, version, now: NOW });
  if (!decided.ok) throw new Error(JSON.stringify(decided.failure));
  return decided.value;
}

/** What a DELETE comes to: `gone`, `pending`, or what the metadata then says. */
export function outcome(decision: DeleteDecision) {
  switch (decision.outcome) {
    case "remove":
      return "gone";
    case "pending":
      return "pending";
    case "keep":
      return told(decision.next);
  }
}
