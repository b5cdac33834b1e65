/**
 * The local server: the same Worker that is deployed, in workerd, with its database and Durable Objects in a folder.
 *
 *     node functions/local/serve.ts [wrangler.toml]
 *
 * HOST and PORT (127.0.0.1, 8787; port 0 takes a free one) say where it listens, KUBEGC_DATA (.kubegc) where it keeps its data.
 * The kubeconfig it writes leads to a second, TLS port: TLS_PORT, or else the one the kubeconfig had before, or a free one.
 */
import { createServer } from "node:net";
import { join, relative, resolve } from "node:path";
import { everyMinute, parseCron } from "./cron.ts";
import { claimDataFolder, type DataFolder } from "./data-folder.ts";
import { ensureCluster } from "./demo-cluster.ts";
import { errorCode, StartFault } from "./fault.ts";
import { readKubeconfig, writeKubeconfig } from "./kubeconfig.ts";
import { rootToken, tokenDigest } from "./root-token.mjs";
import { portInUse, type Runtime, startRuntime } from "./runtime.ts";
import { serveTls, tlsIdentity } from "./tls.ts";
import { readWorkerConfig } from "./worker-config.ts";

/** The cluster that a first start makes. */
const CLUSTER = "demo";
/** After this many milliseconds a stop no longer waits for anything. */
const STOP_LIMIT = 1500;

const root = resolve(import.meta.dirname, "../..");
let data: DataFolder | undefined;
let runtime: Runtime | undefined;
let stopCrons = () => {};
let stopping = false;

takeSignals();
// Whoever started the server with a channel to it goes on living with it only.
if (process.connected) process.on("disconnect", () => stop(0));

try {
  await start();
} catch (error) {
  fail(error);
}

async function start(): Promise<void> {
  const host = process.env.HOST ?? "127.0.0.1";
  const port = portNumber("PORT", "8787");
  const folder = resolve(process.env.KUBEGC_DATA ?? join(root, ".kubegc"));
  const config = readWorkerConfig(process.argv[2] ?? join(root, "wrangler.toml"));
  config.crons.forEach(parseCron);

  data = await claimDataFolder(folder);
  await checkPort(host, port);
  const token = rootToken(folder);
  const starting = startRuntime(config, {
    host,
    port,
    state: data.state,
    workerdRecord: data.workerdRecord,
    bindings: { ROOT_TOKEN_SHA256: tokenDigest(token), ALLOW_PRIVATE_HOOKS: "true" },
    onRestart() {
      console.error("kubegc: workerd died and was started again");
      runCrons(config.crons);
    },
    onFault: (reason) => fail(new StartFault(reason)),
  });
  takeSignals();
  runtime = await starting;
  await reachable(runtime.url);
  await giveAccess(runtime.url, host, token, folder);

  console.log(`kubegc is ready on ${runtime.url.origin}   (data in ${fromHere(folder)})`);
  console.log(
    `next:  export KUBECONFIG=${fromHere(join(folder, "kubeconfig"), "$PWD/")} && kubectl get namespaces`,
  );

  // What a crash left undone goes on now, not at the next full minute.
  runCrons(config.crons);
  stopCrons = everyMinute(config.crons, runCron);
}

/** Makes the cluster on the first start, and leads its kubeconfig to where this start listens. */
async function giveAccess(worker: URL, host: string, rootToken: string, folder: string): Promise<void> {
  const path = join(folder, "kubeconfig");
  const before = readKubeconfig(path);
  const issued = await ensureCluster(worker, CLUSTER, rootToken);
  const identity = await tlsIdentity(folder, host);
  const lastPort = before === undefined ? 0 : Number(new URL(before.server).port);
  const ports = process.env.TLS_PORT === undefined ? [lastPort, 0] : [portNumber("TLS_PORT")];
  const target = { host: worker.hostname.replace(/^\[|\]$/g, ""), port: Number(worker.port) };
  const { port } = await serveTls(identity, { host, ports, target });
  const server = new URL(`/clusters/${CLUSTER}`, worker);
  server.protocol = "https:";
  server.port = String(port);
  writeKubeconfig(path, {
    cluster: CLUSTER,
    server: server.href,
    authority: identity.certificate,
    // A token that was issued once and lost is kept nowhere; then the one that opens everything has to do.
    token: issued ?? before?.token ?? rootToken,
  });
}

function runCrons(crons: readonly string[]): void {
  for (const cron of crons) void runCron(cron, new Date());
}

async function runCron(cron: string, at: Date): Promise<void> {
  try {
    await runtime?.scheduled(cron, at);
  } catch (error) {
    if (!stopping) console.error(`kubegc: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The path as it is shortest to read from the working directory. */
function fromHere(path: string, prefix = ""): string {
  const shown = relative(process.cwd(), path);
  return shown.startsWith("..") ? path : `${prefix}${shown}`;
}

function portNumber(variable: string, otherwise = ""): number {
  const text = process.env[variable] ?? otherwise;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) {
    throw new StartFault(`${variable} is "${text}", expected a number up to 65535`);
  }
  return port;
}

/** Finds a taken port before anything is started, and with the system's own reason when the address is no good at all. */
function checkPort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => {
      const code = errorCode(error);
      reject(
        code === "EADDRINUSE"
          ? portInUse(host, port)
          : new StartFault(`cannot listen on ${host}:${port} (${code})`),
      );
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

async function reachable(url: URL): Promise<void> {
  const response = await fetch(new URL("/readyz", url));
  const answer = await response.text();
  if (!response.ok) throw new Error(`the Worker is not ready: ${response.status} ${answer}`);
}

/**
 * miniflare, too, ends the process on a signal, and with a code that says it was killed; so its handlers go. The one for the
 * process's exit stays: it takes workerd along.
 */
function takeSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => stop(0));
  }
}

function stop(code: number): void {
  if (stopping) return;
  stopping = true;
  stopCrons();
  const leave = () => {
    data?.release();
    process.exit(code);
  };
  setTimeout(leave, STOP_LIMIT);
  void Promise.resolve(runtime?.stop()).finally(leave);
}

function fail(error: unknown): void {
  if (stopping) return;
  console.error(error instanceof StartFault ? `kubegc: ${error.message}` : error);
  stop(1);
}
