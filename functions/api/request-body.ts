import { type Outcome, ok, refuse } from "../objects/failure.ts";

/** As upstream's `--max-request-bytes` has it: 3 MiB for the body of a request. */
const BODY_LIMIT = 3 * 1024 * 1024;
/** What one object may take: a D1 row is capped at 2 MB, and etcd, which people are used to, at 1.5 MiB. */
const OBJECT_LIMIT = 1_400_000;

export interface RequestBody {
  text: string;
  mediaType: string;
}

/** Reads a body no further than the limit. Error: RequestEntityTooLarge. */
export async function readBody(request: Request): Promise<Outcome<RequestBody>> {
  const mediaType = request.headers.get("content-type") ?? "";
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > BODY_LIMIT) return tooLarge(BODY_LIMIT);
  if (request.body === null) return ok({ text: "", mediaType });
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of request.body) {
    bytes += chunk.byteLength;
    if (bytes > BODY_LIMIT) return tooLarge(BODY_LIMIT);
    text += decoder.decode(chunk, { stream: true });
  }
  if (bytes > OBJECT_LIMIT) return tooLarge(OBJECT_LIMIT);
  return ok({ text: text + decoder.decode(), mediaType });
}

const tooLarge = (limit: number) =>
  refuse({ reason: "RequestEntityTooLarge", message: `Request entity too large: limit is ${limit}` });
