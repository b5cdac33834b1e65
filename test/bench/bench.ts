/**
 * How fast the local server is, in figures that mean something on any machine:
 *
 *     node test/bench/bench.ts [--only NAME]… [--quick] [--minutes N] [results.json]
 *
 * Exits with 0 also when a target was missed, and with 1 when a row could not be measured.
 */
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { BenchServer } from "./bench-server.ts";
import { Ceiling } from "./ceiling.ts";
import { type Result, resultOf } from "./result.ts";
import type { Bench, Row } from "./row.ts";
import { rows } from "./rows.ts";
import { figure, tableOf } from "./table.ts";

const { values: options, positionals } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
    minutes: { type: "string" },
  },
  allowPositionals: true,
});
const { only, quick } = options;
const minutes = options.minutes === undefined ? undefined : Number(options.minutes);
const unknown = only?.find((name) => rows.every((row) => row.name !== name));
if (unknown !== undefined || positionals.length > 1 || !((minutes ?? 1) > 0)) {
  console.error(`usage: npm run bench -- [--only NAME] [--quick] [--minutes N] [results.json]`);
  console.error(`names: ${rows.map((row) => row.name).join(", ")}`);
  process.exit(2);
}
const chosen =
  only === undefined ? rows.filter((row) => !row.onlyByName) : rows.filter((row) => only.includes(row.name));
const file = positionals[0] ?? "bench-results.json";

const began = performance.now();
const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version, load: loadavg()[0] };
const bench: Bench = {
  server: new BenchServer(),
  ceiling: new Ceiling(takeSignals),
  size: (count) => (quick ? count / 10 : count),
  repetitions: quick ? 1 : 3,
  period: quick ? 500 : 2000,
  ...(minutes === undefined ? {} : { minutes }),
};
const results: Result[] = [];
try {
  takeSignals();
  tell("starting …");
  await bench.server.start();
  await bench.ceiling.start();
  for (const row of chosen) {
    tell(`${results.length + 1} of ${chosen.length}: ${row.title} …`);
    const result = await measure(row);
    results.push(result);
    tell(
      "error" in result
        ? `${row.title}: ${result.error}\n`
        : `${row.title}: ${figure(result.median, row.unit)}\n`,
    );
  }
} finally {
  await end();
}

const seconds = Math.round((performance.now() - began) / 1000);
console.log(`\n${tableOf(results)}\n`);
writeFileSync(
  file,
  `${JSON.stringify({ at: new Date(), machine, quick, seconds, rows: results }, null, 2)}\n`,
);
console.log(
  `${seconds} s on ${machine.cpus} × ${machine.model}, written to ${file}${quick ? "; quick: a tenth of each size" : ""}`,
);
process.exit(results.some((result) => "error" in result) ? 1 : 0);

async function measure(row: Row): Promise<Result> {
  try {
    return resultOf(row, await row.measure(bench));
  } catch (error) {
    return {
      name: row.name,
      title: row.title,
      error: error instanceof Error ? error.message : String(error),
    };
  }
}

/** A line that the next one takes the place of, on a terminal; elsewhere only whole lines are written. */
function tell(line: string): void {
  const seconds = `${Math.round((performance.now() - began) / 1000)} s`.padStart(5);
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${seconds}  ${line}`);
  else if (line.endsWith("\n")) process.stderr.write(`${seconds}  ${line}`);
}

async function end(): Promise<void> {
  await Promise.allSettled([bench.server.end(), bench.ceiling.end()]);
}

/** miniflare's own handlers end the process at once and leave the server behind. */
function takeSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => void end().finally(() => process.exit(130)));
  }
}
