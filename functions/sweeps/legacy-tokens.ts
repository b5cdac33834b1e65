import { type KubeObject, type Millis, timestamp } from "../objects/object.ts";
import { type Decision, keep, remove, skip } from "./decision.ts";
import { createdAt, membersOf } from "./object-fields.ts";
import type { SettingsOf } from "./settings.ts";

type SecretSettings = SettingsOf<"secrets">;

const SERVICE_ACCOUNT_TOKEN = "kubernetes.io/service-account-token";
const LAST_USED = "kubernetes.io/legacy-token-last-used";
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
const ACCOUNT_UID = "kubernetes.io/service-account.uid";
const DAY = 86_400_000;

export const isLegacyToken = ({ type }: KubeObject): boolean => type === SERVICE_ACCOUNT_TOKEN;

export interface LegacyTokenFacts {
  /** `since` in ConfigMap `kube-system/kube-apiserver-legacy-service-account-token-tracking`; undefined without one. */
  trackedSince: string | undefined;
  /** The ServiceAccount that the Secret's annotation `kubernetes.io/service-account.name` names. */
  serviceAccount: KubeObject | undefined;
  /** Whether a Pod of the namespace mounts the Secret. */
  mounted: boolean;
}

/** The start of a day written as `YYYY-MM-DD`, UTC; null when it is not one. */
function dayOf(text: string | undefined): Millis | null {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const day = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(day) || timestamp(day).slice(0, 10) !== text ? null : day;
}

/** Dates are compared as dates: one that is a whole period ago counts from its end. */
const afterDay = (day: Millis, period: Millis): Millis => day + DAY + period;

/** When the next stage could come, by the Secret alone; null when its labels exempt it. */
export function legacyTokenDueAt(secret: KubeObject, settings: SecretSettings): Millis | null {
  const period = settings.legacyServiceAccountTokenCleanUpPeriod;
  const created = createdAt(secret);
  const used = lastUse(secret);
  if (created === null || used === "malformed") return null;
  const invalid = dayOf(secret.metadata.labels?.[INVALID_SINCE]);
  return Math.max(
    created + period + 1,
    used === null ? 0 : afterDay(used, period),
    invalid === null ? 0 : afterDay(invalid, period),
  );
}

function lastUse(secret: KubeObject): Millis | null | "malformed" {
  const text = secret.metadata.labels?.[LAST_USED];
  return text === undefined ? null : (dayOf(text) ?? "malformed");
}

/**
 * In two stages: a generated token that nobody used for the period is made invalid by a label; when nobody complained
 * for another period, it is deleted, unless it was written in between. Only tokens their ServiceAccount lists, since
 * those made by hand are not listed.
 *
 * Source: kubernetes `controller/serviceaccount` (legacy_serviceaccount_token_cleaner), KEP-2799.
 */
export function decideLegacyToken(
  secret: KubeObject,
  facts: LegacyTokenFacts,
  settings: SecretSettings,
  now: Millis,
): Decision {
  const period = settings.legacyServiceAccountTokenCleanUpPeriod;
  const since = dayOf(facts.trackedSince);
  if (since === null) return keep("the use of tokens is not tracked");
  // The day on which tracking began is not a whole one.
  const tracked = afterDay(since, period);
  if (now < tracked) return keep("the use of tokens is not tracked for long enough", tracked);
  const due = legacyTokenDueAt(secret, settings);
  if (due === null) return skip(`label ${LAST_USED} is not a date`);
  const listed = isListed(secret, facts.serviceAccount);
  if (!listed) return keep("its ServiceAccount does not list it");
  if (facts.mounted) return keep("a Pod mounts it", now + DAY);
  if (now < due) return keep("was used, or made invalid, lately", due);
  if (dayOf(secret.metadata.labels?.[INVALID_SINCE]) === null) return invalidated(secret, period, now);
  const { resourceVersion } = secret.metadata;
  return remove(secret, "legacy-token-unused", "nobody used it, and it was invalid for the whole period", {
    options: resourceVersion === undefined ? {} : { resourceVersion },
  });
}

function isListed({ metadata }: KubeObject, account: KubeObject | undefined): boolean {
  return (
    account !== undefined &&
    account.metadata.uid === metadata.annotations?.[ACCOUNT_UID] &&
    membersOf(account.secrets).some(({ name }) => name === metadata.name)
  );
}

function invalidated(secret: KubeObject, period: Millis, now: Millis): Decision {
  const today = timestamp(now).slice(0, 10);
  const labels = { ...secret.metadata.labels, [INVALID_SINCE]: today };
  return {
    act: "patch",
    patch: { next: { ...secret, metadata: { ...secret.metadata, labels } }, subresource: undefined },
    reason: "nobody used it for the whole period",
    next: afterDay(dayOf(today) ?? now, period),
    events: [],
  };
}
