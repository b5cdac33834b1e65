import type { Json, JsonObject } from "./json.ts";

/** An object's identity. A uid, once gone, never returns, so "absent" is for ever. */
export type Uid = string & { readonly __brand: "Uid" };

/** `configmaps`, `replicasets.apps`: the plural, and the group unless it is the core group. */
export type GroupResource = string & { readonly __brand: "GroupResource" };

/** RFC 3339 in UTC with second precision, as the API prints times: `2026-11-20T16:20:03Z`. */
export type Timestamp = string & { readonly __brand: "Timestamp" };

/** Milliseconds since 1970, what the clock says. */
export type Millis = number;

export const asUid = (text: string): Uid => text as Uid;

export function groupResource(group: string, resource: string): GroupResource {
  return (group === "" ? resource : `${resource}.${group}`) as GroupResource;
}

export function timestamp(now: Millis): Timestamp {
  return `${new Date(now).toISOString().slice(0, 19)}Z` as Timestamp;
}

/** The only record of ownership: the dependent names its owner, the owner holds nothing. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  name: string;
  generateName?: string;
  namespace?: string;
  uid: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: Json[];
}

/**
 * An object that passed decoding and validation. Everything outside the metadata has the types of its kind and is data to
 * us beyond that; a rule that reads more (a Pod's grace, a Namespace's phase) says so by its name.
 */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** The same value seen as plain JSON, for patches and comparisons. */
export const asJson = (object: KubeObject): JsonObject => object as unknown as JsonObject;
/** The other way round; the caller has checked that `metadata` has its shape. */
export const asObject = (json: JsonObject): KubeObject => json as unknown as KubeObject;
