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

/** Error: BadRequest for whatever this server did not make. */
export function decodeContinue(token: string): Outcome<Continuation> {
  const bad = (why: string) =>
    refuse({ reason: "BadRequest", message: `invalid continue token: continue key is not valid: ${why}` });
  let value: Json;
  try {
    value = JSON.parse(atob(token.replaceAll("-", "+").replaceAll("_", "/"))) as Json;
  } catch (fault) {
    return bad(fault instanceof Error ? fault.message : "it cannot be read");
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
