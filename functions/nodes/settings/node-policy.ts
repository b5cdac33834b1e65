import { readTime } from "../../objects/decode/time.ts";
import { durationToMillis } from "../../objects/duration.ts";
import { type FieldError, forbiddenValue, invalidValue, requiredValue } from "../../objects/failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../../objects/json.ts";
import type { Millis } from "../../objects/object.ts";
import type { LabelRequirement } from "../../objects/selectors/label-selector.ts";
import { minAgeFault, thresholdFault } from "./collection-policy.ts";
import {
  DEFAULT_HIGH_THRESHOLD,
  DEFAULT_LOW_THRESHOLD,
  readKubeletConfiguration,
} from "./kubelet-configuration.ts";
import { readNodeSelector } from "./node-selector.ts";
import type { PolicyFields, Writable } from "./policy-fields.ts";
import { readQuantity } from "./quantity.ts";
import type { ImagePattern } from "./settings.ts";
import { FieldReader } from "./value-readers.ts";

/** A `NodePolicy`, `gc.kubegc.dev/v1alpha1`, read. */
export interface NodePolicy {
  readonly name: string;
  /** Undefined: for all nodes, and before those that select. */
  readonly selector: readonly LabelRequirement[] | undefined;
  readonly fields: PolicyFields;
}

export type NodePolicyReading = { readonly policy: NodePolicy } | { readonly errors: readonly FieldError[] };

const SPEC_FIELDS: ReadonlySet<string> = new Set([
  ...["nodeSelector", "kubeletConfiguration", "highThresholdPercent", "lowThresholdPercent"],
  ...["highThresholdBytes", "lowThresholdBytes", "minAge", "maxPerPodContainer", "maxContainers"],
  ...["restartResetsAge", "keep", "protect", "registries", "reportOnly", "imagePeriod", "containerPeriod"],
]);

/** The kubelet's own names for these begin with a capital letter, and so they stand in its documentation. */
const POLICY_NAMES: readonly string[] = [
  ...["HighThresholdPercent", "LowThresholdPercent", "MinAge", "MaxPerPodContainer", "MaxContainers"],
];

const SHORTEST_PERIOD: Millis = 1_000;
const LONGEST_PERIOD: Millis = 86_400_000;
const LONGEST_PATTERN = 512;

/**
 * Reads the `spec` of a NodePolicy, and says everything that is wrong with it. Beside `kubeletConfiguration` stand what
 * upstream has only as flags, and what only this service has.
 */
export function readNodePolicy(name: string, spec: Json | undefined): NodePolicyReading {
  const errors: FieldError[] = [];
  const given = spec ?? {};
  if (!isJsonObject(given))
    return { errors: [invalidValue("spec", JSON.stringify(given), "must be of type object")] };
  const reader = new FieldReader(plainNames(given, errors), "spec", errors);
  reader.onlyKnown(SPEC_FIELDS, "a NodePolicy", () => undefined);
  const selector = readNodeSelector(reader);
  const complete = !reader.has("nodeSelector");
  const configuration = reader.value("kubeletConfiguration");
  const path = "spec.kubeletConfiguration";
  const fields: Writable<PolicyFields> =
    configuration === undefined ? {} : { ...readKubeletConfiguration(configuration, path, complete, errors) };
  readThresholds(reader, complete, fields);
  readContainerLimits(reader, fields);
  readImageGuards(reader, fields);
  readSwitches(reader, fields);
  return errors.length > 0 ? { errors } : { policy: { name, selector, fields } };
}

function plainNames(spec: JsonObject, errors: FieldError[]): JsonObject {
  const plain: JsonObject = {};
  for (const [name, value] of Object.entries(spec)) {
    const known = POLICY_NAMES.includes(name) ? name.slice(0, 1).toLowerCase() + name.slice(1) : name;
    if (known !== name && Object.hasOwn(spec, known)) {
      errors.push(forbiddenValue(`spec.${name}`, `is the same as ${known}, which is given too`));
    } else plain[known] = value;
  }
  return plain;
}

function readThresholds(reader: FieldReader, complete: boolean, fields: Writable<PolicyFields>): void {
  const given = (["highThresholdPercent", "lowThresholdPercent"] as const).map((name) => {
    const value = reader.integer(name);
    if (value !== undefined && fields[name] !== undefined)
      reader.errors.push(forbiddenValue(`spec.${name}`, "is given in kubeletConfiguration too"));
    if (value !== undefined) fields[name] = value;
    return value;
  });
  if (given.some((value) => value !== undefined)) {
    const high = fields.highThresholdPercent ?? (complete ? DEFAULT_HIGH_THRESHOLD : 100);
    const low = fields.lowThresholdPercent ?? (complete ? DEFAULT_LOW_THRESHOLD : 0);
    const fault = thresholdFault(high, low);
    if (fault !== undefined) {
      const value = fault.field === "highThresholdPercent" ? high : low;
      reader.errors.push(invalidValue(`spec.${fault.field}`, value, fault.message));
    }
  }
  const high = bytes(reader, "highThresholdBytes");
  const low = bytes(reader, "lowThresholdBytes");
  if (reader.has("highThresholdBytes") !== reader.has("lowThresholdBytes")) {
    const missing = reader.has("highThresholdBytes") ? "lowThresholdBytes" : "highThresholdBytes";
    reader.errors.push(requiredValue(`spec.${missing}`, "both thresholds in bytes are needed"));
  }
  if (high === undefined || low === undefined) return;
  if (low > high) reader.refuse("lowThresholdBytes", "must not be higher than highThresholdBytes");
  fields.thresholdBytes = { high, low };
}

/** `80Gi`, or a number of bytes. */
function bytes(reader: FieldReader, name: string): number | undefined {
  const value = reader.value(name);
  if (value === undefined) return undefined;
  const count = typeof value === "string" ? readQuantity(value) : value;
  if (typeof count === "number" && count >= 0 && Number.isSafeInteger(count)) return count;
  return reader.refuse(name, 'must be a quantity of bytes, such as "80Gi"');
}

function readContainerLimits(reader: FieldReader, fields: Writable<PolicyFields>): void {
  const minAge = reader.duration("minAge");
  if (minAge !== undefined) {
    const fault = minAgeFault(minAge);
    if (fault !== undefined) reader.refuse("minAge", fault);
    fields.minAge = durationToMillis(minAge);
  }
  for (const name of ["maxPerPodContainer", "maxContainers"] as const) {
    const value = reader.integer(name);
    if (value !== undefined) fields[name] = value;
  }
}

function readImageGuards(reader: FieldReader, fields: Writable<PolicyFields>): void {
  const keep = reader.list("keep");
  if (keep) fields.keep = patterns(reader, "keep", keep);
  const registries = reader.list("registries");
  if (registries) fields.registries = patterns(reader, "registries", registries);
  else if (reader.isNull("registries")) fields.registries = null;
  const protect = reader.list("protect");
  if (protect) {
    fields.protect = protect.flatMap((entry, index) => {
      const path = `spec.protect[${index}]`;
      if (!isJsonObject(entry)) {
        reader.errors.push(invalidValue(path, JSON.stringify(entry), "must be an object: {image, until}"));
        return [];
      }
      const item = new FieldReader(entry, path, reader.errors);
      item.onlyKnown(new Set(["image", "until"]), "an entry of protect", () => undefined);
      const [image] = patterns(item, "image", [item.value("image") ?? null]);
      const until = readUntil(item);
      return image === undefined || until === undefined ? [] : [{ image, until }];
    });
  }
}

function readUntil(item: FieldReader): Millis | undefined {
  const until = item.value("until");
  if (typeof until !== "string") return item.refuse("until", "must be a time, such as 2030-01-31T12:00:00Z");
  const reading = readTime(until);
  return "fault" in reading ? item.refuse("until", reading.fault) : Date.parse(until);
}

function patterns(reader: FieldReader, name: string, values: readonly Json[]): ImagePattern[] {
  return values.flatMap((value, index) => {
    if (typeof value === "string" && value !== "" && value.length <= LONGEST_PATTERN && !/\s/.test(value))
      return [value as ImagePattern];
    const path = `${reader.path}.${name}${name === "image" ? "" : `[${index}]`}`;
    const detail = `must be a name or pattern of 1 to ${LONGEST_PATTERN} characters, without spaces`;
    reader.errors.push(invalidValue(path, typeof value === "string" ? value : JSON.stringify(value), detail));
    return [];
  });
}

function readSwitches(reader: FieldReader, fields: Writable<PolicyFields>): void {
  for (const name of ["restartResetsAge", "reportOnly"] as const) {
    const value = reader.boolean(name);
    if (value !== undefined) fields[name] = value;
  }
  for (const name of ["imagePeriod", "containerPeriod"] as const) {
    const duration = reader.duration(name);
    if (duration === undefined) continue;
    const millis = durationToMillis(duration);
    if (millis < SHORTEST_PERIOD || millis > LONGEST_PERIOD)
      reader.refuse(name, "must be between 1s and 24h");
    fields[name] = millis;
  }
}
