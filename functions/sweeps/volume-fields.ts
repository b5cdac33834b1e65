import type { KubeObject } from "../objects/object.ts";
import { fieldsOf, specOf, statusOf, textOf } from "./object-fields.ts";

/** The provisioner that made the volume; a volume without it was made by hand. */
const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
/** An external component has taken the volume over. */
const MIGRATED_TO = "pv.kubernetes.io/migrated-to";
/** The binder chose the claim; without it the user named it in advance. */
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";

export interface ClaimReference {
  namespace: string;
  name: string;
  /** Empty for a claim that the user named in advance and that nothing is bound to yet. */
  uid: string;
}

export function claimOf(volume: KubeObject): ClaimReference | undefined {
  const { claimRef } = specOf(volume);
  if (claimRef === undefined || claimRef === null) return undefined;
  const { namespace, name, uid } = fieldsOf(claimRef);
  return { namespace: textOf(namespace), name: textOf(name), uid: textOf(uid) };
}

export const volumePhase = (volume: KubeObject): string => textOf(statusOf(volume).phase);

/** Retain where it is not said, as for every volume made by hand. */
export const reclaimPolicyOf = (volume: KubeObject): string =>
  textOf(specOf(volume).persistentVolumeReclaimPolicy) || "Retain";

/** Empty for a volume made by hand. */
export const provisionerOf = ({ metadata }: KubeObject): string =>
  metadata.annotations?.[PROVISIONED_BY] ?? "";

export const isMigrated = ({ metadata }: KubeObject): boolean =>
  (metadata.annotations?.[MIGRATED_TO] ?? "") !== "";
