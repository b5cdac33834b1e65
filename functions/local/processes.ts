import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

/**
 * A process, told apart from a later one that got the same id by its start time. The time is only ever compared: clock ticks
 * since boot on Linux, a date as `ps` writes it elsewhere.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

/** The process that has this id now, or undefined when there is none. A zombie counts as gone: it holds nothing. */
export function identify(pid: number): ProcessIdentity | undefined {
  const found = process.platform === "linux" ? linuxStat(pid) : psLine(pid);
  return found === undefined || found.state.startsWith("Z") ? undefined : { pid, started: found.started };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.started === identity.started;
}

/** Whether the process runs the program of this file name. */
export function runs(pid: number, program: string): boolean {
  try {
    return process.platform === "linux"
      ? basename(readlinkSync(`/proc/${pid}/exe`)) === program
      : basename(ps(pid, "comm=")) === program;
  } catch {
    return false;
  }
}

/** Waits until the process is gone; false when it is still there after `limit` milliseconds. */
export async function gone(identity: ProcessIdentity, limit: number): Promise<boolean> {
  const until = Date.now() + limit;
  while (isAlive(identity)) {
    if (Date.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

function linuxStat(pid: number): { state: string; started: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets and may hold spaces, so the rest is counted from its end.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", started: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

function psLine(pid: number): { state: string; started: string } | undefined {
  try {
    const [state = "", ...started] = ps(pid, "state=,lstart=").split(/\s+/);
    return { state, started: started.join(" ") };
  } catch {
    return undefined;
  }
}

function ps(pid: number, columns: string): string {
  const env = { ...process.env, LC_ALL: "C" };
  return execFileSync("ps", ["-o", columns, "-p", String(pid)], { encoding: "utf8", env }).trim();
}
