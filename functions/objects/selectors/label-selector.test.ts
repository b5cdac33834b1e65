import { describe, expect, test } from "vitest";
import { type LabelRequirement, matchesLabels, parseLabelSelector } from "./label-selector.ts";

const requirement = (
  key: string,
  operator: LabelRequirement["operator"],
  ...values: string[]
): LabelRequirement => ({ key, operator, values });

const nameRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe("parseLabelSelector", () => {
  test.each<[text: string, requirements: LabelRequirement[]]>([
    ["", []],
    ["  ", []],
    ["a=b", [requirement("a", "in", "b")]],
    ["a==b", [requirement("a", "in", "b")]],
    [" a = b ", [requirement("a", "in", "b")]],
    ["a!=b", [requirement("a", "notin", "b")]],
    ["a=", [requirement("a", "in", "")]],
    ["a=,b", [requirement("a", "in", ""), requirement("b", "exists")]],
    ["a", [requirement("a", "exists")]],
    ["!a", [requirement("a", "absent")]],
    ["! a", [requirement("a", "absent")]],
    ["a in (x,y)", [requirement("a", "in", "x", "y")]],
    ["a in (y, x,y)", [requirement("a", "in", "x", "y")]],
    ["a in(x)", [requirement("a", "in", "x")]],
    ["a in ()", [requirement("a", "in", "")]],
    ["a in (,)", [requirement("a", "in", "")]],
    ["a in (x,,y)", [requirement("a", "in", "", "x", "y")]],
    ["a in (x,)", [requirement("a", "in", "", "x")]],
    ["a notin (x)", [requirement("a", "notin", "x")]],
    ["in in (in,notin)", [requirement("in", "in", "in", "notin")]],
    ["a=in", [requirement("a", "in", "in")]],
    ["a>1", [requirement("a", "gt", "1")]],
    ["a<10", [requirement("a", "lt", "10")]],
    [
      "z=1,example.com/role,a notin (x,y),!m",
      [
        requirement("a", "notin", "x", "y"),
        requirement("example.com/role", "exists"),
        requirement("m", "absent"),
        requirement("z", "in", "1"),
      ],
    ],
  ])("reads %j", (text, requirements) => {
    expect(parseLabelSelector(text)).toEqual({ ok: true, value: requirements });
  });

  test.each<[text: string, message: string]>([
    ["a===b", "unable to parse requirement: found '=', expected: identifier"],
    ["a=b,", "found '', expected: identifier after ','"],
    [",a", "found ',', expected: !, identifier, or 'end of string'"],
    ["=b", "found '=', expected: !, identifier, or 'end of string'"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a(x)", "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt"],
    ["a=b c", "found 'c', expected: ',' or 'end of string'"],
    ["!a=b", "found '=', expected: ',' or 'end of string'"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["a in x", "unable to parse requirement: found 'x' expected: '('"],
    ["a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ["a in (x", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (x,", "unable to parse requirement: found '', expected: ',', or identifier"],
    ["a in (x y)", "unable to parse requirement: found 'y', expected: ',' or ')'"],
    ["a in (x=y)", "unable to parse requirement: found '=', expected: ',' or ')'"],
    ["a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ["a>x", "unable to parse requirement: for 'Gt', 'Lt' operators, the value must be an integer"],
    ["a<", "unable to parse requirement: for 'Gt', 'Lt' operators, the value must be an integer"],
    [
      "a>9223372036854775808",
      "unable to parse requirement: for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ["_a", `unable to parse requirement: invalid label key "_a": ${nameRule}`],
    [
      "a=b_",
      `unable to parse requirement: invalid label value: "b_": at key: "a": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ])("refuses %j", (text, message) => {
    expect(parseLabelSelector(text)).toEqual({ ok: false, failure: { reason: "BadRequest", message } });
  });

  test("refuses a key that is too long", () => {
    const parsed = parseLabelSelector("a".repeat(64));
    expect(parsed.ok ? "" : parsed.failure).toMatchObject({
      message: expect.stringContaining("must be no more than 63 characters"),
    });
  });
});

describe("matchesLabels", () => {
  const labels = { app: "web", tier: "", level: "5", name: "x" };

  test.each<[text: string, matches: boolean]>([
    ["", true],
    ["app=web", true],
    ["app=db", false],
    ["app in (db,web)", true],
    ["tier=", true],
    ["missing=", false],
    ["app!=web", false],
    ["app!=db", true],
    ["missing!=db", true],
    ["missing notin (a,b)", true],
    ["app", true],
    ["missing", false],
    ["constructor", false],
    ["!missing", true],
    ["!app", false],
    ["level>4", true],
    ["level>5", false],
    ["level<6", true],
    ["level<5", false],
    ["name>1", false],
    ["missing>1", false],
    ["app=web,level>4,!missing", true],
    ["app=web,level>9", false],
  ])("%j matches: %j", (text, matches) => {
    const parsed = parseLabelSelector(text);
    expect(parsed.ok && matchesLabels(parsed.value, labels)).toBe(matches);
  });

  test("an object without labels matches what asks for absence only", () => {
    const matches = (text: string): boolean => {
      const parsed = parseLabelSelector(text);
      return parsed.ok && matchesLabels(parsed.value, undefined);
    };
    expect(matches("")).toBe(true);
    expect(matches("!a,b!=c")).toBe(true);
    expect(matches("a")).toBe(false);
  });

  test("a bound is compared as an integer of any size, not as text", () => {
    const parsed = parseLabelSelector("n>9007199254740992");
    expect(parsed.ok && matchesLabels(parsed.value, { n: "9007199254740993" })).toBe(true);
    expect(parsed.ok && matchesLabels(parsed.value, { n: "10" })).toBe(false);
  });
});
