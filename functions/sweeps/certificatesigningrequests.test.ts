import fc from "fast-check";
import { describe, expect, test } from "vitest";
import recorded from "../../test/recorded/certificates.json" with { type: "json" };
import type { KubeObject } from "../objects/object.ts";
import {
  decideCertificateSigningRequest as decide,
  certificateSigningRequestDueAt as dueAt,
} from "./certificatesigningrequests.ts";
import { ago, DAY, gist, HOUR, MINUTE, OFF, settingsOf, stored, T0 } from "./sweeps.fixture.ts";

const settings = settingsOf("certificatesigningrequests");

const certificate = (name: string) => recorded.find((each) => each.name.startsWith(name))?.certificate ?? "";
/** Ends a second before `T0`. */
const EXPIRED = certificate("expired");
const VALID = certificate("valid");
const GARBAGE = certificate("garbage");

type Condition = [type: string, age: number | null];

function request(conditions: Condition[], pem = "", created = HOUR): KubeObject {
  return stored("certificatesigningrequests.certificates.k8s.io", "csr", {
    metadata: { creationTimestamp: ago(created) },
    status: {
      conditions: conditions.map(([type, age]) => ({
        type,
        status: "True",
        ...(age === null ? {} : { lastUpdateTime: ago(age) }),
      })),
      ...(pem === "" ? {} : { certificate: pem }),
    },
  });
}

describe("a CertificateSigningRequest", () => {
  test.each<[string, KubeObject, string]>([
    ["#49 issued 50 min ago", request([["Approved", 50 * MINUTE]], VALID), `keep until ${10 * MINUTE + 1}`],
    ["#50 approved 50 min ago, not issued", request([["Approved", 50 * MINUTE]]), "keep"],
    ["#51 issued 2 h ago", request([["Approved", 2 * HOUR]], VALID), "delete:request-issued"],
    ["#52 approved 100 days ago, never issued", request([["Approved", 100 * DAY]]), "keep"],
    ["#53 denied 50 min ago", request([["Denied", 50 * MINUTE]]), `keep until ${10 * MINUTE + 1}`],
    ["#53 denied 2 h ago", request([["Denied", 2 * HOUR]]), "delete:request-denied"],
    [
      "#54 failed 50 min ago",
      request([
        ["Approved", 2 * HOUR],
        ["Failed", 50 * MINUTE],
      ]),
      `keep until ${10 * MINUTE + 1}`,
    ],
    [
      "#55 failed 2 h ago",
      request([
        ["Approved", 2 * HOUR],
        ["Failed", 2 * HOUR],
      ]),
      "delete:request-failed",
    ],
    ["#56 pending for 5 h", request([], "", 5 * HOUR), `keep until ${19 * HOUR + 1}`],
    ["#56 pending for 25 h", request([], "", 25 * HOUR), "delete:request-pending"],
    [
      "#57 its certificate expired",
      request([["Approved", 50 * MINUTE]], EXPIRED),
      "delete:certificate-expired",
    ],
    ["#58 its certificate is garbage", request([["Approved", 2 * HOUR]], GARBAGE), "skip"],
    [
      "#58 garbage shields from every other rule",
      request(
        [
          ["Approved", 2 * HOUR],
          ["Failed", 2 * HOUR],
        ],
        GARBAGE,
      ),
      "skip",
    ],
    [
      "garbage is not read when nobody approved",
      request([["Denied", 2 * HOUR]], GARBAGE),
      "delete:request-denied",
    ],
    ["#59 denied, nobody knows when", request([["Denied", null]], "", 365 * DAY), "keep"],
    ["#60 pending for exactly 24 h", request([], "", DAY), "keep until 1"],
    [
      "an expired certificate that nobody approved",
      request([["Failed", MINUTE]], EXPIRED),
      `keep until ${59 * MINUTE + 1}`,
    ],
    ["with an unrelated condition only", request([["Odd", 30 * DAY]], "", 30 * DAY), "keep"],
  ])("%s: %s", (_, object, decision) => {
    expect(gist(decide(object, settings, T0))).toBe(decision);
  });

  test("#60 goes a moment after 24 h", () => {
    expect(gist(decide(request([], "", DAY), settings, T0 + 1))).toBe("delete:request-pending");
  });

  test("#61 whose deletion failed is decided about as before", () => {
    const denied = request([["Denied", 2 * HOUR]]);
    expect(decide(denied, settings, T0 + HOUR)).toEqual(decide(denied, settings, T0));
  });

  test("counts whatever the status of its condition is", () => {
    const object = request([]);
    object.status = { conditions: [{ type: "Denied", status: "False", lastUpdateTime: ago(2 * HOUR) }] };
    expect(gist(decide(object, settings, T0))).toBe("delete:request-denied");
  });

  test("says what is wrong with its certificate", () => {
    expect(decide(request([["Approved", 2 * HOUR]], GARBAGE), settings, T0)).toEqual({
      act: "skip",
      problem: "the certificate is not PEM",
      next: null,
    });
  });

  test("that was approved and never issued goes where the settings say after how long", () => {
    const strict = settingsOf("certificatesigningrequests", { unissuedExpiration: "24h" });
    expect(gist(decide(request([["Approved", 2 * DAY]]), strict, T0))).toBe("delete:request-unissued");
    expect(gist(decide(request([["Approved", DAY]]), strict, T0))).toBe("keep until 1");
    expect(
      gist(
        decide(
          request([
            ["Approved", 2 * DAY],
            ["Failed", null],
          ]),
          strict,
          T0,
        ),
      ),
    ).toBe("keep");
  });

  test("is left alone when the sweep is off, or when it is being deleted", () => {
    const off = settingsOf("certificatesigningrequests", OFF);
    const denied = request([["Denied", 2 * HOUR]]);
    expect(dueAt(denied, off)).toBeNull();
    expect(gist(decide(denied, off, T0))).toBe("keep");
    const deleting = { ...denied, metadata: { ...denied.metadata, deletionTimestamp: ago(0) } };
    expect(dueAt(deleting, settings)).toBeNull();
    expect(gist(decide(deleting, settings, T0))).toBe("keep");
  });
});

test("none goes before its moment, and each goes at it", () => {
  const types = fc.constantFrom("Approved", "Denied", "Failed", "Odd");
  const condition = fc.tuple(types, fc.option(fc.nat(100 * DAY)));
  const pem = fc.constantFrom("", VALID, EXPIRED, GARBAGE);
  fc.assert(
    fc.property(
      fc.array(condition, { maxLength: 3 }),
      pem,
      fc.nat(100 * DAY),
      (conditions, issued, created) => {
        const object = request(conditions, issued, created);
        const due = dueAt(object, settings);
        const decision = decide(object, settings, due ?? T0);
        if (decision.act === "delete") {
          expect(due).not.toBeNull();
          expect(decide(object, settings, (due ?? 0) - 1)).toMatchObject({ act: "keep", next: due });
        } else expect(due === null || decision.act === "skip").toBe(true);
      },
    ),
  );
});
