import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GroupResource, KubeObject, ObjectMeta } from "../objects/object.ts";
import { ago, DAY, gist, HOUR, MINUTE, OFF, SECOND, settingsOf, stored, T0 } from "./sweeps.fixture.ts";
import { decideTtl, ttlDueAt } from "./ttl.ts";

const settings = settingsOf("ttl");
const CONFIGMAPS = "configmaps" as GroupResource;

/** Created at `T0`, so that a TTL is what is left of it. */
const marked = (
  annotations: Record<string, string>,
  labels = {},
  metadata: Partial<ObjectMeta> = {},
): KubeObject =>
  stored("configmaps", "c", { metadata: { creationTimestamp: ago(0), annotations, labels, ...metadata } });

const decide = (object: KubeObject, now = T0, resource = CONFIGMAPS) =>
  decideTtl(object, resource, settings, now);

/** From `T0` to the first millisecond at which it goes; `never`, or `protected` by a mark that cannot be read. */
function left(object: KubeObject): number | string {
  const decision = decide(object, Number.MIN_SAFE_INTEGER);
  if (decision.act === "skip") return "protected";
  return decision.act === "keep" && decision.next !== null ? decision.next - T0 : "never";
}

describe("its own annotation", () => {
  test.each<[string, number | string]>([
    ["1h30m", 90 * MINUTE],
    ["7d", 7 * DAY],
    ["1w", 7 * DAY],
    ["3d12h", 84 * HOUR],
    ["0", 0],
    ["90", "protected"],
    ["-1h", "protected"],
    ["", "protected"],
    ["forever", "protected"],
    ["1 h", "protected"],
    ["1mo", "protected"],
  ])("gc.kubegc.dev/ttl=%s: %s", (value, expected) => {
    expect(left(marked({ "gc.kubegc.dev/ttl": value }))).toBe(expected);
  });

  test.each<[string, number | string]>([
    ["2026-11-20T16:20:13Z", 10 * SECOND],
    ["2026-11-20T17:20:13+01:00", 10 * SECOND],
    ["2026-11-21", Date.UTC(2026, 10, 21) - T0],
    ["tomorrow", "protected"],
    ["2026-13-01", "protected"],
    ["2026-02-30", "protected"],
  ])("gc.kubegc.dev/expires=%s: %s", (value, expected) => {
    expect(left(marked({ "gc.kubegc.dev/expires": value }))).toBe(expected);
  });
});

describe("kube-janitor's annotations", () => {
  test.each<[string, number | string]>([
    ["60s", MINUTE + 1],
    ["5m", 5 * MINUTE + 1],
    ["8h", 8 * HOUR + 1],
    ["7d", 7 * DAY + 1],
    ["2w", 14 * DAY + 1],
    ["forever", "never"],
    ["Forever", "never"],
    ["0s", "never"],
    ["", "never"],
    ["99999999999999999999w", "never"],
    ["1h30m", "protected"],
    ["1.5h", "protected"],
    ["1y", "protected"],
    ["1D", "protected"],
    ["-1d", "protected"],
  ])("janitor/ttl=%s: %s", (value, expected) => {
    expect(left(marked({ "janitor/ttl": value }))).toBe(expected);
  });

  test.each<[string, number | string]>([
    ["2026-11-20T16:20:13Z", 10 * SECOND + 1],
    ["2026-11-20T16:21", 57 * SECOND + 1],
    ["2026-11-21", Date.UTC(2026, 10, 21) + 1 - T0],
    ["2026-1-2", Date.UTC(2026, 0, 2) + 1 - T0],
    ["2026-11-20T16:20:13+01:00", "protected"],
    ["2026-02-29", "protected"],
    ["2026-11-20T24:00", "protected"],
  ])("janitor/expires=%s: %s", (value, expected) => {
    expect(left(marked({ "janitor/expires": value }))).toBe(expected);
  });
});

describe("k8s-ttl-controller's annotations", () => {
  const ttl = (value: string, refreshedAt?: string) =>
    marked({
      "k8s-ttl-controller.twin.sh/ttl": value,
      ...(refreshedAt === undefined ? {} : { "k8s-ttl-controller.twin.sh/refreshed-at": refreshedAt }),
    });

  test.each<[string, string | undefined, number | string]>([
    ["30m", undefined, 30 * MINUTE + 1],
    ["7d", undefined, 7 * DAY + 1],
    ["1w1d", undefined, 8 * DAY + 1],
    ["1.5d", undefined, 36 * HOUR + 1],
    ["1h", ago(-HOUR), 2 * HOUR + 1],
    ["1h", ago(2 * HOUR), -HOUR + 1],
    ["1h", "yesterday", "protected"],
    ["1y", undefined, "protected"],
    ["-1h", undefined, "protected"],
    ["forever", undefined, "protected"],
  ])("ttl=%s refreshed-at=%s: %s", (value, refreshedAt, expected) => {
    expect(left(ttl(value, refreshedAt))).toBe(expected);
  });

  test("refreshed-at alone means nothing", () => {
    expect(left(marked({ "k8s-ttl-controller.twin.sh/refreshed-at": ago(0) }))).toBe("never");
  });
});

describe("kyverno's label", () => {
  test.each<[string, number | string]>([
    ["2m", 2 * MINUTE + 1],
    ["1h30m", 90 * MINUTE + 1],
    ["1d", DAY + 1],
    ["2weeks", 14 * DAY + 1],
    ["1d12hours", 36 * HOUR + 1],
    ["2026-11-20T162013Z", 10 * SECOND + 1],
    ["2026-11-21", Date.UTC(2026, 10, 21) + 1 - T0],
    ["2026-11-20T16:20:13Z", "protected"],
    ["1.5d", "protected"],
    ["1d-ish", "protected"],
    ["x1d", "protected"],
    ["-1h", "protected"],
    ["", "protected"],
    ["soon", "protected"],
    ["3fortnights", "protected"],
  ])("cleanup.kyverno.io/ttl=%s: %s", (value, expected) => {
    expect(left(marked({}, { "cleanup.kyverno.io/ttl": value }))).toBe(expected);
    expect(left(marked({ "cleanup.kyverno.io/ttl": value }))).toBe("never");
  });
});

describe("an object with a time to live", () => {
  test("goes by the first of its marks", () => {
    const object = marked({
      "janitor/ttl": "2h",
      "gc.kubegc.dev/ttl": "1h",
      "janitor/expires": "2030-01-01",
    });
    expect(left(object)).toBe(HOUR);
    expect(decide(object, T0 + HOUR)).toMatchObject({ deletion: { reason: "gc.kubegc.dev/ttl is 1h" } });
  });

  test("never goes while one of its marks cannot be read, and the mark is told", () => {
    const object = marked({ "janitor/ttl": "1s", "gc.kubegc.dev/ttl": "1 week" });
    expect(ttlDueAt(object, CONFIGMAPS, settings)).toBe(T0);
    expect(decide(object, T0 + DAY)).toEqual({
      act: "skip",
      problem: 'gc.kubegc.dev/ttl="1 week": time: unknown unit " week" in duration "1 week"',
      next: null,
    });
  });

  test.each<[string, KubeObject, string]>([
    ["in kube-system", marked({ "janitor/ttl": "1s" }, {}, { namespace: "kube-system" }), "configmaps"],
    [
      "that is the Namespace kube-system",
      { ...stored("namespaces", "kube-system", { metadata: { annotations: { "janitor/ttl": "1s" } } }) },
      "namespaces",
    ],
    ["that is an Event", marked({ "janitor/ttl": "1s" }), "events"],
    ["that is a ControllerRevision", marked({ "janitor/ttl": "1s" }), "controllerrevisions.apps"],
    [
      "that is being deleted",
      marked({ "janitor/ttl": "1s" }, {}, { deletionTimestamp: ago(0) }),
      "configmaps",
    ],
  ])("%s is left alone", (_, object, resource) => {
    expect(ttlDueAt(object, resource as GroupResource, settings)).toBeNull();
    expect(gist(decide(object, T0 + DAY, resource as GroupResource))).toBe("keep");
  });

  test("goes with its Namespace, which may have one itself", () => {
    const namespace = stored("namespaces", "preview", { metadata: { annotations: { "janitor/ttl": "1s" } } });
    expect(gist(decide(namespace, T0, "namespaces" as GroupResource))).toBe("delete:ttl");
  });

  const optionsOf = (annotations: Record<string, string>, labels = {}) => {
    const decision = decide(marked(annotations, labels), T0 + DAY);
    return decision.act === "delete" ? decision.deletion.options : undefined;
  };
  const KYVERNO = { "cleanup.kyverno.io/ttl": "1s" };

  test("goes the way its tool deletes", () => {
    const own = { dryRun: false, uid: "uid-c" };
    const policy = (name: string) => optionsOf({ "cleanup.kyverno.io/propagation-policy": name }, KYVERNO);
    expect(optionsOf({ "janitor/ttl": "1s" })).toEqual({ ...own, propagationPolicy: "Foreground" });
    expect(optionsOf({ "k8s-ttl-controller.twin.sh/ttl": "1s" })).toEqual(own);
    expect(optionsOf({ "gc.kubegc.dev/ttl": "1s" })).toEqual(own);
    expect(policy("Orphan")).toEqual({ ...own, propagationPolicy: "Orphan" });
    expect(policy("Odd")).toEqual(own);
  });

  const eventsOf = (annotations: Record<string, string>, labels = {}) => {
    const decision = decide(marked(annotations, labels), T0 + DAY);
    return decision.act === "delete"
      ? decision.deletion.events.map(({ when, reason }) => `${when} ${reason}`)
      : [];
  };

  test("goes with the Events its tool emits", () => {
    expect(eventsOf({ "janitor/ttl": "1s" })).toEqual(["before TimeToLiveExpired"]);
    expect(eventsOf({ "janitor/expires": "2026-11-20" })).toEqual(["before ExpiryTimeReached"]);
    expect(eventsOf({ "k8s-ttl-controller.twin.sh/ttl": "1s" })).toEqual([
      "done DeletedExpiredTTL",
      "failed FailedToDeleteExpiredTTL",
    ]);
    expect(eventsOf({}, KYVERNO)).toEqual([]);
  });
});

test("nothing goes before its moment, when it is excluded, when the sweep is off, or by a mark nobody can read", () => {
  const values = fc.oneof(
    fc.constantFrom(
      "1s",
      "7d",
      "forever",
      "0",
      "-1h",
      "2026-11-20",
      "2030-01-01T00:00:00Z",
      "9999999h",
      "",
      "x",
    ),
    fc.string({ maxLength: 8 }),
  );
  const keys = [
    "gc.kubegc.dev/ttl",
    "gc.kubegc.dev/expires",
    "janitor/ttl",
    "janitor/expires",
    "k8s-ttl-controller.twin.sh/ttl",
  ];
  const annotations = fc.dictionary(fc.constantFrom(...keys), values, { maxKeys: 3 });
  fc.assert(
    fc.property(
      annotations,
      fc.option(values),
      fc.constantFrom("team", "kube-system"),
      (marks, label, namespace) => {
        const object = marked(marks, label === null ? {} : { "cleanup.kyverno.io/ttl": label }, {
          namespace,
        });
        const due = ttlDueAt(object, CONFIGMAPS, settings);
        const late = decide(object, Date.UTC(9999, 0, 1));
        if (namespace === "kube-system") expect([due, late.act]).toEqual([null, "keep"]);
        else if (late.act === "delete") {
          expect(decide(object, (due ?? Number.NaN) - 1)).toMatchObject({ act: "keep", next: due });
          expect(decide(object, due ?? Number.NaN).act).toBe("delete");
        } else expect(late.act === "skip" || due === null || due > Date.UTC(9999, 0, 1)).toBe(true);
        expect(ttlDueAt(object, CONFIGMAPS, settingsOf("ttl", OFF))).toBeNull();
        expect(decideTtl(object, CONFIGMAPS, settingsOf("ttl", OFF), Date.UTC(9999, 0, 1)).act).toBe("keep");
      },
    ),
  );
});
