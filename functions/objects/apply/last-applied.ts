import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { byteLength } from "../metadata/names.ts";
import type { Conflict } from "./conflicts.ts";
import { difference, hasPath } from "./field-set.ts";
import type { ObjectShape } from "./field-shape.ts";
import { differences, fieldsOf } from "./value-fields.ts";

/** Where `kubectl apply`, when it merges by itself, keeps what it applied. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
/** The name under which kubectl applies on the server. */
const KUBECTL = "kubectl";
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/**
 * Whether conflicts stand in the way of nobody: kubectl itself applied these fields before, on the client, and they still
 * have the value it gave them.
 *
 * Source: k8s.io/apimachinery `util/managedfields/internal/lastappliedmanager.go`.
 */
export function unforgiven(
  conflicts: readonly Conflict[],
  live: JsonObject,
  manager: string,
  shape: ObjectShape,
): readonly Conflict[] {
  const text = manager === KUBECTL ? annotationsOf(live)[LAST_APPLIED] : undefined;
  const last = typeof text === "string" ? parsed(text) : undefined;
  if (last === undefined || last.apiVersion !== live.apiVersion) return conflicts;
  const { added, modified, removed } = differences(last, live, shape);
  const same = difference(difference(difference(fieldsOf(last, shape), modified), added), removed);
  return conflicts.filter(({ path }) => !hasPath(same, path));
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps the annotation in step when kubectl applies on the server, so that it can go back to merging by itself.
 * Source: k8s.io/apimachinery `util/managedfields/internal/lastappliedupdater.go`.
 */
export function withLastApplied(object: JsonObject, config: JsonObject, manager: string): JsonObject {
  const annotations = annotationsOf(object);
  if (manager !== KUBECTL || !annotations[LAST_APPLIED]) return object;
  const { [LAST_APPLIED]: _, ...others } = annotations;
  const next = { ...others, [LAST_APPLIED]: `${sortedJson(withoutLastApplied(config))}\n` };
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  return { ...object, metadata: { ...metadata, annotations: fits(next) ? next : others } };
}

function withoutLastApplied(config: JsonObject): JsonObject {
  const { metadata } = config;
  if (!isJsonObject(metadata) || !isJsonObject(metadata.annotations)) return config;
  const { [LAST_APPLIED]: _, ...annotations } = metadata.annotations;
  return { ...config, metadata: { ...metadata, annotations } };
}

function fits(annotations: JsonObject): boolean {
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + byteLength(key) + byteLength(String(value)),
    0,
  );
  return bytes <= MAX_ANNOTATIONS_BYTES;
}

function annotationsOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) && isJsonObject(metadata.annotations) ? metadata.annotations : {};
}

/** As Go prints a map: fields by name. */
function sortedJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, item]) => `${JSON.stringify(name)}:${sortedJson(item)}`).join(",")}}`;
}
