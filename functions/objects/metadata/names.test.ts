import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  generateName,
  generateNameFaults,
  labelValueFaults,
  type NameSyntax,
  nameFaults,
  qualifiedNameFaults,
} from "./names.ts";

const a = (length: number) => "a".repeat(length);
const QUALIFIED =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe("a name", () => {
  test.each<[NameSyntax, string]>([
    ["subdomain", "a"],
    ["subdomain", "0.a-b.c"],
    ["subdomain", a(253)],
    ["label", "0-a"],
    ["label", a(63)],
    ["label-1035", "a-0"],
    ["path-segment", "system:Node.x"],
    ["path-segment", "ä ö"],
  ])("as %s may be %s", (syntax, name) => {
    expect(nameFaults(name, syntax)).toEqual([]);
  });

  test.each<[NameSyntax, string, string]>([
    ["subdomain", "-a", "RFC 1123 subdomain"],
    ["subdomain", "a-", "RFC 1123 subdomain"],
    ["subdomain", "a..b", "RFC 1123 subdomain"],
    ["subdomain", "a\n", "RFC 1123 subdomain"],
    ["subdomain", a(254), "must be no more than 253 characters"],
    [
      "label",
      "a.b",
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
    ["label", a(64), "must be no more than 63 characters"],
    [
      "label-1035",
      "0a",
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
    ["path-segment", ".", "may not be '.'"],
    ["path-segment", "..", "may not be '..'"],
    ["path-segment", "a/b", "may not contain '/'"],
    ["path-segment", "a%b", "may not contain '%'"],
    ["path-segment", a(254), "must be no more than 253 characters"],
  ])("as %s may not be %j", (syntax, name, fault) => {
    expect(nameFaults(name, syntax).join()).toContain(fault);
  });

  test("has all its faults told", () => {
    expect(nameFaults("A".repeat(254), "subdomain")).toHaveLength(2);
    expect(nameFaults("/%", "path-segment")).toEqual(["may not contain '/'", "may not contain '%'"]);
  });

  test("is measured in bytes", () => {
    expect(nameFaults("ä".repeat(127), "path-segment")).toEqual(["must be no more than 253 characters"]);
  });
});

describe("a generateName", () => {
  test.each<[NameSyntax, string, boolean]>([
    ["subdomain", "web-", true],
    ["subdomain", "web", true],
    ["subdomain", "-", false],
    ["subdomain", "Web-", false],
    ["label-1035", "0-", true],
    ["path-segment", ".", true],
    ["path-segment", "a/", false],
  ])("as %s, %s: passes %s", (syntax, base, passes) => {
    expect(generateNameFaults(base, syntax).length === 0).toBe(passes);
  });
});

describe("a generated name", () => {
  test("is the base and five characters of the alphabet", () => {
    const numbers = [0, 0.5, 0.999999, 0.04, 0.96];
    expect(generateName("web-", () => numbers.shift() ?? 0)).toBe("web-br9c8");
  });

  test("never exceeds 63 characters and is a label when its base is one", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.double({ min: 0, max: 0.9999, noNaN: true }),
        (length, r) => {
          const name = generateName(a(length), () => r);
          expect(name).toHaveLength(Math.min(length, 58) + 5);
          expect(nameFaults(name, "label")).toEqual([]);
        },
      ),
    );
  });
});

describe("a qualified name", () => {
  test.each(["a", "A_b.c-9", "example.com/a", `${a(253)}/${a(63)}`])("may be %s", (name) => {
    expect(qualifiedNameFaults(name)).toEqual([]);
  });

  test.each<[string, string[]]>([
    ["", ["name part must be non-empty", `name part ${QUALIFIED}`]],
    ["_a", [`name part ${QUALIFIED}`]],
    [a(64), ["name part must be no more than 63 characters"]],
    ["/a", ["prefix part must be non-empty"]],
    ["a/", ["name part must be non-empty", `name part ${QUALIFIED}`]],
    [
      "a/b/c",
      [
        `a qualified name ${QUALIFIED} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ],
    ],
  ])("may not be %j", (name, faults) => {
    expect(qualifiedNameFaults(name)).toEqual(faults);
  });

  test("has the faults of its prefix told", () => {
    expect(qualifiedNameFaults("Example.com/a")).toEqual([
      expect.stringMatching(/^prefix part a lowercase RFC 1123 subdomain must consist of/),
    ]);
  });
});

describe("a label value", () => {
  test.each(["", "a", "A.b_c-9", a(63)])("may be %j", (value) => {
    expect(labelValueFaults(value)).toEqual([]);
  });

  test.each([" ", "-a", "a/b", a(64)])("may not be %j", (value) => {
    expect(labelValueFaults(value)).toHaveLength(1);
  });
});
