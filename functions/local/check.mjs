/** `npm run check`: everything that can be known without running the code, side by side. Says more only of what fails. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const began = Date.now();
const results = await Promise.all([
  tool("types of the Worker", "tsc", "-p", "."),
  tool("types of the local server", "tsc", "-p", "functions/local"),
  tool("types of the tests", "tsc", "-p", "test"),
  tool("style", "biome", "check", "--error-on-warnings"),
  tool("unused code", "knip"),
  migrationsKeepTables(),
]);
for (const { name, failure } of results) {
  if (failure !== undefined) console.error(`✗ ${name}\n${failure}`);
}
const failed = results.filter((result) => result.failure !== undefined).length;
const took = `${((Date.now() - began) / 1000).toFixed(1)} s`;
console.log(
  failed === 0
    ? `✓ ${results.length} checks (${took})`
    : `${failed} of ${results.length} checks failed (${took})`,
);
process.exitCode = failed === 0 ? 0 : 1;

/**
 * @param {string} name
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<{ name: string, failure: string | undefined }>}
 */
function tool(name, command, ...args) {
  const PATH = `${join(root, "node_modules/.bin")}:${process.env.PATH}`;
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ name, failure: error.message }));
    child.on("close", (code) => resolve({ name, failure: code === 0 ? undefined : output }));
  });
}

/**
 * To change a column drizzle-kit makes a table anew under the name `__new_…` and drops the old one. On D1 foreign keys stay in
 * force meanwhile, so the drop takes rows of other tables with it.
 */
function migrationsKeepTables() {
  const folder = join(root, "db/migrations");
  const found = readdirSync(folder).filter(
    (file) => file.endsWith(".sql") && readFileSync(join(folder, file), "utf8").includes("__new_"),
  );
  const failure = found.length === 0 ? undefined : `rebuilds a table: ${found.join(", ")}`;
  return { name: "migrations", failure };
}
