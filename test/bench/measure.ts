/** Times are in milliseconds. */

export interface Driven {
  perSecond: number;
  latencies: number[];
}

/** Calls again and again, so many at a time, until the time is over. */
export async function drive(
  connections: number,
  milliseconds: number,
  call: (n: number) => Promise<unknown>,
): Promise<Driven> {
  const began = performance.now();
  const end = began + milliseconds;
  const driven = await driveWhile(connections, () => performance.now() < end, call);
  return { perSecond: (driven.length / (performance.now() - began)) * 1000, latencies: driven };
}

/** The same for as long as somebody wants. Gives the latencies. */
export async function driveWhile(
  connections: number,
  wanted: () => boolean,
  call: (n: number) => Promise<unknown>,
): Promise<number[]> {
  const latencies: number[] = [];
  let next = 0;
  await atOnce(connections, async () => {
    while (wanted()) latencies.push(await timed(() => call(next++)));
  });
  return latencies;
}

/** Calls for each number below `count`, so many at a time. */
export async function forEach(
  connections: number,
  count: number,
  call: (n: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  await atOnce(connections, async () => {
    while (next < count) await call(next++);
  });
}

async function atOnce(connections: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: connections }, work));
}

export async function timed(call: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await call();
  return performance.now() - began;
}

/** Takes up to so many samples, but begins none after the time is over. One is always taken. */
export async function sampled(
  most: number,
  milliseconds: number,
  sample: (n: number) => Promise<number>,
): Promise<number[]> {
  const end = performance.now() + milliseconds;
  const samples: number[] = [];
  do samples.push(await sample(samples.length));
  while (samples.length < most && performance.now() < end);
  return samples;
}

/** The smallest of the values that at least this share of them does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? upper)) / 2 : upper;
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
