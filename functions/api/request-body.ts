import { type Outcome, ok, refuse } from "../objects/failure.ts";
import { decodeProtobuf, PROTOBUF } from "../objects/protobuf/decode-protobuf.ts";

/** As upstream's `--max-request-bytes` has it: 3 MiB for the body of a request. */
const BODY_LIMIT = 3 * 1024 * 1024;
/** What one object may take: a D1 row is capped at 2 MB, and etcd, which people are used to, at 1.5 MiB. */
const OBJECT_LIMIT = 1_400_000;

export interface RequestBody {
  text: string;
  mediaType: string;
}

/**
 * Reads a body no further than the limit. One in protobuf is handed on as the JSON that it stands for, so that nobody
 * behind this needs to know of it.
 * Errors: RequestEntityTooLarge; those of `decodeProtobuf`.
 */
export async function readBody(request: Request): Promise<Outcome<RequestBody>> {
  const mediaType = request.headers.get("content-type") ?? "";
  const body = await readBytes(request, BODY_LIMIT);
  if (!body.ok) return body;
  if (body.value.length > OBJECT_LIMIT) return tooLarge(OBJECT_LIMIT);
  if (mediaType.split(";", 1)[0]?.trim().toLowerCase() === PROTOBUF) return jsonOf(body.value);
  return ok({ text: new TextDecoder().decode(body.value), mediaType });
}

/** Errors: RequestEntityTooLarge. */
export async function readBytes(request: Request, limit: number): Promise<Outcome<Uint8Array<ArrayBuffer>>> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limit) return tooLarge(limit);
  // A body of a length that was said is never longer. Read at once, a large report of a node takes half the time.
  if (declared > 0) return ok(new Uint8Array(await request.arrayBuffer()));
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > limit) return tooLarge(limit);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return ok(bytes);
}

/** No body stays none: the options of a DELETE are then those of its query. */
function jsonOf(bytes: Uint8Array): Outcome<RequestBody> {
  if (bytes.length === 0) return ok({ text: "", mediaType: "application/json" });
  const object = decodeProtobuf(bytes);
  if (!object.ok) return object;
  const text = JSON.stringify(object.value);
  if (new TextEncoder().encode(text).byteLength > OBJECT_LIMIT) return tooLarge(OBJECT_LIMIT);
  return ok({ text, mediaType: "application/json" });
}

const tooLarge = (limit: number) =>
  refuse({ reason: "RequestEntityTooLarge", message: `Request entity too large: limit is ${limit}` });
