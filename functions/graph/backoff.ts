const FIRST = 50;
const CAP = 2000;

/** Waits before attempt n+1: full jitter, doubling from 50 ms, at most 2 s. */
export function backoff(attempt: number, random: () => number = Math.random): Promise<void> {
  const most = Math.min(CAP, FIRST * 2 ** attempt);
  return new Promise((resolve) => setTimeout(resolve, random() * most));
}
