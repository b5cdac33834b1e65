import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";

/** The table `wrangler d1 migrations apply` keeps, to the letter, so that both tools agree on what has been applied. */
const createAppliedTable = `CREATE TABLE IF NOT EXISTS "d1_migrations"(
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		name       TEXT UNIQUE,
		applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`;

/**
 * Applies the migrations in `folder` that the database has not had yet, in the order of their names. Each file is one batch
 * together with its own record, so a file is applied whole or not at all.
 *
 * @throws Error with the file's name and the database's message when one does not apply
 */
export async function applyMigrations(database: D1Database, folder: string): Promise<void> {
  await database.prepare(createAppliedTable).run();
  const rows = await database.prepare(`SELECT name FROM "d1_migrations"`).all<{ name: string }>();
  const applied = new Set(rows.results.map((row) => row.name));
  const pending = readdirSync(folder).filter((name) => name.endsWith(".sql") && !applied.has(name));
  for (const name of pending.sort()) {
    const statements = readFileSync(join(folder, name), "utf8").split("--> statement-breakpoint");
    const record = database.prepare(`INSERT INTO "d1_migrations" (name) VALUES (?1)`).bind(name);
    try {
      await database.batch([...statements.map((statement) => database.prepare(statement.trim())), record]);
    } catch (error) {
      throw new Error(`migration ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
