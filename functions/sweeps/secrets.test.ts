import { describe, expect, test } from "vitest";
import type { KubeObject, ObjectMeta } from "../objects/object.ts";
import type { LegacyTokenFacts } from "./legacy-tokens.ts";
import { decideSecret, secretDueAt } from "./secrets.ts";
import { ago, DAY, gist, HOUR, OFF, SECOND, settingsOf, stored, T0, YEAR } from "./sweeps.fixture.ts";

const settings = settingsOf("secrets");

describe("a bootstrap token", () => {
  function token(expiration?: string, metadata: Partial<ObjectMeta> = {}): KubeObject {
    return stored("secrets", "bootstrap-token-abcdef", {
      metadata: { namespace: "kube-system", ...metadata },
      type: "bootstrap.kubernetes.io/token",
      data: expiration === undefined ? {} : { expiration: btoa(expiration) },
    });
  }
  const decide = (secret: KubeObject, now = T0) => gist(decideSecret(secret, undefined, settings, now));

  test.each<[string, KubeObject, string]>([
    ["#74 without an expiration", token(), "keep"],
    ["#74 with an empty one", token(""), "keep"],
    ["#75 expired", token(ago(HOUR)), "delete:bootstrap-token-expired"],
    ["#76 not expired", token(ago(-HOUR)), `keep until ${HOUR}`],
    ["#77 with one that cannot be read", token("tomorrow"), "delete:bootstrap-token-expired"],
    ["#78 with 2 s left", token(ago(-2 * SECOND)), "keep until 2000"],
    ["in another time zone", token("2026-11-20T18:20:04+02:00"), "keep until 1000"],
    ["in another namespace", token(ago(HOUR), { namespace: "team" }), "keep"],
    ["of another type", { ...token(ago(HOUR)), type: "Opaque" }, "keep"],
  ])("%s: %s", (_, secret, decision) => {
    expect(decide(secret)).toBe(decision);
  });

  test("#78 goes when nothing is left", () => {
    const secret = token(ago(-2 * SECOND));
    expect(decide(secret, T0 + 2 * SECOND - 1)).toBe("keep until 2000");
    expect(decide(secret, T0 + 2 * SECOND)).toBe("delete:bootstrap-token-expired");
    expect(secretDueAt(secret, settings)).toBe(T0 + 2 * SECOND);
  });

  test("#75 #79 is deleted by its uid, and decided about the same when that failed", () => {
    const decision = decideSecret(token(ago(HOUR)), undefined, settings, T0);
    expect(decision).toMatchObject({
      deletion: { options: { dryRun: false, uid: "uid-bootstrap-token-abcdef" }, events: [] },
    });
    expect(decideSecret(token(ago(HOUR)), undefined, settings, T0 + 1)).toEqual(decision);
  });

  test("stays when tokens, or Secrets, are not swept", () => {
    for (const off of [OFF, { tokenCleaner: false }]) {
      expect(secretDueAt(token(ago(HOUR)), settingsOf("secrets", off))).toBeNull();
      expect(gist(decideSecret(token(ago(HOUR)), undefined, settingsOf("secrets", off), T0))).toBe("keep");
    }
  });
});

describe("a service-account token that nobody uses", () => {
  const date = (millis: number) => ago(millis).slice(0, 10);
  const LAST_USED = "kubernetes.io/legacy-token-last-used";
  const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
  const ANNOTATIONS = {
    "kubernetes.io/service-account.name": "robot",
    "kubernetes.io/service-account.uid": "uid-robot",
  };

  function token(labels: Record<string, string> = {}, age = 2 * YEAR): KubeObject {
    return stored("secrets", "robot-token", {
      metadata: { creationTimestamp: ago(age), labels, annotations: ANNOTATIONS },
      type: "kubernetes.io/service-account-token",
    });
  }
  const facts = (more: Partial<LegacyTokenFacts> = {}): LegacyTokenFacts => ({
    trackedSince: date(2 * YEAR),
    serviceAccount: stored("serviceaccounts", "robot", { secrets: [{ name: "robot-token" }] }),
    mounted: false,
    ...more,
  });
  const USED = { [LAST_USED]: date(2 * YEAR) };
  const INVALID = { ...USED, [INVALID_SINCE]: date(396 * DAY) };
  const decide = (secret: KubeObject, more: Partial<LegacyTokenFacts> = {}, now = T0) =>
    gist(decideSecret(secret, facts(more), settings, now)).replace(/ until .*/, "");

  test.each<[string, KubeObject, Partial<LegacyTokenFacts>, string]>([
    ["#80 is made invalid first", token(USED), {}, "patch"],
    ["#80 also when it was never used", token(), {}, "patch"],
    ["#80 also when it is marked with no date", token({ ...USED, [INVALID_SINCE]: "yes" }), {}, "patch"],
    ["#81 goes when it was invalid for a year", token(INVALID), {}, "delete:legacy-token-unused"],
    [
      "#82 stays while its use is not tracked for long enough",
      token(USED),
      { trackedSince: date(YEAR + 12 * HOUR) },
      "keep",
    ],
    ["stays when its use is not tracked", token(USED), { trackedSince: undefined }, "keep"],
    ["#83 stays while a Pod mounts it", token(USED), { mounted: true }, "keep"],
    ["stays when it is young", token(USED, YEAR), {}, "keep"],
    ["stays when it was used lately", token({ [LAST_USED]: date(YEAR) }), {}, "keep"],
    [
      "stays when it is invalid for less than that",
      token({ ...USED, [INVALID_SINCE]: date(YEAR) }),
      {},
      "keep",
    ],
    ["stays when its last use is no date", token({ [LAST_USED]: "2024-02-30" }), {}, "skip"],
    ["stays when its account is gone", token(INVALID), { serviceAccount: undefined }, "keep"],
    [
      "stays when its account does not list it",
      token(INVALID),
      { serviceAccount: stored("serviceaccounts", "robot") },
      "keep",
    ],
    [
      "stays when its account was made anew",
      token(INVALID),
      {
        serviceAccount: stored("serviceaccounts", "robot", {
          metadata: { uid: "new" },
          secrets: [{ name: "robot-token" }],
        }),
      },
      "keep",
    ],
  ])("%s", (_, secret, more, decision) => {
    expect(decide(secret, more)).toBe(decision);
  });

  test("#80 is labelled with today's date", () => {
    expect(decideSecret(token(USED), facts(), settings, T0)).toMatchObject({
      patch: {
        subresource: undefined,
        next: { metadata: { labels: { ...USED, [INVALID_SINCE]: "2026-11-20" } } },
      },
    });
  });

  test("#81 survives when it was written in between", () => {
    expect(decideSecret(token(INVALID), facts(), settings, T0)).toMatchObject({
      deletion: { options: { uid: "uid-robot-token", resourceVersion: "7" } },
    });
  });

  test("is touched neither before its moment nor when the sweep is off", () => {
    for (const secret of [token(), token(USED), token(INVALID)]) {
      const due = secretDueAt(secret, settings) ?? Number.NaN;
      expect(decide(secret, { trackedSince: "2001-01-01" }, due - 1)).toBe("keep");
      expect(decide(secret, { trackedSince: "2001-01-01" }, due)).not.toBe("keep");
      expect(secretDueAt(secret, settingsOf("secrets", OFF))).toBeNull();
    }
  });
});
