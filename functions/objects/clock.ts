import type { Millis } from "./object.ts";

/** The one source of time. Rules get the moment as an argument; only what applies them asks a clock. */
export type Clock = () => Millis;

export const systemClock: Clock = () => Date.now();
