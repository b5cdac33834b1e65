import type { Kind } from "../objects/kind.ts";
import { apiVersion } from "../objects/kind.ts";
import { kindRegistry } from "../objects/kinds/registry.ts";
import {
  type GroupResource,
  type KubeObject,
  type Millis,
  type ObjectMeta,
  type OwnerReference,
  timestamp,
} from "../objects/object.ts";
import type { Decision, SweepName } from "./decision.ts";
import { readSettings, type SettingsOf, type SweepSettings } from "./settings.ts";

/** 2026-11-20T16:20:03Z, what the controllers' clock says unless a test moves it. */
export const T0: Millis = Date.UTC(2026, 10, 20, 16, 20, 3);
export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;
export const YEAR = 365 * DAY;

/** A time as the API prints it, so long before `T0`. */
export const ago = (millis: Millis): string => timestamp(T0 - millis);

export const kinds = kindRegistry([]);

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

/** A stored object with uid `uid-<name>`, created an hour ago, in namespace `team` when its kind has one. */
export function stored(
  storedAs: string,
  name: string,
  { metadata = {}, ...fields }: Fields = {},
): KubeObject {
  const kind = kindOf(storedAs);
  return {
    apiVersion: apiVersion(kind.group, kind.versions[0] ?? "v1"),
    kind: kind.kind,
    metadata: {
      name,
      ...(kind.namespaced ? { namespace: "team" } : {}),
      uid: `uid-${name}`,
      resourceVersion: "7",
      creationTimestamp: ago(HOUR),
      ...metadata,
    },
    ...fields,
  };
}

export function controlledBy(owner: KubeObject): { ownerReferences: OwnerReference[] } {
  const { apiVersion, kind, metadata } = owner;
  return {
    ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }],
  };
}

/** The default settings of a sweep with some of them as a manifest would have them. */
export function settingsOf<Name extends SweepName>(name: Name, manifest: object = {}): SettingsOf<Name> {
  return policy({ [name]: manifest }).sweeps[name];
}

export function policy(sweeps: object = {}, more: object = {}): SweepSettings {
  const reading = readSettings({ ...more, sweeps });
  if ("errors" in reading) throw new Error(JSON.stringify(reading.errors));
  return reading.settings;
}

export const OFF = { enabled: false };

/** What a decision comes to, in few words: `delete:<rule>`, `keep`, `keep until <ms from T0>`. */
export function gist(decision: Decision): string {
  switch (decision.act) {
    case "keep":
    case "skip":
      return decision.next === null ? decision.act : `${decision.act} until ${decision.next - T0}`;
    case "ask":
      return `ask:${decision.question.ask}`;
    case "patch":
      return "patch";
    case "delete":
    case "patch-then-delete":
      return `${decision.act}:${decision.deletion.rule}`;
  }
}
