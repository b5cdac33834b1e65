import { describe, expect, test } from "vitest";
import { decodeWriteOptions, managerOf, type OptionsKind } from "./write-options.ts";

const decoded = (query: string, options: OptionsKind) =>
  decodeWriteOptions(new URLSearchParams(query), options);

describe("options", () => {
  test.each<[string, OptionsKind, object]>([
    ["", "CreateOptions", { dryRun: false, force: false }],
    ["dryRun=All", "UpdateOptions", { dryRun: true, force: false }],
    ["fieldManager=me", "PatchOptions", { dryRun: false, force: false }],
    ["fieldManager=me&force=true", "ApplyOptions", { dryRun: false, force: true }],
    ["fieldManager=me&force=false", "ApplyOptions", { dryRun: false, force: false }],
    ["fieldManager=me&force=0", "ApplyOptions", { dryRun: false, force: false }],
  ])("%j of %s", (query, options, expected) => {
    expect(decoded(query, options)).toEqual({ ok: true, value: expected });
  });

  test.each<[string, OptionsKind, string[]]>([
    ["force=true", "PatchOptions", ["force: Forbidden: may not be specified for non-apply patch"]],
    ["", "ApplyOptions", ["fieldManager: Required value: is required for apply patch"]],
    [
      `fieldManager=${"m".repeat(129)}`,
      "CreateOptions",
      ["fieldManager: Too long: must have at most 128 bytes"],
    ],
    [
      "fieldManager=a%07b",
      "UpdateOptions",
      ['fieldManager: Invalid value: "a\\u0007b": invalid character U+0007 (at position 1)'],
    ],
    [
      "force=1&dryRun=x",
      "PatchOptions",
      [
        "force: Forbidden: may not be specified for non-apply patch",
        'dryRun: Unsupported value: []string{"x"}: supported values: "All"',
      ],
    ],
  ])("%j is refused of %s", (query, options, errors) => {
    const outcome = decoded(query, options);
    const failure = outcome.ok ? undefined : outcome.failure;
    expect(failure).toMatchObject({
      reason: "Invalid",
      group: "meta.k8s.io",
      kind: options === "ApplyOptions" ? "PatchOptions" : options,
    });
    const told =
      failure?.reason === "Invalid" ? failure.errors.map(({ field, message }) => `${field}: ${message}`) : [];
    expect(told).toEqual(errors);
  });
});

describe("who writes", () => {
  test.each([
    ["fieldManager=flux", "kubectl/v1.32.5", "flux"],
    ["", "kubectl/v1.32.5 (linux/amd64)", "kubectl"],
    ["fieldManager=", "curl", "curl"],
    ["", "a\u0007b/1", "ab"],
    ["", `${"é".repeat(100)}/1`, "é".repeat(64)],
    ["", null, ""],
  ])("%j by %j is %j", (query, userAgent, expected) => {
    expect(managerOf(new URLSearchParams(query), userAgent)).toBe(expected);
  });
});
