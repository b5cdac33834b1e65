import { expect, test } from "vitest";
import { faultFailure, isSuperseded } from "./faults.ts";

const fault = (message: string, marks = {}) => Object.assign(new Error(message), marks);

test.each([
  ["a graph object that another has taken over", fault("1/default: epoch 3 is over"), "ServiceUnavailable"],
  ["a Durable Object that was reset", fault("reset", { durableObjectReset: true }), "ServiceUnavailable"],
  ["a broken connection", fault("Network connection lost.", { retryable: true }), "ServiceUnavailable"],
  [
    "an overloaded one, though it is marked retryable too",
    fault("x", { retryable: true, overloaded: true }),
    "TooManyRequests",
  ],
  ["a store that is overloaded", fault("D1_ERROR: D1 DB is overloaded."), "TooManyRequests"],
  ["a store whose reply was lost", fault("D1_ERROR: Network connection lost."), "ServiceUnavailable"],
  [
    "a store whose reply a graph object lost",
    fault("Failed", { remote: true, cause: fault("D1_ERROR: Network connection lost.") }),
    "ServiceUnavailable",
  ],
  ["a fault of ours", fault("x is not a function"), "InternalError"],
])("%s answers %s", (_, error, reason) => {
  expect(faultFailure(error).reason).toBe(reason);
});

test("a client that is told to come back is told when", () => {
  for (const marks of [{ overloaded: true }, { retryable: true }, { durableObjectReset: true }]) {
    expect(faultFailure(fault("x", marks))).toMatchObject({ retryAfterSeconds: expect.any(Number) });
  }
});

test("only a refusal to write may be sent again", () => {
  expect(isSuperseded(fault("1/: taken over"))).toBe(true);
  expect(isSuperseded(fault("Network connection lost."))).toBe(false);
});
