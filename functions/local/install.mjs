import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The project's own Node, whatever Node was used to get here. */
export const node = join(root, "node_modules/.bin/node");

/**
 * Installs the dependencies unless what is installed is what package-lock.json asks for. Needs nothing but Node and npm, so
 * it can be the first thing that runs in a fresh clone. Ends the process with npm's own words when npm fails.
 */
export function ensureInstalled() {
  if (isInstalled()) return;
  console.log("kubegc: installing dependencies (npm ci) …");
  const npm = process.env.npm_execpath ?? "";
  const [command, prefix] = basename(npm).startsWith("npm-cli") ? [process.execPath, [npm]] : ["npm", []];
  const options = [
    "ci",
    "--include=dev",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--loglevel=error",
  ];
  const ran = spawnSync(command, [...prefix, ...options], { cwd: root, encoding: "utf8" });
  if (ran.status === 0 && existsSync(node)) return;
  process.stderr.write(`${ran.stdout ?? ""}${ran.stderr ?? ""}`);
  console.error(`kubegc: npm ci failed${ran.error === undefined ? "" : ` (${ran.error.message})`}`);
  process.exit(1);
}

/** npm leaves a list of what it installed, written last of all, so a broken-off installation has none. */
function isInstalled() {
  if (!existsSync(node)) return false;
  const wanted = packages(join(root, "package-lock.json"));
  const found = packages(join(root, "node_modules/.package-lock.json"));
  if (wanted === undefined || found === undefined) return false;
  const current = Object.entries(found).every(([path, each]) => wanted[path]?.version === each.version);
  const complete = Object.entries(wanted).every(
    // The list has neither the project itself nor what is for other machines.
    ([path, each]) => path === "" || each.optional || each.devOptional || found[path] !== undefined,
  );
  return current && complete;
}

/**
 * @param {string} path
 * @returns {Record<string, { version?: string, optional?: boolean, devOptional?: boolean }> | undefined}
 */
function packages(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : undefined;
}
