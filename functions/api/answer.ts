import { stringify } from "yaml";
import type { Failure } from "../objects/failure.ts";
import type { Json, JsonObject } from "../objects/json.ts";
import { failureStatus } from "./status.ts";

/** The content type of every JSON answer. */
const JSON_TYPE = "application/json";

export function refusal(failure: Failure): Response {
  const { code, status, retryAfterSeconds } = failureStatus(failure);
  const headers = new Headers({ "content-type": JSON_TYPE });
  if (retryAfterSeconds !== undefined) headers.set("retry-after", String(retryAfterSeconds));
  return new Response(JSON.stringify(status), { status: code, headers });
}

export interface AnswerOptions {
  code?: number;
  warnings?: readonly string[];
  mediaType?: "json" | "yaml";
  pretty?: boolean;
}

/** Sends JSON that is text already, in the form the client asked for. */
export function textAnswer(text: string, options: AnswerOptions = {}): Response {
  const { code = 200, warnings = [], mediaType = "json", pretty = false } = options;
  const headers = new Headers({ "content-type": mediaType === "yaml" ? "application/yaml" : JSON_TYPE });
  for (const warning of warnings) headers.append("warning", warningText(warning));
  return new Response(formed(text, mediaType, pretty), { status: code, headers });
}

/** A header holds ASCII only, and what a warning quotes may be anything. */
const warningText = (warning: string): string =>
  `299 - ${JSON.stringify(warning.replaceAll(/[^ -~]/gu, "?"))}`;

export function jsonAnswer(body: JsonObject, options: AnswerOptions = {}): Response {
  return textAnswer(JSON.stringify(body), options);
}

function formed(text: string, mediaType: "json" | "yaml", pretty: boolean): string {
  if (mediaType === "yaml") return stringify(JSON.parse(text) as Json, { aliasDuplicateObjects: false });
  return pretty ? `${JSON.stringify(JSON.parse(text), null, 2)}\n` : text;
}

export function plainText(text: string, code = 200): Response {
  return new Response(text, { status: code, headers: { "content-type": "text/plain; charset=utf-8" } });
}
