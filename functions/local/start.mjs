/** `npm start`: installs when needed, then runs the server with the project's own Node and lives and dies with it. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { ensureInstalled, node } from "./install.mjs";

ensureInstalled();

const serve = fileURLToPath(new URL("serve.ts", import.meta.url));
// The channel tells the server when this process is gone, even when it was killed outright.
const server = spawn(node, [serve, ...process.argv.slice(2)], {
  stdio: ["inherit", "inherit", "inherit", "ipc"],
});
server.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? "SIGTERM"]));
server.on("error", (error) => {
  console.error(`kubegc: cannot run ${node}: ${error.message}`);
  process.exit(1);
});

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => server.kill(signal));
}

// npm that is killed outright cannot pass that on either, so it is looked after. Without npm nothing is: a server that was
// started by hand may outlive the shell that started it.
if (process.env.npm_lifecycle_event !== undefined) {
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) server.kill("SIGTERM");
  }, 250).unref();
}
