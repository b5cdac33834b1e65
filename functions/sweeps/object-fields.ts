/**
 * What the rules read of a body. Bodies are data that nobody but their author has checked below `metadata`, so each of
 * these takes anything and gives nothing where the field is not what it should be.
 */
import { readTime } from "../objects/decode/time.ts";
import { isJsonObject, type JsonObject } from "../objects/json.ts";
import type { KubeObject, Millis, OwnerReference } from "../objects/object.ts";

const NOTHING: JsonObject = {};

export const fieldsOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : NOTHING);
export const specOf = (object: KubeObject): JsonObject => fieldsOf(object.spec);
export const statusOf = (object: KubeObject): JsonObject => fieldsOf(object.status);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The members that are objects. */
export const membersOf = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

export const conditionsOf = (object: KubeObject): JsonObject[] => membersOf(statusOf(object).conditions);

/** An RFC 3339 time, cut to milliseconds; null when it is absent or not one. */
export function momentOf(value: unknown): Millis | null {
  return typeof value === "string" && "time" in readTime(value) ? Date.parse(value) : null;
}

/** A count of seconds, as a 32-bit field holds it; null when it is absent or not one. */
export function secondsOf(value: unknown): number | null {
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
  return isCount ? value : null;
}

export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

export const createdAt = ({ metadata }: KubeObject): Millis | null => momentOf(metadata.creationTimestamp);

/**
 * The moment to store for an object that a rule may act on at once: the order of the index is then the order of age.
 */
export const dueNow = (object: KubeObject): Millis => createdAt(object) ?? 0;

export const isTerminating = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

export const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find((reference) => reference.controller === true);

/** `Deployment.apps` of a controller reference to `apps/v1`, whatever the version. */
export function controllerKind(object: KubeObject): string | undefined {
  const controller = controllerOf(object);
  if (controller === undefined) return undefined;
  const group = controller.apiVersion.includes("/") ? controller.apiVersion.split("/")[0] : "";
  return group === "" ? controller.kind : `${controller.kind}.${group}`;
}

/** The earlier of two, where null is never. */
export function earlier(a: Millis | null, b: Millis | null): Millis | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

export function withStatus(object: KubeObject, fields: JsonObject): KubeObject {
  return { ...object, status: { ...statusOf(object), ...fields } };
}
