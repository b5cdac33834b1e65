import { describe, expect, test } from "vitest";
import { compilePattern } from "./pattern.ts";

function found(pattern: string, text: string): boolean | undefined {
  const compiled = compilePattern(pattern);
  if ("fault" in compiled) throw new Error(compiled.fault);
  return compiled.foundIn(text, { left: 1_000_000 });
}

describe("a pattern of Go's syntax", () => {
  test.each<[string, string[], string[]]>([
    ["abc", ["abc", "xxabcxx"], ["ab", ""]],
    ["^a|b$", ["ax", "xb"], ["xa", "bx"]],
    [
      "^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$",
      ["* * * * */5", "1 2 3 4 5"],
      ["* * * *", "a b c d e"],
    ],
    ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", ["a", "my-name"], ["-a", "a-", "A", ""]],
    ["^a{2,3}$", ["aa", "aaa"], ["a", "aaaa"]],
    ["^a{2,}$", ["aa", "aaaaa"], ["a"]],
    ["^a{2}$", ["aa"], ["a", "aaa"]],
    ["^a{,2}$", ["a{,2}"], ["a"]],
    ["^(a*)*$", ["", "aaaa"], ["b"]],
    ["^a*?b+?$", ["aab", "b"], ["a"]],
    ["(?i)^straße$", ["STRAßE", "straße"], ["strasse"]],
    ["^(?i:a)b$", ["Ab", "ab"], ["AB"]],
    ["^(?P<year>\\d{4})-(?:\\d\\d)$", ["2026-01"], ["26-01"]],
    ["^.$", ["a", "😀"], ["\n", "ab"]],
    ["(?s)^.$", ["\n"], []],
    ["(?m)^b$", ["a\nb\nc"], ["abc"]],
    ["\\Aab\\z", ["ab"], ["ab\n"]],
    ["\\bfoo\\b", ["a foo b"], ["afoo", "food"]],
    ["^[^/]+$", ["a b"], ["a/b", ""]],
    ["^[]a-]+$", ["]a-"], ["b"]],
    ["^[[:alpha:]_][[:word:]]*$", ["_a1"], ["1a"]],
    ["^\\p{Lu}\\pL*$", ["Äb"], ["äb", "A1"]],
    ["^\\p{Greek}+$", ["αβγ"], ["abc"]],
    ["^\\x41\\x{1F600}\\.\\/$", ["A😀./"], ["A"]],
    ["^\\Q.*\\E$", [".*"], ["ab"]],
    [
      "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
      ["1", "1.5Gi", "-.5", "1e3", "100m"],
      ["", "Gi", "1GiB", "1 "],
    ],
    ["^(?i)(abort|warn)?$", ["", "WARN"], ["warned"]],
    ["", ["", "anything"], []],
    ["^a|^$", ["", "ab"], ["b"]],
  ])("%s", (pattern, matching, others) => {
    for (const text of matching) expect([text, found(pattern, text)]).toEqual([text, true]);
    for (const text of others) expect([text, found(pattern, text)]).toEqual([text, false]);
  });

  test.each<[string, string]>([
    ["(a", "error parsing regexp: missing closing ): `(a`"],
    ["a)", "error parsing regexp: unexpected ): `a)`"],
    ["[a", "error parsing regexp: missing closing ]: `[a`"],
    ["*a", "error parsing regexp: missing argument to repetition operator: `*`"],
    ["a**", "error parsing regexp: invalid nested repetition operator: `**`"],
    ["a{1001}", "error parsing regexp: invalid repeat count: `{1001}`"],
    ["[b-a]", "error parsing regexp: invalid character class range: `b-a`"],
    ["\\1", "error parsing regexp: invalid escape sequence: `\\1`"],
    ["(?=a)", "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"],
  ])("refuses %s", (pattern, fault) => {
    expect(compilePattern(pattern)).toEqual({ fault });
  });

  test("does not grow without bounds", () => {
    for (const huge of [
      "((a{1000}){1000}){1000}",
      "((()" + "{1000}){1000}){1000}",
      "(".repeat(300) + ")".repeat(300),
    ]) {
      expect(compilePattern(huge)).toHaveProperty("fault");
    }
  });

  test("takes time in proportion to the text, where backtracking would explode", () => {
    const began = performance.now();
    expect(found("^(a+)+$", `${"a".repeat(20_000)}b`)).toBe(false);
    expect(found("^(a|aa)*(b|a)*c$", "a".repeat(20_000))).toBe(false);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test("gives up when the effort is used up", () => {
    const compiled = compilePattern("^(a+)+$");
    if ("fault" in compiled) throw new Error(compiled.fault);
    const effort = { left: 100 };
    expect(compiled.foundIn("a".repeat(1000), effort)).toBeUndefined();
    expect(compiled.foundIn("a", effort)).toBeUndefined();
  });
});
