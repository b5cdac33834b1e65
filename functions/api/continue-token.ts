import { jsonSyntaxFault } from "../objects/decode/json-syntax.ts";
import { type Outcome, ok, refuse } from "../objects/failure.ts";
import { isJsonObject, type Json } from "../objects/json.ts";
import type { Key } from "./list-objects.ts";

/** Where a list goes on, and at which resourceVersion it began; opaque to clients. */
export interface Continuation {
  resourceVersion: number;
  after: Key;
}

export function encodeContinue({ resourceVersion, after }: Continuation): string {
  const json = JSON.stringify({
    v: "meta.k8s.io/v1",
    rv: resourceVersion,
    start: `${after.namespace}/${after.name}`,
  });
  return btoa(json).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** A token has no more than one object in it; deeper ones are not made here. */
const MAX_NESTING = 100;

/** Error: BadRequest for whatever this server did not make. */
export function decodeContinue(token: string): Outcome<Continuation> {
  const bad = (why: string) =>
    refuse({ reason: "BadRequest", message: `invalid continue token: continue key is not valid: ${why}` });
  const illegal = base64UrlFault(token);
  if (illegal !== undefined) return bad(`illegal base64 data at input byte ${illegal}`);
  const text = atob(token.replaceAll("-", "+").replaceAll("_", "/"));
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
    return bad(jsonSyntaxFault(bytes, MAX_NESTING) ?? "invalid JSON");
  }
  if (!isJsonObject(value) || value.v !== "meta.k8s.io/v1") return bad("it is of another version");
  const { rv, start } = value;
  if (typeof rv !== "number" || typeof start !== "string" || !start.includes("/"))
    return bad("it is incomplete");
  const slash = start.indexOf("/");
  return ok({
    resourceVersion: rv,
    after: { namespace: start.slice(0, slash), name: start.slice(slash + 1) },
  });
}

/** Where a text stops being unpadded, URL-safe base64, as Go's `encoding/base64` counts; undefined when it is that. */
function base64UrlFault(text: string): number | undefined {
  const at = text.search(/[^A-Za-z0-9_-]/);
  if (at >= 0) return at;
  return text.length % 4 === 1 ? text.length - 1 : undefined;
}
