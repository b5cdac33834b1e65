import { parseBody } from "../decode/body.ts";
import type { ExpectedKind } from "../decode/object-types.ts";
import { type Failure, type Outcome, ok, refuse } from "../failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { apiVersion, type Kind, parseApiVersion } from "../kind.ts";
import { field, type PathElement } from "./field-set.ts";
import { divide, elementOf, type FieldShape, fieldShape, itemShape } from "./field-shape.ts";
import { printPath } from "./fields-v1.ts";

/** The media type of a PATCH that applies: YAML, of which JSON is a part. */
const APPLY_PATCH = "application/apply-patch+yaml";

/** By the Content-Type header, parameters ignored. */
export const isApply = (contentType: string): boolean =>
  contentType.split(";", 1)[0]?.trim().toLowerCase() === APPLY_PATCH;

/**
 * The configuration in the body of an apply. It says which kind it is of, in the version of the path, and nothing of
 * `managedFields`.
 *
 * Error: BadRequest.
 *
 * Source: kubernetes `endpoints/handlers/patch.go` (applyPatcher), k8s.io/apimachinery `util/managedfields` (Apply).
 */
export function decodeConfiguration(text: string, expected: ExpectedKind): Outcome<JsonObject> {
  const config = parseConfiguration(text);
  if (typeof config === "string") return badRequest(`error decoding YAML: ${config}`);
  const version = apiVersion(expected.group, expected.version);
  const claimed = typeof config.apiVersion === "string" ? config.apiVersion : "";
  if (claimed !== version) {
    const { group = "", version: ofPatch = "" } = parseApiVersion(claimed) ?? {};
    return badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${apiVersion(group, ofPatch)}, expected: ${version}`,
    );
  }
  if (config.kind !== expected.kind) {
    const shown = typeof config.kind === "string" ? config.kind : "";
    return badRequest(
      `Incorrect kind specified in apply patch. Specified patch kind: ${shown}, expected: ${expected.kind}`,
    );
  }
  const { metadata = {} } = config;
  if (isJsonObject(metadata) && (metadata.managedFields ?? null) !== null) {
    return badRequest("metadata.managedFields must be nil");
  }
  return ok(config);
}

/** The configuration, or what is wrong with the text. JSON is read as such, which is much faster. */
function parseConfiguration(text: string): JsonObject | string {
  const types = text.trimStart().startsWith("{")
    ? ["application/json", "application/yaml"]
    : ["application/yaml"];
  let fault = "";
  for (const type of types) {
    const parsed = parseBody(text, type);
    if (!parsed.ok) continue;
    if ("fault" in parsed.value) {
      fault = parsed.value.fault.replace(/^error converting YAML to JSON: /, "");
      continue;
    }
    const { value } = parsed.value;
    if (isJsonObject(value)) return value;
    return "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal into Go value of type map[string]interface {}";
  }
  return fault;
}

const badRequest = (message: string): Outcome<never> => refuse({ reason: "BadRequest", message });

/**
 * Why a configuration cannot be told apart into fields; undefined when it can. Every item of a list that is divided has to
 * say which one it is, and no two may be the same.
 *
 * Source: sigs.k8s.io/structured-merge-diff `typed/validate.go`; the answer is a 500 without a reason, as upstream's is.
 */
export function configurationFailure(config: JsonObject, kind: Kind, shape: FieldShape): Failure | undefined {
  const faults = faultsOf(config, shape, []);
  if (faults.length === 0) return undefined;
  const { name = "", namespace = "" } = isJsonObject(config.metadata) ? config.metadata : {};
  const { group = "", version = "" } = parseApiVersion(String(config.apiVersion)) ?? {};
  const subject = `${namespace}/${name}; ${group}/${version}, Kind=${kind.kind}`;
  const told =
    faults.length === 1 ? faults[0] : ["errors:", ...faults.map((fault) => `  ${fault}`)].join("\n");
  return { reason: "Unknown", message: `failed to create typed patch object (${subject}): ${told}` };
}

function faultsOf(value: Json, shape: FieldShape, path: readonly PathElement[]): string[] {
  const divided = divide(value, shape);
  if (divided?.into === "fields") {
    return Object.entries(divided.value).flatMap(([name, item]) => {
      const below = [...path, field(name)];
      return divided.shape.closed && !divided.shape.fields.has(name)
        ? [`${printPath(below)}: field not declared in schema`]
        : faultsOf(item, fieldShape(divided.shape, name), below);
    });
  }
  if (value === null || (shape.is !== "items" && shape.is !== "set")) return [];
  const at = printPath(path);
  if (!Array.isArray(value)) return [`${at}: expected list, got ${JSON.stringify(value)}`];
  const seen = new Set<PathElement>();
  return value.flatMap((item, i) => {
    const element = elementOf(item, shape);
    if (element === undefined) return [`${at}: element ${i}: ${itemFault(item, shape)}`];
    if (seen.has(element)) return [`${at}: duplicate entries for key ${printPath([element])}`];
    seen.add(element);
    return faultsOf(item, itemShape(shape), [...path, element]);
  });
}

function itemFault(item: Json, shape: FieldShape & { is: "items" | "set" }): string {
  if (shape.is === "set") {
    if (item === null) return "associative list without keys has an element that's an explicit null";
    return Array.isArray(item)
      ? "not supported: associative list with lists as elements"
      : "associative list without keys has an element that's a map type";
  }
  if (item === null) return "associative list with keys may not have a null element";
  if (!isJsonObject(item)) return "associative list with keys may not have non-map elements";
  const missing = shape.keys.find((key) => !Object.hasOwn(item, key) && !shape.defaults.has(key));
  return `associative list with keys has an element that omits key field ${JSON.stringify(missing)} (and doesn't have default value)`;
}
