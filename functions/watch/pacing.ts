import type { Millis } from "../objects/object.ts";

/** Between two signs of life of a quiet watch. */
const HEARTBEAT: Millis = 10_000;
/** How far a heartbeat may lie from its time, as a share: watches that began together should not beat together. */
const JITTER = 0.1;
/** How long a client that takes nothing may hold memory when memory is short, or a stream that has ended. */
export const PATIENCE: Millis = 30_000;

export interface Pace {
  endsAt: Millis;
  heartbeatAt: Millis;
}

/** @param random from 0 to 1. */
export function nextHeartbeat(now: Millis, random: number): Millis {
  return now + HEARTBEAT * (1 + JITTER * (2 * random - 1));
}

/** What is due: the end of the watch's time, or a sign of life. */
export function due(pace: Pace, now: Millis): "end" | "heartbeat" | undefined {
  if (now >= pace.endsAt) return "end";
  return now >= pace.heartbeatAt ? "heartbeat" : undefined;
}
