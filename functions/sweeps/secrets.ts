import type { KubeObject, Millis } from "../objects/object.ts";
import { type Decision, keep, remove } from "./decision.ts";
import {
  decideLegacyToken,
  isLegacyToken,
  type LegacyTokenFacts,
  legacyTokenDueAt,
} from "./legacy-tokens.ts";
import { dueNow, fieldsOf, isTerminating, momentOf, textOf } from "./object-fields.ts";
import type { SettingsOf } from "./settings.ts";

type SecretSettings = SettingsOf<"secrets">;

const BOOTSTRAP_TOKEN = "bootstrap.kubernetes.io/token";

const isBootstrapToken = ({ metadata, type }: KubeObject): boolean =>
  metadata.namespace === "kube-system" && type === BOOTSTRAP_TOKEN;

/** Null when it has none and never expires; one that cannot be read has expired, as what guards access must. */
function tokenExpiry(secret: KubeObject): Millis | null {
  const encoded = textOf(fieldsOf(secret.data).expiration);
  return encoded === "" ? null : (momentOf(decoded(encoded)) ?? dueNow(secret));
}

function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return "";
  }
}

export function secretDueAt(secret: KubeObject, settings: SecretSettings): Millis | null {
  if (!settings.enabled || isTerminating(secret)) return null;
  if (isBootstrapToken(secret)) return settings.tokenCleaner ? tokenExpiry(secret) : null;
  return isLegacyToken(secret) ? legacyTokenDueAt(secret, settings) : null;
}

/**
 * Bootstrap tokens from the moment of their `expiration`, and service-account tokens that nobody has used for long.
 *
 * Source: kubernetes `controller/bootstrap` (tokencleaner), `controller/serviceaccount` (legacy_serviceaccount_token_cleaner).
 *
 * @param legacy facts about a service-account token; for other Secrets they are not read
 */
export function decideSecret(
  secret: KubeObject,
  legacy: LegacyTokenFacts | undefined,
  settings: SecretSettings,
  now: Millis,
): Decision {
  if (!settings.enabled) return keep("the sweep is off");
  if (isTerminating(secret)) return keep("is being deleted");
  if (isBootstrapToken(secret)) return decideBootstrapToken(secret, settings, now);
  return isLegacyToken(secret) && legacy !== undefined
    ? decideLegacyToken(secret, legacy, settings, now)
    : keep("is not a token that expires");
}

function decideBootstrapToken(secret: KubeObject, settings: SecretSettings, now: Millis): Decision {
  if (!settings.tokenCleaner) return keep("bootstrap tokens are not cleaned");
  const expiry = tokenExpiry(secret);
  if (expiry === null) return keep("it has no expiration");
  return now < expiry
    ? keep("it has not expired", expiry)
    : remove(secret, "bootstrap-token-expired", "its expiration has passed, or cannot be read");
}
