import { renameSync, writeFileSync } from "node:fs";

/** Writes a file that only its owner may read, whole or not at all. */
export function writePrivately(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}
