import { expect, test } from "vitest";
import { Pace } from "./pace.ts";

test("work that changes objects never rests", () => {
  const pace = new Pace();
  for (let i = 0; i < 1000; i++) pace.committed(true, 0);
  expect(pace.rest(0)).toBe(0);
});

test("tasks that only make each other due come to rest, and go on after it", () => {
  const pace = new Pace();
  for (let i = 0; i < 49; i++) pace.committed(false, 0);
  expect(pace.rest(0)).toBe(0);
  pace.committed(false, 0);
  expect(pace.rest(0)).toBe(5_000);
  expect(pace.rest(5_000)).toBe(0);
});

test("a change in between counts from the beginning", () => {
  const pace = new Pace();
  for (let i = 0; i < 49; i++) pace.committed(false, 0);
  pace.committed(true, 0);
  pace.committed(false, 0);
  expect(pace.rest(0)).toBe(0);
});

test("after a fault tasks are taken one at a time, and later ones less often", () => {
  const pace = new Pace();
  expect(pace.items).toBe(500);
  expect(pace.failed(0)).toBe(false);
  expect(pace.items).toBe(1);
  expect(pace.rest(0)).toBe(2_000);
  pace.failed(0);
  expect(pace.rest(0)).toBe(4_000);
  pace.committed(true, 0);
  expect(pace.items).toBe(500);
});

test("a task that keeps failing is put off, so that the others go on", () => {
  const pace = new Pace();
  expect([1, 2, 3, 4].map(() => pace.failed(0))).toEqual([false, false, false, true]);
});
