import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the stand-in runtime holds, in crictl's own fields. */
export interface RuntimeState {
  /** Which form of `imagefsinfo` it prints: of crictl 1.26, or of 1.29 and later. */
  format?: "older" | "newer";
  images: { id: string; repoTags: string[]; repoDigests: string[]; size: string; pinned: boolean }[];
  containers: { id: string; podSandboxId: string; state: string; [field: string]: unknown }[];
  sandboxes: { id: string; state: string; [field: string]: unknown }[];
  /** Bytes: all there are, and those that are taken by other things than images. */
  disk: { path: string; capacity: number; other: number };
  /** Ids whose removal fails. */
  stuck?: string[];
  /** Commands that fail with a message. */
  trouble?: Record<string, string>;
}

const imageBytes = ({ images }: RuntimeState): number =>
  images.reduce((sum, { size }) => sum + Number(size), 0);

export const readState = (folder: string): RuntimeState =>
  JSON.parse(readFileSync(join(folder, "state.json"), "utf8")) as RuntimeState;

/**
 * Also what df and the listings of crictl print, as texts that only have to be copied: they are asked for often, and
 * starting Node for each takes longer than all the rest.
 */
export function writeState(folder: string, state: RuntimeState): void {
  const used = state.disk.other + imageBytes(state);
  const blocks = [Math.floor(state.disk.capacity / 1024), Math.ceil(used / 1024)] as const;
  write(join(folder, "df-k"), figures("1024-blocks Used Available Capacity", ...blocks));
  write(join(folder, "df-i"), figures("Inodes IUsed IFree IUse%", 1000, 10));
  write(join(folder, "state.json"), JSON.stringify(state, null, 1));
  const listings = {
    images: { images: state.images },
    "ps-a": { containers: state.containers },
    ps: { containers: state.containers.filter((each) => each.state === "CONTAINER_RUNNING") },
    pods: { items: state.sandboxes },
    "pods-Ready": { items: state.sandboxes.filter((each) => each.state === "SANDBOX_READY") },
    imagefsinfo: { status: imageFileSystem(state) },
  };
  for (const [command, listing] of Object.entries(listings)) {
    const path = join(folder, `prints-${command}`);
    if (state.trouble?.[command.replace(/-.*/, "")] === undefined)
      write(path, `${JSON.stringify(listing, null, 2)}\n`);
    else rmSync(path, { force: true });
  }
}

function imageFileSystem(state: RuntimeState): object {
  const fileSystem = {
    timestamp: "1795190423134242125",
    fsId: { mountpoint: state.disk.path },
    usedBytes: { value: String(imageBytes(state)) },
    inodesUsed: { value: "7" },
  };
  return state.format === "newer"
    ? { imageFilesystems: [fileSystem], containerFilesystems: [fileSystem] }
    : fileSystem;
}

function write(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

function figures(head: string, capacity: number, used: number): string {
  const percent = Math.ceil((used * 100) / capacity);
  return `Filesystem ${head} Mounted on\n/dev/vda ${capacity} ${used} ${capacity - used} ${percent}% /\n`;
}
