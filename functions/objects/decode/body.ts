import { type Document, parseDocument } from "yaml";
import { type Outcome, ok, refuse } from "../failure.ts";
import { isJsonObject, type Json } from "../json.ts";
import { jsonSyntaxFault } from "./json-syntax.ts";

/**
 * Levels of nesting a body may have. Far below the 10,000 of upstream's decoder: behind decoding, an object is
 * serialized and cloned by functions that recurse, and they give up at about 1,600 levels.
 */
export const MAX_NESTING = 500;

/** What aliases may blow a YAML document up to: characters of text, each value counting as one besides. */
const MAX_EXPANDED = 3 * 1024 * 1024;
const MAX_ALIASES = 100;

/** `json`: the value as text, to say where in it a fault is. */
export type ParsedBody = { value: Json; json: string } | { fault: string };

/**
 * The body of a request as data. A fault is the text of upstream's decoder; what answer it becomes is for the caller to
 * say. Error: UnsupportedMediaType. No media type is JSON, and its parameters do not count.
 */
export function parseBody(text: string, mediaType: string): Outcome<ParsedBody> {
  switch (mediaType.split(";", 1)[0]?.trim().toLowerCase()) {
    case "":
    case "application/json":
      return ok(parseJson(text));
    case "application/yaml":
      return ok(parseYaml(text));
    case "application/vnd.kubernetes.protobuf":
      return unsupported(["application/json", "application/yaml"]);
    default:
      return unsupported(["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]);
  }
}

function unsupported(accepted: readonly string[]): Outcome<never> {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return refuse({ reason: "UnsupportedMediaType", message });
}

const notJson = (fault: string): ParsedBody => ({
  fault: `couldn't get version/kind; json parse error: ${fault}`,
});

function parseJson(text: string): ParsedBody {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return notJson(jsonSyntaxFault(text, MAX_NESTING) ?? "invalid JSON");
  }
  const fault = boundsFault(value, Number.POSITIVE_INFINITY);
  if (fault === undefined) return { value, json: text };
  return notJson(fault === TOO_DEEP ? (jsonSyntaxFault(text, MAX_NESTING) ?? fault) : fault);
}

/**
 * YAML 1.1, as upstream reads it, where `yes` is true and `0644` is octal; but dates and base-60 numbers stay text, and
 * only the core tags are known. One document, without a field twice.
 */
function parseYaml(text: string): ParsedBody {
  const notYaml = (fault: string): ParsedBody => ({ fault: `error converting YAML to JSON: yaml: ${fault}` });
  try {
    const document: Document = parseDocument(text, {
      version: "1.1",
      logLevel: "error",
      prettyErrors: false,
      customTags: (tags) => tags.filter((tag) => typeof tag === "string" || isCoreTag(tag)),
    });
    const error = document.errors[0];
    if (error !== undefined) return notYaml(error.message);
    const value = document.toJS({ maxAliasCount: MAX_ALIASES }) as Json;
    const fault = boundsFault(value, MAX_EXPANDED);
    if (fault !== undefined) return notYaml(fault);
    const json = JSON.stringify(value);
    // Again from text: what an alias repeats becomes a value of its own.
    return { value: JSON.parse(json) as Json, json };
  } catch (fault) {
    // The parser recurses, so deep nesting ends it; too many aliases do as well.
    return notYaml(fault instanceof RangeError || !(fault instanceof Error) ? TOO_DEEP : fault.message);
  }
}

const CORE_TAGS: readonly string[] = ["map", "seq", "str", "null", "bool", "int", "float", "merge"];

const isCoreTag = (tag: { tag: string; format?: string }): boolean =>
  tag.format !== "TIME" && CORE_TAGS.some((name) => tag.tag === `tag:yaml.org,2002:${name}`);

const TOO_DEEP = "exceeded max depth";

/**
 * What makes a value unfit to be worked on although its text parses: nesting that recursion would not survive, a field
 * `__proto__` that an assignment would lose, a number beyond what can be printed again. Goes without recursion.
 */
function boundsFault(root: Json, budget: number): string | undefined {
  let level: Json[] = [root];
  let left = budget;
  for (let depth = 0; level.length > 0; depth++) {
    const below: Json[] = [];
    for (const value of level) {
      left -= typeof value === "string" ? value.length + 1 : 1;
      if (left < 0) return "document contains excessive aliasing";
      if (typeof value === "number" && !Number.isFinite(value)) {
        return "json: cannot unmarshal number into Go value of type float64";
      }
      if (typeof value !== "object" || value === null) continue;
      if (depth === MAX_NESTING) return TOO_DEEP;
      if (Array.isArray(value)) for (const item of value) below.push(item);
      if (!isJsonObject(value)) continue;
      if (Object.hasOwn(value, "__proto__")) return 'the field name "__proto__" is not allowed';
      for (const [field, item] of Object.entries(value)) {
        left -= field.length;
        below.push(item);
      }
    }
    level = below;
  }
  return undefined;
}
