import { type Outcome, ok, refuse } from "../../objects/failure.ts";
import { isJsonObject, type Json } from "../../objects/json.ts";
import type { ReportParts } from "./read-report.ts";

/** Bytes of a whole report. With a thousand images and ten thousand pods of one container it has two thirds of it. */
export const REPORT_LIMIT = 28 * 1024 * 1024;

/** A posted report: its parts by name, as they came. A form's are cut out of the body and not read yet. */
export type ReportBody = ReadonlyMap<string, string | Uint8Array<ArrayBuffer>>;

/** The texts of the parts, but for those that need not be read. */
export function textsOf(body: ReportBody, isKnown: (name: string) => boolean = () => false): ReportParts {
  const decoder = new TextDecoder();
  const texts = [...body].map(([name, part]): [string, string] => {
    if (isKnown(name)) return [name, ""];
    return [name, typeof part === "string" ? part : decoder.decode(part)];
  });
  return Object.fromEntries(texts);
}

/**
 * The parts of a posted report: of `multipart/form-data`, as curl sends files, or the fields of a JSON object, each a text or
 * the JSON that the text would hold.
 * Errors: BadRequest, UnsupportedMediaType.
 */
export function readReportBody(body: Uint8Array<ArrayBuffer>, mediaType: string): Outcome<ReportBody> {
  switch (mediaType.split(";", 1)[0]?.trim().toLowerCase()) {
    case "multipart/form-data":
      return formParts(body, mediaType);
    case "application/json":
      return jsonParts(body);
    default:
      return refuse({
        reason: "UnsupportedMediaType",
        message: "a report must be multipart/form-data or application/json",
      });
  }
}

const BOUNDARY = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s";,]{1,70}))/i;
const ENCODER = new TextEncoder();
const HEAD_END = ENCODER.encode("\r\n\r\n");
const LONGEST_HEAD = 4096;

/**
 * Cut by hand, since it is the largest thing that is read here: the platform's `formData` takes as long for a large report as
 * all the rest. Source: RFC 7578, RFC 2046 5.1.1.
 */
function formParts(body: Uint8Array<ArrayBuffer>, mediaType: string): Outcome<ReportBody> {
  const bad = (what: string) => refuse({ reason: "BadRequest", message: `the form cannot be read: ${what}` });
  const [, quoted, plain] = BOUNDARY.exec(mediaType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return bad("its media type names no boundary");
  const delimiter = ENCODER.encode(`\r\n--${boundary}`);
  const decoder = new TextDecoder();
  const parts = new Map<string, Uint8Array<ArrayBuffer>>();
  // The first line of a form has no line end before it.
  let begin = startsWith(body, 0, delimiter.subarray(2))
    ? delimiter.length - 2
    : after(find(body, delimiter, 0), delimiter);
  if (begin < 0) return bad("the boundary is missing");
  for (;;) {
    if (body[begin] === DASH && body[begin + 1] === DASH) return ok(parts);
    const head = find(body, HEAD_END, begin);
    // What is empty has its delimiter right behind the head.
    const end = head < 0 ? -1 : find(body, delimiter, head + 2);
    if (head < 0 || end < 0 || head - begin > LONGEST_HEAD) return bad("it was cut off");
    const name = /^content-disposition:[^\r\n]*?;\s*name="([^"\r\n]*)"/im.exec(
      decoder.decode(body.subarray(begin, head)),
    )?.[1];
    if (name === undefined) return bad("a part has no name");
    // With the same name twice it would be for each reader to say which one counts.
    if (parts.has(name)) return bad(`the part ${JSON.stringify(name)} is given twice`);
    parts.set(name, body.subarray(Math.min(head + HEAD_END.length, end), end));
    begin = end + delimiter.length;
  }
}

const DASH = 0x2d;

const after = (at: number, delimiter: Uint8Array): number => (at < 0 ? -1 : at + delimiter.length);

function startsWith(body: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (body[at + i] !== wanted[i]) return false;
  return true;
}

/** Goes from one line end to the next, of which what crictl prints has none of this kind. */
function find(body: Uint8Array, wanted: Uint8Array, from: number): number {
  for (let at = body.indexOf(0x0d, from); at >= 0; at = body.indexOf(0x0d, at + 1)) {
    if (startsWith(body, at, wanted)) return at;
  }
  return -1;
}

function jsonParts(body: Uint8Array): Outcome<ReportBody> {
  let fields: Json;
  try {
    fields = JSON.parse(new TextDecoder().decode(body)) as Json;
  } catch {
    return refuse({ reason: "BadRequest", message: "the report is not valid JSON" });
  }
  if (!isJsonObject(fields)) {
    return refuse({ reason: "BadRequest", message: "the report must be a JSON object of parts" });
  }
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return ok(new Map(texts));
}
