import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { type FieldSet, inOrder, type PathElement } from "./field-set.ts";

/** A member that has children says so with this. */
const SELF = ".";

/**
 * A set as `fieldsV1` holds it: `{"f:data":{".":{},"f:key":{}}}`.
 * Source: sigs.k8s.io/structured-merge-diff `fieldpath/serialize.go`.
 */
export function printFieldsV1(set: FieldSet): JsonObject {
  const printed: JsonObject = set.member && set.children.size > 0 ? { [SELF]: {} } : {};
  for (const [element, child] of inOrder(set.children)) printed[element] = printFieldsV1(child);
  return printed;
}

/**
 * The set that a `fieldsV1` describes. Steps of a kind nobody knows are left out, with all below them, as upstream does;
 * undefined when something is no step at all.
 */
export function parseFieldsV1(printed: Json | undefined): FieldSet | undefined {
  if (printed === undefined || printed === null) return { member: false, children: new Map() };
  const node = parseNode(printed);
  return node && { member: false, children: node.children };
}

function parseNode(printed: Json): FieldSet | undefined {
  if (!isJsonObject(printed)) return undefined;
  const children = new Map<PathElement, FieldSet>();
  let member = false;
  for (const [text, below] of Object.entries(printed)) {
    if (text === SELF) {
      member = true;
      continue;
    }
    const element = parsePathElement(text);
    if (element === undefined) return undefined;
    if (element === "unknown") continue;
    const child = parseNode(below);
    if (child === undefined) return undefined;
    children.set(element, child);
  }
  return { member: member || children.size === 0, children };
}

/** In the one form that sets compare by: keys sorted, JSON without blanks. */
function parsePathElement(text: string): PathElement | "unknown" | undefined {
  if (text.length < 2 || text[1] !== ":") return undefined;
  const content = text.slice(2);
  switch (text[0]) {
    case "f":
      return text as PathElement;
    case "k": {
      const key = parsed(content);
      return isJsonObject(key) ? keyElement(Object.entries(key)) : undefined;
    }
    case "v": {
      const value = parsed(content);
      return value === undefined ? undefined : valueElement(value);
    }
    case "i":
      return /^-?\d+$/.test(content) ? (text as PathElement) : undefined;
    default:
      return "unknown";
  }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export function keyElement(entries: readonly (readonly [string, Json])[]): PathElement {
  const sorted = entries.length < 2 ? entries : [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  const fields = sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `k:{${fields.join(",")}}` as PathElement;
}

export const valueElement = (value: Json): PathElement => `v:${JSON.stringify(value)}` as PathElement;

/** A path as conflicts name it: `.spec.containers[name="web"].image`, `.metadata.finalizers[="x/y"]`. */
export function printPath(path: readonly PathElement[]): string {
  return path.map(printElement).join("");
}

function printElement(element: PathElement): string {
  const content = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${content}`;
    case "k": {
      const key = Object.entries(JSON.parse(content) as JsonObject);
      return `[${key.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`;
    }
    case "v":
      return `[=${content}]`;
    default:
      return `[${content}]`;
  }
}
