import {
  type FieldError,
  invalidValue,
  type Outcome,
  ok,
  refuse,
  unsupportedValue,
} from "../objects/failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Role } from "../objects/roles.ts";

/** Whom tokens are meant for: this API and nobody else, since nobody else could tell who a token is. */
export const AUDIENCE = "https://kubernetes.default.svc";

const SHORTEST = 600;
const LONGEST = 2 ** 32;
const USUAL = 3600;
/** A longer wish is shortened to a year, in seconds, as upstream's `--service-account-max-token-expiration` does it. */
const GRANTED = 365 * 86_400;

export interface TokenRequest {
  /** Seconds from now. */
  expirationSeconds: number;
  /** An object without which the token does not pass either. */
  boundTo: BoundObject | undefined;
}

export interface BoundObject {
  kind: "Pod" | "Secret";
  name: string;
  /** Of the object that is meant; any of that name when it is not said. */
  uid: string | undefined;
}

/**
 * What a `authentication.k8s.io/v1` TokenRequest asks for. Errors: Invalid; BadRequest for an object it cannot be bound to.
 * Source: `ValidateTokenRequest`, and `TokenREST` in kubernetes pkg/registry/core/serviceaccount/storage/token.go.
 */
export function decideTokenRequest(sent: JsonObject): Outcome<TokenRequest> {
  const spec = isJsonObject(sent.spec) ? sent.spec : {};
  const { expirationSeconds = USUAL, audiences = [] } = spec;
  const errors = [...audienceFaults(audiences ?? []), ...durationFaults(expirationSeconds ?? USUAL)];
  if (errors.length > 0) {
    return refuse({
      reason: "Invalid",
      group: "authentication.k8s.io",
      kind: "TokenRequest",
      name: "",
      errors,
    });
  }
  const bound = boundObject(spec.boundObjectRef);
  if (!bound.ok) return bound;
  const seconds = typeof expirationSeconds === "number" ? expirationSeconds : USUAL;
  return ok({ expirationSeconds: Math.min(seconds, GRANTED), boundTo: bound.value });
}

function audienceFaults(audiences: Json): FieldError[] {
  const asked = Array.isArray(audiences) ? audiences : [audiences];
  return asked.flatMap((audience, i) =>
    audience === AUDIENCE ? [] : [unsupportedValue(`spec.audiences[${i}]`, audience, [AUDIENCE])],
  );
}

function durationFaults(seconds: Json): FieldError[] {
  const fault = (detail: string): FieldError[] => [invalidValue("spec.expirationSeconds", seconds, detail)];
  if (!Number.isInteger(seconds)) return fault("must be a number of seconds");
  if (Number(seconds) < SHORTEST) return fault("may not specify a duration less than 10 minutes");
  return Number(seconds) > LONGEST ? fault("may not specify a duration larger than 2^32 seconds") : [];
}

function boundObject(reference: Json | undefined): Outcome<BoundObject | undefined> {
  if (!isJsonObject(reference)) return ok(undefined);
  const { kind, apiVersion, name, uid } = reference;
  if ((kind !== "Pod" && kind !== "Secret") || apiVersion !== "v1" || typeof name !== "string") {
    const message = `cannot bind token to object of type ${String(apiVersion)}, Kind=${String(kind)}`;
    return refuse({ reason: "BadRequest", message });
  }
  return ok({ kind, name, uid: typeof uid === "string" && uid !== "" ? uid : undefined });
}

/** By it an admin gives the tokens of a ServiceAccount another role than the usual one. */
const ROLE = "gc.kubegc.dev/role";
const ROLES: ReadonlySet<string | undefined> = new Set<Role>(["admin", "view", "node"]);

/**
 * The role of a ServiceAccount's tokens: what its annotation names; else `admin` in `kube-system`, where a cluster's own
 * controllers live, and `view` everywhere else. Only who is admin may write ServiceAccounts, or ask for their tokens, so that
 * nobody comes to more than they had.
 */
export function accountRole({ metadata }: KubeObject): Role {
  const named = metadata.annotations?.[ROLE];
  if (ROLES.has(named)) return named as Role;
  return metadata.namespace === "kube-system" ? "admin" : "view";
}

export const accountUser = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`;
