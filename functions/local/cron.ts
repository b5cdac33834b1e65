/** A cron expression's five fields, each the set of values it accepts. */
type Schedule = readonly ReadonlySet<number>[];

const fields = [
  { name: "minute", from: 0, to: 59, of: (at: Date) => at.getUTCMinutes() },
  { name: "hour", from: 0, to: 23, of: (at: Date) => at.getUTCHours() },
  { name: "day", from: 1, to: 31, of: (at: Date) => at.getUTCDate() },
  { name: "month", from: 1, to: 12, of: (at: Date) => at.getUTCMonth() + 1 },
  // Cloudflare counts weekdays from 1 for Sunday.
  { name: "weekday", from: 1, to: 7, of: (at: Date) => at.getUTCDay() + 1 },
] as const;

/**
 * Reads the part of Cloudflare's cron syntax that the local server runs: five fields, in UTC, each a `*`, a number, a range
 * `a-b`, any of these with a step `/n`, or several of them with commas between.
 *
 * @throws Error on anything else, so that a schedule that would silently never run is noticed at the start
 */
export function parseCron(expression: string): Schedule {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== fields.length)
    throw new Error(`cron "${expression}": expected ${fields.length} fields`);
  return fields.map((field, index) => {
    const accepted = new Set<number>();
    for (const item of parts[index]?.split(",") ?? []) {
      const match = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/([1-9]\d*))?$/.exec(item);
      if (match === null)
        throw new Error(`cron "${expression}": ${field.name} "${item}" is not supported locally`);
      const [, first, last, step] = match;
      const from = first === undefined ? field.from : Number(first);
      const to =
        last !== undefined ? Number(last) : first === undefined || step !== undefined ? field.to : from;
      if (from < field.from || to > field.to || from > to) {
        throw new Error(`cron "${expression}": ${field.name} "${item}" is out of range`);
      }
      for (let value = from; value <= to; value += Number(step ?? 1)) accepted.add(value);
    }
    return accepted;
  });
}

/** Whether the schedule has a run in the minute that `at` falls in. */
export function isDue(schedule: Schedule, at: Date): boolean {
  return fields.every((field, index) => schedule[index]?.has(field.of(at)) === true);
}

/**
 * Calls `run` for each expression at the start of every minute in which it is due, until the returned function is called.
 * A run that outlasts its minute is not joined by a second one of the same expression; its next turn is left out.
 */
export function everyMinute(
  expressions: readonly string[],
  run: (expression: string, at: Date) => Promise<void>,
) {
  const schedules = expressions.map((expression) => ({ expression, schedule: parseCron(expression) }));
  const running = new Set<string>();
  let timer: NodeJS.Timeout;
  const arm = () => {
    const next = new Date((Math.floor(Date.now() / 60_000) + 1) * 60_000);
    timer = setTimeout(() => {
      for (const { expression, schedule } of schedules) {
        if (!isDue(schedule, next) || running.has(expression)) continue;
        running.add(expression);
        void run(expression, next).finally(() => running.delete(expression));
      }
      arm();
    }, next.getTime() - Date.now());
  };
  arm();
  return () => clearTimeout(timer);
}
