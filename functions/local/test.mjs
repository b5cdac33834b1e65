/** `npm test`: installs when needed, then checks, then runs all tests. Further arguments go to vitest. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ensureInstalled, node } from "./install.mjs";

ensureInstalled();

// All tests together are the proof; who runs some of them waits for fewer histories of the model.
process.env.MODEL_HISTORIES ??= process.argv.length > 2 ? "200" : "2000";

const root = fileURLToPath(new URL("../..", import.meta.url));
const vitest = ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)];
for (const args of [["functions/local/check.mjs"], vitest]) {
  const { status } = spawnSync(node, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
