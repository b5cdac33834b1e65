import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { StartFault } from "./fault.ts";

/** What the local server needs to know of `wrangler.toml`, so that names are said in one place only. */
export interface WorkerConfig {
  readonly name: string;
  /** Absolute path of the entry file. */
  readonly main: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  /** Binding name of the one D1 database. */
  readonly database: string;
  /** Absolute path of its migrations. */
  readonly migrations: string;
  /** Durable Objects: binding name → class name. All of them are SQLite-backed. */
  readonly objects: Readonly<Record<string, string>>;
  readonly crons: readonly string[];
  readonly vars: Readonly<Record<string, string>>;
}

/**
 * Strict on purpose: a binding that is added to the deployed Worker but is unknown here stops the local server with its name,
 * instead of being missing at run time.
 */
const wranglerToml = z.strictObject({
  name: z.string(),
  main: z.string(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()).default([]),
  d1_databases: z.tuple([
    z.strictObject({
      binding: z.string(),
      database_name: z.string(),
      database_id: z.string(),
      migrations_dir: z.string(),
    }),
  ]),
  durable_objects: z.strictObject({
    bindings: z.array(z.strictObject({ name: z.string(), class_name: z.string() })),
  }),
  migrations: z.array(z.strictObject({ tag: z.string(), new_sqlite_classes: z.array(z.string()) })),
  triggers: z.strictObject({ crons: z.array(z.string()) }),
  vars: z.record(z.string(), z.string()).default({}),
  /** How modules are read; `runtime.ts` has the same as loaders. */
  rules: z
    .array(z.strictObject({ type: z.literal("Text"), globs: z.array(z.string()), fallthrough: z.boolean() }))
    .default([]),
  // These matter only where the Worker is deployed, or to wrangler itself.
  build: z.unknown().optional(),
  limits: z.unknown().optional(),
  observability: z.unknown().optional(),
  placement: z.unknown().optional(),
});

/** @throws StartFault when the file is missing or holds something the local server does not know */
export function readWorkerConfig(path: string): WorkerConfig {
  const parsed = wranglerToml.safeParse(parse(readText(path)));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new StartFault(`${path}: ${[...(issue?.path ?? []), issue?.message].join(": ")}`);
  }
  const toml = parsed.data;
  const folder = dirname(resolve(path));
  const [database] = toml.d1_databases;
  return {
    name: toml.name,
    main: resolve(folder, toml.main),
    compatibilityDate: toml.compatibility_date,
    compatibilityFlags: toml.compatibility_flags,
    database: database.binding,
    migrations: resolve(folder, database.migrations_dir),
    objects: Object.fromEntries(toml.durable_objects.bindings.map((each) => [each.name, each.class_name])),
    crons: toml.triggers.crons,
    vars: toml.vars,
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StartFault(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
