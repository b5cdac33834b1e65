import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, StartFault } from "./fault.ts";
import { gone, identify, isAlive, type ProcessIdentity, runs } from "./processes.ts";

/** A data folder that this process holds: no other server uses it until `release`. */
export interface DataFolder {
  /** Where miniflare keeps the database and the Durable Objects. */
  readonly state: string;
  /** Where `workerd.sh` leaves the identity of the workerd that has them open. */
  readonly workerdRecord: string;
  release(): void;
}

/** How long a start waits for a server that is on its way out, in milliseconds. */
const HANDOVER = 3000;

/**
 * Takes the folder for this server, making it when it is missing. A server that died without letting go leaves its mark and
 * perhaps a running workerd: the mark is taken over and the workerd ended, each only after its start time has shown that
 * the process id was not given to somebody else meanwhile.
 *
 * @throws StartFault when the folder cannot be written or another server uses it
 */
export async function claimDataFolder(path: string): Promise<DataFolder> {
  const mark = join(path, "server.json");
  const workerdRecord = join(path, "workerd.pid");
  makeWritable(path);
  await takeMark(path, mark);
  await endLeftover(workerdRecord);
  return {
    state: join(path, "state"),
    workerdRecord,
    release() {
      rmSync(workerdRecord, { force: true });
      rmSync(mark, { force: true });
    },
  };
}

function makeWritable(path: string): void {
  try {
    makeFolder(join(path, "state"));
    const probe = join(path, `probe.${process.pid}`);
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (error) {
    throw new StartFault(`cannot write to the data folder ${path} (${errorCode(error) ?? String(error)})`);
  }
}

/** As `mkdir -p`. Node's own does not come back where the system will not have a folder, below /proc for one. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

async function takeMark(path: string, mark: string): Promise<void> {
  const until = Date.now() + HANDOVER;
  while (!leaveMark(mark)) {
    const holder = readMark(mark);
    if (holder !== undefined && (await isHeld(holder, until))) {
      throw new StartFault(`another kubegc server (process ${holder.pid}) uses the data folder ${path}`);
    }
    discard(mark, holder);
  }
}

/** Leaves this process's mark unless there is one. A link appears whole or not at all, so nobody ever reads half a mark. */
function leaveMark(mark: string): boolean {
  const draft = `${mark}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(identify(process.pid)));
  try {
    linkSync(draft, mark);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

async function isHeld(holder: ProcessIdentity, until: number): Promise<boolean> {
  return isAlive(holder) && !(await gone(holder, until - Date.now()));
}

/** Removes a dead server's mark, but not one that a start at the same moment has put in its place. */
function discard(mark: string, dead: ProcessIdentity | undefined): void {
  const aside = `${mark}.stale.${process.pid}`;
  try {
    renameSync(mark, aside);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  const moved = readMark(aside);
  if (moved !== undefined && (moved.pid !== dead?.pid || moved.started !== dead.started))
    linkSync(aside, mark);
  rmSync(aside);
}

function readMark(mark: string): ProcessIdentity | undefined {
  try {
    const { pid, started } = JSON.parse(readFileSync(mark, "utf8")) as Record<string, unknown>;
    return typeof pid === "number" && typeof started === "string" ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}

async function endLeftover(record: string): Promise<void> {
  const line = /^(\d+) +(.+)$/.exec(readIfThere(record).trim());
  if (line?.[1] === undefined || line[2] === undefined) return;
  const leftover = { pid: Number(line[1]), started: line[2].split(/\s+/).join(" ") };
  if (isAlive(leftover) && runs(leftover.pid, "workerd")) {
    process.kill(leftover.pid, "SIGKILL");
    if (!(await gone(leftover, HANDOVER))) {
      throw new StartFault(`workerd of an earlier server (process ${leftover.pid}) does not end`);
    }
  }
  rmSync(record, { force: true });
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}
