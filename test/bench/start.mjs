/** `npm run bench`: installs when needed, then runs the benchmark with the project's own Node. Arguments go to it. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ensureInstalled, node } from "../../functions/local/install.mjs";

ensureInstalled();

const bench = spawn(node, [fileURLToPath(new URL("bench.ts", import.meta.url)), ...process.argv.slice(2)], {
  stdio: "inherit",
});
bench.on("exit", (code) => process.exit(code ?? 1));
// A terminal sends Ctrl-C to both; the benchmark has a server to end first.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => bench.kill("SIGTERM"));
