import { type Outcome, ok, refuse } from "../../objects/failure.ts";
import { isJsonObject, type Json } from "../../objects/json.ts";
import type { ReportParts } from "./read-report.ts";

/** Bytes of a whole report. With a thousand images and ten thousand pods of one container it has two thirds of it. */
export const REPORT_LIMIT = 28 * 1024 * 1024;

/** A posted report: its parts as texts, and, where they are known, as the bytes that they came in. */
export interface ReportBody {
  readonly parts: ReportParts;
  readonly bytes: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
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
const HEAD_END = "\r\n\r\n";
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
  // Begins as every line with a boundary does.
  const text = `\r\n${new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(body)}`;
  // Only then places in the text are places in the bytes.
  const ascii = text.length === body.length + 2;
  const delimiter = `\r\n--${boundary}`;
  const parts: Record<string, string> = {};
  const bytes = new Map<string, Uint8Array<ArrayBuffer>>();
  let at = text.indexOf(delimiter);
  if (at < 0) return bad("the boundary is missing");
  for (;;) {
    const begin = at + delimiter.length;
    if (text.startsWith("--", begin)) return ok({ parts, bytes });
    const head = text.indexOf(HEAD_END, begin);
    const end = head < 0 ? -1 : text.indexOf(delimiter, head);
    if (head < 0 || end < 0 || head - begin > LONGEST_HEAD) return bad("it was cut off");
    const name = /^content-disposition:[^\r\n]*?;\s*name="([^"\r\n]*)"/im.exec(text.slice(begin, head))?.[1];
    if (name === undefined) return bad("a part has no name");
    // With the same name twice it would be for each reader to say which one counts.
    if (Object.hasOwn(parts, name)) return bad(`the part ${JSON.stringify(name)} is given twice`);
    const content = Math.min(head + HEAD_END.length, end);
    parts[name] = text.slice(content, end);
    if (ascii) bytes.set(name, body.subarray(content - 2, end - 2));
    at = end;
  }
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
  return ok({ parts: Object.fromEntries(texts), bytes: new Map() });
}
