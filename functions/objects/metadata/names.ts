/**
 * What names, label keys and label values must look like. Each function says what is wrong, in upstream's words, and
 * returns an empty list when nothing is.
 *
 * Source: k8s.io/apimachinery `util/validation` and `api/validation/path`; lengths are counted in bytes, as there.
 */
import type { Traits } from "../kind.ts";

export type NameSyntax = Traits["nameSyntax"];

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

const MAX_SUBDOMAIN = 253;
const MAX_LABEL = 63;

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const isLabel = whole(LABEL);
const isSubdomain = whole(SUBDOMAIN);
const isLabel1035 = whole(LABEL_1035);
const isQualifiedName = whole(QUALIFIED_NAME);
const isLabelValue = whole(LABEL_VALUE);

const utf8 = new TextEncoder();
export const byteLength = (text: string): number => utf8.encode(text).length;

const tooLong = (limit: number) => `must be no more than ${limit} characters`;

/** The double space before `or` is upstream's. */
function mismatch(rule: string, pattern: string, ...examples: readonly string[]): string {
  const quoted = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}

/** Lower case parts separated by dots, at most 253 bytes: what most kinds ask of a name. */
export function subdomainFaults(name: string): string[] {
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [
    ...(byteLength(name) > MAX_SUBDOMAIN ? [tooLong(MAX_SUBDOMAIN)] : []),
    ...(isSubdomain.test(name) ? [] : [mismatch(rule, SUBDOMAIN, "example.com")]),
  ];
}

/** One part without dots, at most 63 bytes: namespaces. */
export function labelFaults(name: string): string[] {
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [
    ...(byteLength(name) > MAX_LABEL ? [tooLong(MAX_LABEL)] : []),
    ...(isLabel.test(name) ? [] : [mismatch(rule, LABEL, "my-name", "123-abc")]),
  ];
}

/** As a label, but it begins with a letter: services. */
export function label1035Faults(name: string): string[] {
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [
    ...(byteLength(name) > MAX_LABEL ? [tooLong(MAX_LABEL)] : []),
    ...(isLabel1035.test(name) ? [] : [mismatch(rule, LABEL_1035, "my-name", "abc-123")]),
  ];
}

/** Anything that can be one part of a URL path. The limit of 253 bytes is ours: upstream has none. */
function pathSegmentFaults(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return [
    ...["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`),
    ...(byteLength(name) > MAX_SUBDOMAIN ? [tooLong(MAX_SUBDOMAIN)] : []),
  ];
}

const FAULTS: Readonly<Record<NameSyntax, (name: string) => string[]>> = {
  subdomain: subdomainFaults,
  label: labelFaults,
  "label-1035": label1035Faults,
  "path-segment": pathSegmentFaults,
};

export const nameFaults = (name: string, syntax: NameSyntax): string[] => FAULTS[syntax](name);

/**
 * The same for a `generateName`, to which a suffix will be added: one dash at its end is no fault. Upstream replaces the
 * last two characters to mask the dash, so a fault in the one before it shows only in the name that is made.
 */
export function generateNameFaults(base: string, syntax: NameSyntax): string[] {
  if (syntax === "path-segment") return base === "." || base === ".." ? [] : pathSegmentFaults(base);
  return nameFaults(base.length > 1 && base.endsWith("-") ? `${base.slice(0, -2)}a` : base, syntax);
}

/** Label keys, annotation keys and finalizers: a name, with an optional subdomain and a slash before it. */
export function qualifiedNameFaults(value: string): string[] {
  const rule = mismatch(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    QUALIFIED_NAME,
    "MyName",
    "my.name",
    "123-abc",
  );
  const parts = value.split("/");
  if (parts.length > 2) {
    return [
      `a qualified name ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const faults: string[] = [];
  const name = parts.at(-1) ?? "";
  if (parts.length === 2) {
    const prefix = parts[0] ?? "";
    const prefixFaults = prefix === "" ? ["must be non-empty"] : subdomainFaults(prefix);
    faults.push(...prefixFaults.map((fault) => `prefix part ${fault}`));
  }
  if (name === "") faults.push("name part must be non-empty");
  else if (byteLength(name) > MAX_LABEL) faults.push(`name part ${tooLong(MAX_LABEL)}`);
  if (!isQualifiedName.test(name)) faults.push(`name part ${rule}`);
  return faults;
}

export function labelValueFaults(value: string): string[] {
  const rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [
    ...(byteLength(value) > MAX_LABEL ? [tooLong(MAX_LABEL)] : []),
    ...(isLabelValue.test(value) ? [] : [mismatch(rule, LABEL_VALUE, "MyValue", "my_value", "12345")]),
  ];
}

/** No vowels and nothing that reads as one, so that no word appears. */
const SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;

/** `random` gives numbers from 0 up to, but not including, 1. The name is at most 63 characters long. */
export function generateName(base: string, random: () => number): string {
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () =>
    SUFFIX_ALPHABET.charAt(Math.floor(random() * SUFFIX_ALPHABET.length)),
  );
  return base.slice(0, MAX_LABEL - SUFFIX_LENGTH) + suffix.join("");
}
