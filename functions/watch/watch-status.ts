import type { JsonObject } from "../objects/json.ts";

/** The client must list again: what happened since `from` is no longer kept. As upstream's watch cache words it. */
export function tooOld(from: number, compacted: number): JsonObject {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `too old resource version: ${from} (${compacted})`,
    reason: "Expired",
    code: 410,
  };
}

export function tooManyWatches(retryAfterSeconds: number): Response {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "Too many requests, please try again later.",
    reason: "TooManyRequests",
    details: { retryAfterSeconds },
    code: 429,
  };
  return Response.json(status, { status: 429, headers: { "retry-after": String(retryAfterSeconds) } });
}
