import { describe, expect, test } from "vitest";
import { decodeDeleteOptions, decodeDryRun } from "./delete-options.ts";

const fromBody = (body: unknown, query = "") =>
  decodeDeleteOptions(JSON.stringify(body), "application/json", new URLSearchParams(query));
const fromQuery = (query: string) => decodeDeleteOptions("", "", new URLSearchParams(query));

describe("from a body", () => {
  test.each<[unknown, object]>([
    [{}, { dryRun: false }],
    [null, { dryRun: false }],
    [{ gracePeriodSeconds: -5 }, { dryRun: false, gracePeriodSeconds: -5 }],
    [{ gracePeriodSeconds: 0 }, { dryRun: false, gracePeriodSeconds: 0 }],
    [{ gracePeriodSeconds: null, preconditions: null, dryRun: null }, { dryRun: false }],
    [{ preconditions: { uid: "", resourceVersion: "1" } }, { dryRun: false, uid: "", resourceVersion: "1" }],
    [{ orphanDependents: false }, { dryRun: false, orphanDependents: false }],
    [
      { kind: "DeleteOptions", apiVersion: "apps/v1", propagationPolicy: "Foreground" },
      { dryRun: false, propagationPolicy: "Foreground" },
    ],
    [{ dryRun: ["All", "All"] }, { dryRun: true }],
    [{ unknown: 1 }, { dryRun: false }],
  ])("%j", (body, options) => {
    expect(fromBody(body)).toEqual({ ok: true, value: options });
  });

  test("the query does not count at all", () => {
    expect(fromBody({}, "dryRun=Some&gracePeriodSeconds=x&propagationPolicy=Orphan")).toEqual({
      ok: true,
      value: { dryRun: false },
    });
  });

  test("YAML is read as well", () => {
    const options = decodeDeleteOptions(
      "propagationPolicy: Orphan",
      "application/yaml",
      new URLSearchParams(),
    );
    expect(options).toEqual({ ok: true, value: { dryRun: false, propagationPolicy: "Orphan" } });
  });

  test.each<[unknown, string]>([
    [
      { gracePeriodSeconds: "5" },
      'v1.DeleteOptions.GracePeriodSeconds: readUint64: unexpected character: \ufffd, error found in #10 byte of ...|Seconds":"5"}|..., bigger context ...|{"gracePeriodSeconds":"5"}|...',
    ],
    [
      { preconditions: { uid: 5 } },
      'v1.DeleteOptions.Preconditions: v1.Preconditions.UID: ReadString: expects " or n, but found 5, error found in #10 byte of ...|":{"uid":5}}|..., bigger context ...|{"preconditions":{"uid":5}}|...',
    ],
    [
      { orphanDependents: "x" },
      'v1.DeleteOptions.OrphanDependents: ReadBool: expect t or f, but found ", error',
    ],
    [{ dryRun: "All" }, 'v1.DeleteOptions.DryRun: []string: decode slice: expect [ or n, but found ", error'],
    [
      [],
      "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct {",
    ],
    [
      { kind: 5 },
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    [{ kind: "Pod", apiVersion: "a/b" }, 'no kind "Pod" is registered for version "a/b" in scheme'],
  ])("%j cannot be decoded", (body, message) => {
    expect(fromBody(body)).toEqual({
      ok: false,
      failure: { reason: "Unknown", message: expect.stringContaining(message) },
    });
  });

  test("another media type is refused", () => {
    expect(decodeDeleteOptions("x", "text/plain", new URLSearchParams())).toMatchObject({
      ok: false,
      failure: { reason: "UnsupportedMediaType" },
    });
  });
});

describe("from the query", () => {
  test.each<[string, object]>([
    ["", { dryRun: false }],
    ["gracePeriodSeconds=-3", { dryRun: false, gracePeriodSeconds: -3 }],
    ["gracePeriodSeconds=%2B03", { dryRun: false, gracePeriodSeconds: 3 }],
    ["uid=u&resourceVersion=7", { dryRun: false, uid: "u", resourceVersion: "7" }],
    ["uid=&resourceVersion=", { dryRun: false }],
    ["orphanDependents=False", { dryRun: false, orphanDependents: false }],
    ["orphanDependents=0", { dryRun: false, orphanDependents: false }],
    ["orphanDependents=", { dryRun: false, orphanDependents: true }],
    ["orphanDependents=no", { dryRun: false, orphanDependents: true }],
    ["propagationPolicy=Background&dryRun=All", { dryRun: true, propagationPolicy: "Background" }],
  ])("%s", (query, options) => {
    expect(fromQuery(query)).toEqual({ ok: true, value: options });
  });

  test.each([
    ["abc", "invalid syntax"],
    ["", "invalid syntax"],
    ["1.5", "invalid syntax"],
    ["9223372036854775808", "value out of range"],
  ])("gracePeriodSeconds=%s is a bad request", (value, what) => {
    expect(fromQuery(`gracePeriodSeconds=${value}`)).toEqual({
      ok: false,
      failure: { reason: "BadRequest", message: `strconv.ParseInt: parsing "${value}": ${what}` },
    });
  });

  test("an empty policy is an unknown one", () => {
    expect(fromQuery("propagationPolicy=")).toMatchObject({ ok: false, failure: { reason: "Invalid" } });
  });
});

test("all faults are told at once", () => {
  const outcome = fromBody({ orphanDependents: true, propagationPolicy: "x", dryRun: ["All", "y"] });
  expect(!outcome.ok && outcome.failure.reason === "Invalid" && outcome.failure.errors).toEqual([
    {
      field: "propagationPolicy",
      type: "FieldValueInvalid",
      message: expect.stringContaining("cannot be both set"),
    },
    { field: "propagationPolicy", type: "FieldValueNotSupported", message: expect.stringContaining('"nil"') },
    {
      field: "dryRun",
      type: "FieldValueNotSupported",
      message: 'Unsupported value: []string{"All", "y"}: supported values: "All"',
    },
  ]);
});

describe("dryRun of the other writes", () => {
  const decode = (query: string) => decodeDryRun(new URLSearchParams(query), "PatchOptions");

  test.each([
    ["", false],
    ["dryRun=All", true],
    ["dryRun=All&dryRun=All", true],
  ])("%j is %s", (query, dryRun) => {
    expect(decode(query)).toEqual({ ok: true, value: dryRun });
  });

  test.each(["dryRun=", "dryRun=all", "dryRun=All&dryRun=x"])("%s is refused on the options", (query) => {
    expect(decode(query)).toMatchObject({
      ok: false,
      failure: { reason: "Invalid", group: "meta.k8s.io", kind: "PatchOptions", name: "" },
    });
  });
});
