import { MAX_NESTING } from "../objects/decode/body.ts";
import { jsonSyntaxFault } from "../objects/decode/json-syntax.ts";
import { type Outcome, ok, refuse } from "../objects/failure.ts";
import { isJsonObject, type Json } from "../objects/json.ts";
import type { Key } from "./list-objects.ts";

/** Where a list goes on, and at which resourceVersion it began; opaque to clients. */
export interface Continuation {
  /** Undefined: at the newest, whatever the pages before showed. */
  resourceVersion: number | undefined;
  after: Key;
  /** How many objects come after that key, if they were counted. */
  remaining?: number | undefined;
}

/** The part of the keys that a list covers. */
export interface Place {
  namespaced: boolean;
  /** Undefined: all namespaces, or cluster-scoped. */
  namespace: string | undefined;
}

const VERSION = "meta.k8s.io/v1";
/** Stands for the newest resourceVersion: 0 would look like a token that lost it. */
const NEWEST = -1;
/** After the last key: the first text that is greater. */
const END = "\0";

/**
 * Upstream's form: `{"v","rv","start"}` in URL-safe base64, where `start` is the first key of the next page below the
 * path of the list. `n` is ours, and others pass over it.
 *
 * Source: k8s.io/apiserver storage/continue.go.
 */
export function encodeContinue({ resourceVersion, after, remaining }: Continuation, place: Place): string {
  const start = `${isAcross(place) ? `${after.namespace}/` : ""}${after.name}${END}`;
  const json = JSON.stringify({ v: VERSION, rv: resourceVersion ?? NEWEST, start, n: remaining });
  const ascii = json.replace(/[^\0-~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return btoa(ascii).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Error: BadRequest in upstream's words for whatever this server did not make, or made for another list. */
export function decodeContinue(token: string, place: Place): Outcome<Continuation> {
  const bad = (why: string) =>
    refuse({ reason: "BadRequest", message: `invalid continue token: continue key is not valid: ${why}` });
  const illegal = base64UrlFault(token);
  if (illegal !== undefined) return bad(`illegal base64 data at input byte ${illegal}`);
  const binary = atob(token.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  let value: Json;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes)) as Json;
  } catch {
    return bad(jsonSyntaxFault(bytes, MAX_NESTING) ?? "invalid JSON");
  }
  const { v = "", rv = 0, start = "", n } = isJsonObject(value) ? value : {};
  if (v !== VERSION) return bad(`server does not recognize this encoded version ${String(v)}`);
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0) {
    return bad("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  if (typeof start !== "string" || start === "") {
    return bad("encoded start key empty (version meta.k8s.io/v1)");
  }
  const after = keyBefore(start, place);
  if (after === undefined) return bad(start);
  return ok({
    resourceVersion: rv < 0 ? undefined : rv,
    after,
    remaining: typeof n === "number" ? n : undefined,
  });
}

const isAcross = ({ namespaced, namespace }: Place): boolean => namespaced && namespace === undefined;

/** Undefined when no page of this list can begin there. */
function keyBefore(start: string, place: Place): Key | undefined {
  const parts = start.endsWith(END) ? start.slice(0, -1).split("/") : [];
  if (parts.length !== (isAcross(place) ? 2 : 1) || parts.includes("")) return undefined;
  const [first = "", second] = parts;
  return second === undefined
    ? { namespace: place.namespace ?? "", name: first }
    : { namespace: first, name: second };
}

/** Where a text stops being unpadded, URL-safe base64, as Go's `encoding/base64` counts; undefined when it is that. */
function base64UrlFault(text: string): number | undefined {
  const at = text.search(/[^A-Za-z0-9_-]/);
  if (at >= 0) return at;
  return text.length % 4 === 1 ? text.length - 1 : undefined;
}
