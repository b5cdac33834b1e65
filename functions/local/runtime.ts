import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { D1Database } from "@cloudflare/workers-types";
import { build, stop as stopEsbuild } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { errorCode, StartFault } from "./fault.ts";
import { applyMigrations } from "./migrations.ts";
import type { WorkerConfig } from "./worker-config.ts";

/** A Worker that answers on its own socket: requests reach it without passing a proxy. */
export interface Runtime {
  readonly url: URL;
  scheduled(cron: string, at: Date): Promise<void>;
  stop(): Promise<void>;
}

export interface RuntimeOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Folder of the database and the Durable Objects. */
  readonly state: string;
  /** File in which `workerd.sh` records the process. */
  readonly workerdRecord: string;
  readonly bindings: Readonly<Record<string, string>>;
  /** workerd died and was started again on the same port. */
  onRestart(): void;
  /** workerd died and cannot be started again, or does not stay up. */
  onFault(reason: string): void;
}

/** More deaths than this within a minute, and the server gives up rather than go on in a loop. */
const RESTARTS_PER_MINUTE = 5;

/**
 * Bundles the Worker, applies the migrations and starts it. No request and no alarm reaches the Worker before the last
 * migration: until then workerd runs with the database alone.
 *
 * @throws StartFault when the address is in use
 */
export async function startRuntime(config: WorkerConfig, options: RuntimeOptions): Promise<Runtime> {
  process.env.MINIFLARE_WORKERD_PATH = fileURLToPath(new URL("workerd.sh", import.meta.url));
  const log = new FaultLog();
  const shared = {
    host: "127.0.0.1",
    port: 0,
    cf: false,
    log,
    logRequests: false,
    telemetry: { enabled: false },
    resourcePersistencePath: options.state,
    unsafeRuntimeEnv: { KUBEGC_WORKERD: workerdPath(), KUBEGC_WORKERD_RECORD: options.workerdRecord },
    handleStructuredLogs: ({ level, message }: { level: string; message: string }) => {
      (level === "error" || level === "warn" ? process.stderr : process.stdout).write(`${message}\n`);
    },
    unsafeHandleRuntimeRestart: () => options.onRestart(),
  };
  const worker = {
    name: config.name,
    modules: true,
    compatibilityDate: config.compatibilityDate,
    compatibilityFlags: [...config.compatibilityFlags],
    // The binding's name is the database's id: it names the file, and must stay the same when the deployed id changes.
    d1Databases: { [config.database]: config.database },
  };

  const bundle = bundleWorker(config.main);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({ ...shared, workers: [{ ...worker, script: "export default {}" }] }),
  );
  try {
    // The two packages describe the same database interface each in its own words.
    const database = (await miniflare.getD1Database(config.database)) as unknown as D1Database;
    await applyMigrations(database, config.migrations);
    const durableObjects = Object.entries(config.objects).map(([binding, className]) => [
      binding,
      { className, useSQLite: true },
    ]);
    await miniflare.setOptions(
      convertV4MiniflareOptions({
        ...shared,
        workers: [
          {
            ...worker,
            script: await bundle,
            bindings: { ...config.vars, ...options.bindings },
            durableObjects: Object.fromEntries(durableObjects),
            unsafeDirectSockets: [{ host: options.host, port: options.port }],
          },
        ],
      }),
    );
    log.onTrouble = giveUpWhenHopeless(miniflare, options.onFault);
    const url = await miniflare.unsafeGetDirectURL();
    return {
      url,
      async scheduled(cron, scheduledTime) {
        const { outcome } = await (await miniflare.getWorker()).scheduled({ cron, scheduledTime });
        if (outcome !== "ok") throw new Error(`cron "${cron}" ended with ${outcome}`);
      },
      stop: () => miniflare.dispose(),
    };
  } catch (error) {
    await miniflare.dispose();
    if (errorCode(error) === "ERR_ADDRESS_IN_USE") throw portInUse(options.host, options.port);
    throw error;
  }
}

export function portInUse(host: string, port: number): StartFault {
  return new StartFault(`port ${port} on ${host} is in use; stop what uses it or set PORT to another`);
}

/** The workerd that miniflare itself would start. */
function workerdPath(): string {
  const { default: path } = createRequire(import.meta.resolve("miniflare"))("workerd") as { default: string };
  return path;
}

/** The same bundle that `wrangler deploy` makes, as one ES module. */
async function bundleWorker(main: string): Promise<string> {
  try {
    const { outputFiles } = await build({
      entryPoints: [main],
      bundle: true,
      write: false,
      format: "esm",
      target: "es2024",
      conditions: ["workerd", "worker", "browser"],
      external: ["cloudflare:*", "node:*"],
      loader: { ".txt": "text", ".html": "text", ".sql": "text", ".sh": "text" },
      keepNames: true,
      sourcemap: "inline",
      // The sources lie beside it; with them inside, workerd takes a second longer to start.
      sourcesContent: false,
      logLevel: "silent",
    });
    return outputFiles[0]?.text ?? "";
  } finally {
    await stopEsbuild();
  }
}

/**
 * miniflare restarts a dead workerd by itself and only logs that it did, or that it could not. So whenever it has something to
 * complain about, it is asked whether it still serves.
 */
function giveUpWhenHopeless(miniflare: Miniflare, onFault: (reason: string) => void): () => void {
  let deaths: number[] = [];
  return () => {
    const now = Date.now();
    deaths = [...deaths.filter((at) => at > now - 60_000), now];
    if (deaths.length > RESTARTS_PER_MINUTE) onFault(`workerd died ${deaths.length} times within a minute`);
    setImmediate(() => {
      miniflare.ready.catch((error: unknown) => {
        if (errorCode(error) !== "ERR_DISPOSED") onFault("workerd died and could not be started again");
      });
    });
  };
}

class FaultLog extends Log {
  onTrouble: () => void = () => {};

  constructor() {
    super(LogLevel.WARN);
  }

  override warn(): void {
    this.onTrouble();
  }

  override error(error: Error): void {
    process.stderr.write(`${error.message}\n`);
    this.onTrouble();
  }

  protected override log(message: string): void {
    process.stderr.write(`${message}\n`);
  }
}
