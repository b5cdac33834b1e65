import type { KubeObject, Millis } from "../objects/object.ts";
import { readCertificate } from "./certificate.ts";
import { type Decision, keep, remove, type SweepRule, skip } from "./decision.ts";
import {
  conditionsOf,
  createdAt,
  dueNow,
  isTerminating,
  momentOf,
  statusOf,
  textOf,
} from "./object-fields.ts";
import type { SettingsOf } from "./settings.ts";

type RequestSettings = SettingsOf<"certificatesigningrequests">;

/** The first moment, in whole milliseconds, at which a rule deletes: ages are compared strictly. */
interface Expiry {
  at: Millis;
  rule: SweepRule;
  reason: string;
}

/**
 * All rules that will delete the request, or why it cannot be judged. A condition's status (True, False) does not count,
 * its type does; a condition without a time never ages. A certificate that cannot be read shields the request from every
 * rule. An approved request that was never issued is kept, unless the settings say how long.
 *
 * Source: kubernetes `controller/certificates/cleaner`.
 */
function expiries(
  request: KubeObject,
  settings: RequestSettings,
): { expiries: Expiry[] } | { fault: string } {
  const conditions = conditionsOf(request);
  const certificate = textOf(statusOf(request).certificate);
  const found: Expiry[] = [];
  const add = (from: Millis | null, age: Millis, rule: SweepRule, reason: string) => {
    if (from !== null) found.push({ at: from + age + 1, rule, reason });
  };
  if (certificate !== "" && conditions.some(({ type }) => type === "Approved")) {
    const reading = readCertificate(certificate);
    if ("fault" in reading) return reading;
    add(reading.notAfter, 0, "certificate-expired", "its certificate has expired");
  }
  if (conditions.length === 0) {
    add(createdAt(request), settings.pendingExpiration, "request-pending", "nobody decided about it");
  }
  const failed = conditions.some(({ type }) => type === "Failed");
  for (const condition of conditions) {
    const since = momentOf(condition.lastUpdateTime);
    if (condition.type === "Approved" && certificate !== "") {
      add(since, settings.approvedExpiration, "request-issued", "its certificate was issued");
    } else if (condition.type === "Approved" && !failed && settings.unissuedExpiration !== null) {
      add(since, settings.unissuedExpiration, "request-unissued", "was approved and never issued");
    } else if (condition.type === "Denied") {
      add(since, settings.deniedExpiration, "request-denied", "was denied");
    } else if (condition.type === "Failed") {
      add(since, settings.deniedExpiration, "request-failed", "its issuing failed");
    }
  }
  return { expiries: found.sort((a, b) => a.at - b.at) };
}

export function certificateSigningRequestDueAt(
  request: KubeObject,
  settings: RequestSettings,
): Millis | null {
  if (!settings.enabled || isTerminating(request)) return null;
  const found = expiries(request, settings);
  return "fault" in found ? dueNow(request) : (found.expiries[0]?.at ?? null);
}

export function decideCertificateSigningRequest(
  request: KubeObject,
  settings: RequestSettings,
  now: Millis,
): Decision {
  if (!settings.enabled) return keep("the sweep is off");
  if (isTerminating(request)) return keep("is being deleted");
  const found = expiries(request, settings);
  if ("fault" in found) return skip(found.fault);
  const [expiry] = found.expiries;
  if (expiry === undefined) return keep("no rule ends it");
  if (now < expiry.at) return keep("is young enough", expiry.at);
  return remove(request, expiry.rule, expiry.reason);
}
