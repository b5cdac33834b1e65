/** What `wrangler dev` needs before it starts: its local database migrated, and the root token's digest in .dev.vars. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rootToken, tokenDigest } from "./root-token.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

const vars = join(root, ".dev.vars");
const text = `ROOT_TOKEN_SHA256=${tokenDigest(rootToken(join(root, ".kubegc")))}\nALLOW_PRIVATE_HOOKS=true\n`;
// Left alone when it is right: wrangler starts anew whenever the file changes.
if (!existsSync(vars) || readFileSync(vars, "utf8") !== text) writeFileSync(vars, text, { mode: 0o600 });

const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");
const ran = spawnSync(process.execPath, [wrangler, "d1", "migrations", "apply", "DB", "--local"], {
  cwd: root,
  encoding: "utf8",
  env: { ...process.env, CI: "1", WRANGLER_HIDE_BANNER: "true", WRANGLER_SEND_METRICS: "false" },
});
if (ran.status !== 0) {
  process.stderr.write(`${ran.stdout ?? ""}${ran.stderr ?? ""}`);
  process.exit(1);
}
