import { storeFault } from "../../db/errors.ts";
import type { Failure } from "../objects/failure.ts";

/** Marks that the runtime puts on errors of a Durable Object. Source: developers.cloudflare.com/durable-objects/best-practices/error-handling. */
interface RemoteFault {
  retryable?: boolean;
  overloaded?: boolean;
  durableObjectReset?: boolean;
}

/**
 * Whether a graph object refused to write because another one has taken over. It ended itself before anything was
 * written, so the same request may be sent once more, to whoever holds the namespace now.
 */
export function isSuperseded(fault: unknown): boolean {
  return fault instanceof Error && /: (epoch \d+ is over|taken over)$/.test(fault.message);
}

/**
 * What a fault answers, whether a Durable Object or the store had it. An object that was reset, by a deploy or a crash, is
 * there again in a moment, and so is a connection: the client is told to come back. Whether a write had been committed it
 * has to look up, as after any lost reply.
 */
export function faultFailure(fault: unknown): Failure {
  const { retryable, overloaded, durableObjectReset } = (fault ?? {}) as RemoteFault;
  const store = storeFault(fault);
  if (overloaded || store === "overloaded") {
    return {
      reason: "TooManyRequests",
      message: "the server is overloaded, please try again later",
      retryAfterSeconds: 2,
    };
  }
  if (retryable || durableObjectReset || isSuperseded(fault) || store === "unknown") {
    return {
      reason: "ServiceUnavailable",
      message: "the server is restarting, please try again",
      retryAfterSeconds: 1,
    };
  }
  return { reason: "InternalError", message: "the request could not be completed" };
}
