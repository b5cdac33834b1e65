import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "./measure.ts";

/** What workerd has in memory, in MB, looked at again and again. Only Linux tells: elsewhere there are no samples. */
export class Memory {
  readonly samples: number[] = [];
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;

  /** @param folder of the server whose workerd is meant. */
  constructor(folder: string, every = 1000) {
    this.#pid = Number.parseInt(readFileSync(join(folder, "workerd.pid"), "utf8"), 10);
    this.#look();
    this.#timer = setInterval(() => this.#look(), every);
  }

  get most(): number {
    return Math.max(...this.samples);
  }

  /** Of the second tenth, when all is warm, and of the last one. */
  get early(): number {
    return this.#between(0.1, 0.2);
  }

  get late(): number {
    return this.#between(0.9, 1);
  }

  /** `310 → 322 MB, 340 at most`. */
  end(): string {
    clearInterval(this.#timer);
    this.#look();
    return this.samples.length === 0
      ? "unknown here"
      : `${this.early.toFixed(0)} → ${this.late.toFixed(0)} MB, ${this.most.toFixed(0)} at most`;
  }

  #between(from: number, to: number): number {
    const { length } = this.samples;
    return median(this.samples.slice(Math.floor(from * (length - 1)), Math.floor(to * (length - 1)) + 1));
  }

  #look(): void {
    const resident = residentOf(this.#pid);
    if (resident !== undefined) this.samples.push(resident);
  }
}

function residentOf(pid: number): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}

/** How long workerd has computed since it was started, in ms, on all cores together; not a number where nobody tells. */
export function cpuOf(folder: string): number {
  try {
    const pid = readFileSync(join(folder, "workerd.pid"), "utf8").split(/\s/)[0];
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    // In ticks of 10 ms: user and system time. Source: proc(5).
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}
