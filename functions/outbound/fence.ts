import { readEndpoint, shownEndpoint } from "./endpoint.ts";

/** What may go out, and for how long. */
export interface FencePolicy {
  /** Whether the machine itself, its network and other addresses that are not public may be called. */
  allowPrivate: boolean;
  /** For everything, from the connection to the last byte, in ms. */
  timeLimit?: number;
  /** Of the body once it is unpacked. */
  maxBytes?: number;
}

/** A Worker's variables that say what may go out. */
export interface FenceVars {
  /** `true` on a laptop, where everything is at a private address. */
  ALLOW_PRIVATE_HOOKS?: string;
}

export const fencePolicy = ({ ALLOW_PRIVATE_HOOKS }: FenceVars): FencePolicy => ({
  allowPrivate: ALLOW_PRIVATE_HOOKS === "true",
});

const TIME_LIMIT = 10_000;
const MAX_BYTES = 1_048_576;

export interface FencedRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** `shown` and `message` name the endpoint as it may be logged. */
export type Fenced =
  | { ok: true; status: number; headers: Headers; text: string; shown: string }
  | { ok: false; fault: FenceFault; message: string };

/**
 * `forbidden`: not called at all. `redirected`, `too-large`: called, and what it said is not taken. `timed-out`,
 * `unreachable`: nobody knows whether it was called.
 */
export type FenceFault = "forbidden" | "redirected" | "too-large" | "timed-out" | "unreachable";

/**
 * Calls an endpoint that a cluster configured. Never throws for what the endpoint does.
 *
 * Invariants: nothing is sent to an endpoint that `readEndpoint` refuses; a redirect is not followed, so headers reach nobody
 * but the endpoint; the call ends within the time limit and holds at most `maxBytes`; a message names the endpoint
 * without its query, and never what was sent.
 */
export async function fenced(endpoint: string, request: FencedRequest, policy: FencePolicy): Promise<Fenced> {
  const { timeLimit = TIME_LIMIT, maxBytes = MAX_BYTES } = policy;
  const shown = shownEndpoint(endpoint);
  const failed = (fault: FenceFault, what: string): Fenced => ({
    ok: false,
    fault,
    message: `${shown} ${what}`,
  });
  const reading = readEndpoint(endpoint, policy);
  if ("fault" in reading) return failed("forbidden", reading.fault);

  const end = AbortSignal.timeout(timeLimit);
  try {
    const response = await fetch(reading.url, { ...request, redirect: "manual", signal: end });
    const { status, headers } = response;
    if (status >= 300 && status < 400 && status !== 304) {
      await response.body?.cancel();
      return failed("redirected", `answered ${status}, and redirects are not followed`);
    }
    const text = await readText(response, maxBytes, end);
    if (text === undefined) return failed("too-large", `answered with more than ${maxBytes} bytes`);
    return { ok: true, status, headers, text, shown };
  } catch {
    // What is thrown may quote what was sent, so nothing of it is passed on.
    return end.aborted
      ? failed("timed-out", `did not answer within ${timeLimit / 1000} s`)
      : failed("unreachable", "could not be reached");
  }
}

/** Undefined when it is longer than that; the rest is not waited for then. */
async function readText(response: Response, maxBytes: number, end: AbortSignal): Promise<string | undefined> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    end.throwIfAborted();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
