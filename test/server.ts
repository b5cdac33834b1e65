import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "..");

/** A local server in a process of its own, on a free port. */
export interface TestServer {
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** The Kubernetes API of the cluster `demo`. */
  base: string;
  /** Of the cluster's admin. */
  token: string;
  rootToken: string;
  /** Path of the kubeconfig that the server wrote. */
  kubeconfig: string;
  dataDir: string;
  /** What it has printed so far. */
  output(): string;
  /** Ends it as Ctrl-C does; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Kills it, workerd and all, without a chance to finish anything. The data folder stays. */
  kill(): Promise<void>;
  /** A request to the cluster's API with its token. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface Answer {
  code: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked into freely by tests
  body: any;
  text: string;
}

export interface ServerOptions {
  dataDir?: string;
  port?: number;
  /** Variables of the Worker, as somebody who deploys it would put them in `wrangler.toml`. */
  vars?: Record<string, string>;
}

/** Starts a server on a new folder, or on `dataDir`, which is kept then. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "kubegc-"));
  const config = options.vars === undefined ? [] : [configWith(options.vars, dataDir)];
  const child = spawn(process.execPath, ["functions/local/serve.ts", ...config], {
    cwd: root,
    env: { ...process.env, KUBEGC_DATA: dataDir, HOST: "127.0.0.1", PORT: String(options.port ?? 0) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  await ready(child, () => output);
  const url = /ready on (\S+)/.exec(output)?.[1] ?? "";
  const kubeconfig = join(dataDir, "kubeconfig");
  const token = String(parse(readFileSync(kubeconfig, "utf8")).users[0].user.token);
  const base = `${url}/clusters/demo`;
  const exited = new Promise<number | null>((done) => child.once("exit", done));
  return {
    url,
    base,
    token,
    rootToken: readFileSync(join(dataDir, "root-token"), "utf8").trim(),
    kubeconfig,
    dataDir,
    output: () => output,
    async stop() {
      child.kill("SIGINT");
      const code = await exited;
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
      return code;
    },
    async kill() {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await exited;
    },
    call: (method, path, body, headers) => call(base, token, method, path, body, headers),
  };
}

/** A copy of `wrangler.toml` with variables, which finds everything where it is. */
function configWith(vars: Record<string, string>, folder: string): string {
  const toml = readFileSync(join(root, "wrangler.toml"), "utf8").replace(
    /^(main|migrations_dir) = "(.*)"$/gm,
    (_, key, path) => `${key} = ${JSON.stringify(join(root, path))}`,
  );
  const lines = Object.entries(vars).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const path = join(folder, "wrangler.toml");
  writeFileSync(path, [toml, "[vars]", ...lines, ""].join("\n"));
  return path;
}

/** A request with a token. A string is sent as it is, anything else as JSON. */
export async function call(
  base: string,
  token: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  return { code: response.status, headers: response.headers, body: parsed, text };
}

/** Asks again until the answer is as wanted; fails with the last one. */
export async function eventually<T>(
  look: () => Promise<T>,
  wanted: (seen: T) => boolean,
  timeout = 10_000,
): Promise<T> {
  const end = Date.now() + timeout;
  for (;;) {
    const seen = await look();
    if (wanted(seen)) return seen;
    if (Date.now() > end) throw new Error(`still not as wanted: ${JSON.stringify(seen).slice(0, 2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function ready(child: ChildProcess, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the server did not start:\n${output()}`)), 45_000);
    const check = () => {
      if (!/^next:/m.test(output())) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout?.on("data", check);
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code}:\n${output()}`));
    });
  });
}
