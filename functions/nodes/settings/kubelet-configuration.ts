import { parseBody } from "../../objects/decode/body.ts";
import { type Duration, durationToMillis, printDuration } from "../../objects/duration.ts";
import { type FieldError, invalidValue } from "../../objects/failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../../objects/json.ts";
import type { Millis } from "../../objects/object.ts";
import { DEFAULT_EVICTION_HARD, readThresholds } from "./eviction.ts";
import { KUBELET_FIELDS } from "./kubelet-fields.ts";
import type { PolicyFields, Writable } from "./policy-fields.ts";
import { FieldReader } from "./value-readers.ts";

const API_VERSION = "kubelet.config.k8s.io/v1beta1";
const KIND = "KubeletConfiguration";

/** Source: kubelet `apis/config/v1beta1/defaults.go`. */
export const DEFAULT_HIGH_THRESHOLD = 85;
export const DEFAULT_LOW_THRESHOLD = 80;
export const DEFAULT_MINIMUM_AGE: Millis = 120_000;
export const DEFAULT_TRANSITION_PERIOD: Millis = 300_000;

/** Settings of garbage collection that are flags of the kubelet, or ours: people look for them here. */
const BESIDE: ReadonlySet<string> = new Set([
  ...["minAge", "maxPerPodContainer", "maxContainers", "highThresholdPercent", "lowThresholdPercent"],
  ...["highThresholdBytes", "lowThresholdBytes", "restartResetsAge", "keep", "protect", "registries"],
  ...["reportOnly", "imagePeriod", "containerPeriod"],
]);

const GATE = "ImageMaximumGCAge";

/**
 * Reads a `KubeletConfiguration` as people have it: an object, or its YAML or JSON as a string. With `complete`, what is
 * absent has its default when fields are compared, as when a kubelet starts with this document alone; without, only
 * fields that are both there are compared.
 *
 * Rules and messages are those of kubelet `apis/config/validation/validation.go`.
 */
export function readKubeletConfiguration(
  given: Json,
  path: string,
  complete: boolean,
  errors: FieldError[],
): PolicyFields {
  const document = documentOf(given, path, errors);
  if (document === undefined) return {};
  const reader = new FieldReader(document, path, errors);
  reader.onlyKnown(KUBELET_FIELDS, KIND, (name) => {
    const plain = name.slice(0, 1).toLowerCase() + name.slice(1);
    return BESIDE.has(plain) ? `; ${plain} stands beside kubeletConfiguration, in spec` : undefined;
  });
  for (const [name, value] of [["apiVersion", API_VERSION] as const, ["kind", KIND] as const]) {
    if (reader.has(name) && reader.value(name) !== value) reader.refuse(name, `must be ${value}`);
  }
  const fields: Writable<PolicyFields> = {};
  readPercents(reader, complete, fields);
  readAges(reader, complete, fields);
  readEviction(reader, fields);
  return fields;
}

function documentOf(given: Json, path: string, errors: FieldError[]): JsonObject | undefined {
  let value = given;
  if (typeof given === "string") {
    // JSON is YAML too, and this parser keeps the limits of request bodies.
    const parsed = parseBody(given, "application/yaml");
    if (!parsed.ok || "fault" in parsed.value) {
      const fault = parsed.ok && "fault" in parsed.value ? parsed.value.fault : "cannot be read";
      errors.push(invalidValue(path, `${given.slice(0, 40)}${given.length > 40 ? "…" : ""}`, fault));
      return undefined;
    }
    value = parsed.value.value;
    // An empty file is an empty configuration.
    if (value === null) return {};
  }
  if (isJsonObject(value)) return value;
  errors.push(
    invalidValue(
      path,
      JSON.stringify(value).slice(0, 100),
      `must be a ${KIND}, or its YAML or JSON as a string`,
    ),
  );
  return undefined;
}

const HIGH = "imageGCHighThresholdPercent";
const LOW = "imageGCLowThresholdPercent";

function readPercents(reader: FieldReader, complete: boolean, fields: Writable<PolicyFields>): void {
  const high = reader.integer(HIGH);
  const low = reader.integer(LOW);
  const before = reader.errors.length;
  const range = "must be between 0 and 100, inclusive";
  if (high !== undefined) {
    fields.highThresholdPercent = high;
    if (high < 0 || high > 100) reader.refuse(HIGH, `${HIGH} (--image-gc-high-threshold) ${high} ${range}`);
  }
  if (low !== undefined) {
    fields.lowThresholdPercent = low;
    if (low < 0 || low > 100) reader.refuse(LOW, `${LOW} (--image-gc-low-threshold) ${low} ${range}`);
  }
  if (reader.errors.length > before || (high === undefined && low === undefined)) return;
  const ceiling = high ?? (complete ? DEFAULT_HIGH_THRESHOLD : undefined);
  const floor = low ?? (complete ? DEFAULT_LOW_THRESHOLD : undefined);
  if (ceiling === undefined || floor === undefined || floor < ceiling) return;
  const detail = `${LOW} (--image-gc-low-threshold) ${floor} must be less than ${HIGH} (--image-gc-high-threshold) ${ceiling}`;
  reader.errors.push(invalidValue(`${reader.path}.${LOW}`, floor, detail));
}

function readAges(reader: FieldReader, complete: boolean, fields: Writable<PolicyFields>): void {
  const given = reader.duration("imageMinimumGCAge");
  const unset = given === undefined || given === 0n;
  // The defaulting of the file makes a zero the default too.
  const minimum = unset ? ((BigInt(DEFAULT_MINIMUM_AGE) * 1_000_000n) as Duration) : given;
  if (given !== undefined) fields.minimumAge = durationToMillis(minimum);
  const maximum = reader.duration("imageMaximumGCAge");
  const gates = readGates(reader);
  if (maximum === undefined) return;
  fields.maximumAge = durationToMillis(maximum);
  const field = "imageMaximumGCAge";
  if (maximum !== 0n && gates[GATE] === false)
    reader.refuse(field, `${GATE} feature gate is required for Kubelet configuration option ${field}`);
  if (maximum < 0n) reader.refuse(field, `${field} ${printDuration(maximum)} must not be negative`);
  if (maximum > 0n && maximum <= minimum && (complete || given !== undefined)) {
    const detail = `${field} ${printDuration(maximum)} must be greater than imageMinimumGCAge ${printDuration(minimum)}`;
    reader.refuse(field, detail);
  }
}

function readGates(reader: FieldReader): JsonObject {
  const gates = reader.object("featureGates") ?? {};
  for (const [name, value] of Object.entries(gates)) {
    if (typeof value === "boolean") continue;
    const path = `${reader.path}.featureGates[${name.slice(0, 100)}]`;
    reader.errors.push(invalidValue(path, JSON.stringify(value), "must be of type boolean"));
  }
  return gates;
}

function readEviction(reader: FieldReader, fields: Writable<PolicyFields>): void {
  const merge = reader.boolean("mergeDefaultEvictionSettings") ?? false;
  const hard = reader.value("evictionHard");
  if (hard !== undefined) {
    const named = readThresholds(hard, `${reader.path}.evictionHard`, "threshold", reader.errors);
    // A signal that is named as off stays off when the defaults are merged in.
    const names = isJsonObject(hard) ? Object.keys(hard) : [];
    const defaults = Object.entries(DEFAULT_EVICTION_HARD).filter(([signal]) => !names.includes(signal));
    fields.evictionHard = merge ? { ...Object.fromEntries(defaults), ...named } : named;
  }
  const reclaim = reader.value("evictionMinimumReclaim");
  if (reclaim !== undefined) {
    const path = `${reader.path}.evictionMinimumReclaim`;
    fields.minimumReclaim = readThresholds(reclaim, path, "minimum reclaim", reader.errors);
  }
  const name = "evictionPressureTransitionPeriod";
  const period = reader.duration(name);
  if (period === undefined) return;
  if (period < 0n) reader.refuse(name, "must not be negative");
  fields.pressureTransitionPeriod = period === 0n ? DEFAULT_TRANSITION_PERIOD : durationToMillis(period);
}
