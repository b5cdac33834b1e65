import type { RawAnswer } from "./send.ts";

/**
 * Some bad requests are answered with a 5xx by upstream, and so here, in the same words: a 500 without a reason, such as for
 * DeleteOptions that cannot be read, and a 504 for a resourceVersion that has not come. A fault of the server says
 * InternalError, or is no Status at all.
 */
const isUpstreamsOwn = (
  code: number,
  { reason, message }: { reason?: unknown; message?: unknown },
): boolean =>
  code === 500
    ? typeof message === "string" && reason === undefined
    : code === 504 && String(message).startsWith("Timeout: Too large resource version: ");

/** What is wrong with an answer, whatever was asked; undefined when nothing is. */
export function answerFault(
  method: string,
  { code, contentType, text, left }: RawAnswer,
): string | undefined {
  if (left) return undefined;
  const json = contentType.startsWith("application/json") && method !== "HEAD";
  let body: unknown;
  if (json) {
    try {
      // A watch is a line for each event.
      body = code === 200 && text.includes("\n") ? undefined : JSON.parse(text);
    } catch {
      return text === "" && code === 200 ? undefined : "is no JSON, though it says so";
    }
  }
  // What a HEAD is refused for is not told.
  if (method === "HEAD" && code === 504) return undefined;
  if (code >= 500 && !isUpstreamsOwn(code, body ?? {})) return `is a ${code}`;
  if (code < 200 || (code >= 300 && code < 400)) return `is a ${code}`;
  if (code < 400) return undefined;
  if (!json)
    return method === "HEAD" || contentType.startsWith("text/plain")
      ? undefined
      : `is a ${code} in ${contentType}`;
  return statusFault(code, body);
}

function statusFault(code: number, body: unknown): string | undefined {
  const status = body as Record<string, unknown>;
  const right =
    status.kind === "Status" &&
    status.apiVersion === "v1" &&
    status.status === "Failure" &&
    typeof status.message === "string" &&
    status.message !== "" &&
    status.code === code &&
    (typeof status.reason === "string" || code === 500);
  return right ? undefined : "is no well-formed Status";
}
