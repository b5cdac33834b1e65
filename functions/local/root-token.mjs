import { createHash, randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The root token of a data folder, made on first use: 32 random bytes as base64url in `root-token`, readable by its owner only.
 * Two starts at once agree on one token, and a start that is cut off leaves either a whole token or none.
 *
 * @param {string} folder
 * @returns {string}
 */
export function rootToken(folder) {
  const path = join(folder, "root-token");
  const draft = `${path}.${process.pid}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path, "utf8").trim();
}

/**
 * What the Worker is given in place of the token: lower-case hex SHA-256.
 *
 * @param {string} token
 * @returns {string}
 */
export function tokenDigest(token) {
  return createHash("sha256").update(token).digest("hex");
}
