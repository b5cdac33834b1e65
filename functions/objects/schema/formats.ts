import { labelFaults, subdomainFaults } from "../metadata/names.ts";
import { compilePattern } from "./pattern/pattern.ts";

const matching =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

/** Upstream's pattern of host names as it is, with what it takes for one and what not. */
const HOSTNAME = compilePattern(
  "^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z0-9\\p{S}\\p{L}])(-?[a-zA-Z0-9\\p{S}\\p{L}]){1,62})$",
);
const LONGEST_HOSTNAME = 255;

const RGB = "(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";

/**
 * The formats of strings that are checked, by their name without dashes. Those of numbers (`int32`, `double`) are not
 * among them: the API server accepts any number of the type.
 *
 * Source: apiextensions-apiserver `pkg/apiserver/validation/formats.go`, kube-openapi `pkg/validation/strfmt`.
 */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: matching(/^[0-9a-fA-F]{24}$/),
  byte: matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  cidr: isCidr,
  creditcard: isCreditCard,
  date: isDate,
  datetime: isDateTime,
  duration: isDuration,
  email: matching(/^(?:[^<>]{0,200} ?<)?[^\s@<>,]{1,200}@[^\s@<>,]{1,255}>?$/),
  hexcolor: matching(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  hostname: isHostname,
  ipv4: (text) => isIp(text) && text.includes("."),
  ipv6: (text) => isIp(text) && text.includes(":"),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  k8slongname: (text) => subdomainFaults(text).length === 0,
  k8sshortname: (text) => labelFaults(text).length === 0,
  mac: isMac,
  password: () => true,
  rgbcolor: matching(new RegExp(`^rgb\\(\\s*${RGB}\\s*,\\s*${RGB}\\s*,\\s*${RGB}\\s*\\)$`)),
  ssn: matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  uri: isRequestUri,
  uuid: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
};

const nameOf = (format: string): string => format.replaceAll("-", "");

export const isKnownFormat = (format: string): boolean => Object.hasOwn(FORMATS, nameOf(format));

/** Whether a text is of a known format. */
export const isOfFormat = (format: string, text: string): boolean => FORMATS[nameOf(format)]?.(text) ?? true;

function isHostname(text: string): boolean {
  if (text.length > LONGEST_HOSTNAME || "fault" in HOSTNAME) return false;
  const long = text.split(".").some((part) => part.length > 63);
  return !long && HOSTNAME.foundIn(text, { left: 1_000_000 }) === true;
}

/** As Go parses addresses: no zeros in front of a number, no zone. */
function isIp(text: string): boolean {
  const number = "(?:0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])";
  if (new RegExp(`^${number}(\\.${number}){3}$`).test(text)) return true;
  return (
    text.length <= 45 &&
    /^[0-9a-fA-F:.]+$/.test(text) &&
    text.includes(":") &&
    URL.canParse(`http://[${text}]/`)
  );
}

function isCidr(text: string): boolean {
  const [address = "", bits = "", ...more] = text.split("/");
  if (more.length > 0 || !isIp(address) || !/^(0|[1-9]\d{0,2})$/.test(bits)) return false;
  return Number(bits) <= (address.includes(":") ? 128 : 32);
}

/** 6, 8 or 20 bytes, by twos behind colons or dashes, or by fours behind dots. */
function isMac(text: string): boolean {
  if (text.length > 60) return false;
  const parts = text.split(/[:.-]/);
  const separators = new Set(text.replaceAll(/[0-9a-fA-F]/g, ""));
  if (separators.size !== 1) return false;
  const digits = separators.has(".") ? 4 : 2;
  return (
    parts.every((part) => part.length === digits && /^[0-9a-fA-F]+$/.test(part)) &&
    [6, 8, 20].includes((parts.length * digits) / 2)
  );
}

/** What Go's `url.ParseRequestURI` takes: an absolute path, or a scheme and anything. */
function isRequestUri(text: string): boolean {
  if (/\p{Cc}/u.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return false;
  if (text.startsWith("/")) return true;
  const found = /^[a-zA-Z][a-zA-Z0-9+.-]{0,63}:(\/\/([^/?#]*))?/.exec(text);
  return found !== null && !/[\s<>"]/.test(found[2] ?? "");
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [date = "", time = ""] = text.toLowerCase().split("t");
  const found = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|([+-]\d{2}:\d{2}))$/.exec(time);
  if (found === null || !isDate(date)) return false;
  const [, hours = "", minutes = "", seconds = ""] = found;
  return Number(hours) <= 23 && Number(minutes) <= 59 && Number(seconds) <= 59;
}

/** Go's form (`1h30m`), or a number and a unit in letters (`2 days`). */
function isDuration(text: string): boolean {
  if (text.length > 100) return false;
  const go = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
  if (go.test(text)) return true;
  const unit =
    /\d+\s*(?:ns|nano|us|µs|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|wk|week)(?:ond|ute)?s?\b/i;
  return unit.test(text);
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, "");
  if (!/^[0-9]{9}[0-9X]$/.test(digits)) return false;
  const sum = Array.from(digits).reduce((total, c, i) => total + (i + 1) * (c === "X" ? 10 : Number(c)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, "");
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return Array.from(digits).reduce((total, c, i) => total + Number(c) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, "");
  const issued =
    /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
  if (!issued.test(digits)) return false;
  const sum = Array.from(digits)
    .reverse()
    .map((c, i) => Number(c) * (i % 2 === 0 ? 1 : 2))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return sum % 10 === 0;
}
