import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually, startServer, type TestServer } from "./server.ts";

const root = resolve(import.meta.dirname, "..");
let dataDir: string;
let servers: TestServer[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "kubegc-local-"));
  servers = [];
});

afterEach(async () => {
  for (const server of servers) await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(port = 0): Promise<TestServer> {
  const server = await startServer({ dataDir, port });
  servers.push(server);
  return server;
}

/** A start that is expected to fail. */
async function refusedStart(env: Record<string, string>) {
  const child = spawn(process.execPath, ["functions/local/serve.ts"], {
    cwd: root,
    env: { ...process.env, HOST: "127.0.0.1", PORT: "0", KUBEGC_DATA: dataDir, ...env },
  });
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  const [code] = await once(child, "close");
  return { code, errors };
}

const workerdPid = () => Number.parseInt(readFileSync(join(dataDir, "workerd.pid"), "utf8"), 10);
const serverPid = (): number => JSON.parse(readFileSync(join(dataDir, "server.json"), "utf8")).pid;
const portOf = (server: TestServer) => Number(new URL(server.url).port);
const answers = async (server: TestServer) => (await fetch(`${server.url}/readyz`)).status;
const configMaps = "/api/v1/namespaces/default/configmaps";

/** The names of the namespaces, read by a client that has nothing but the kubeconfig. */
async function namespaces(kubeconfig: string): Promise<(string | undefined)[]> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const list = await config.makeApiClient(CoreV1Api).listNamespace();
  return list.items.map((each) => each.metadata?.name);
}

describe("a start", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it("says that it is ready, and how to go on", async () => {
    expect(server.output()).toMatch(
      /ready on http:\/\/127\.0\.0\.1:\d+ .*\nnext: {2}export KUBECONFIG=\S+ && kubectl get namespaces\n/,
    );
    expect(await answers(server)).toBe(200);
  });

  it("writes a kubeconfig that a client is let in with", async () => {
    expect(await namespaces(server.kubeconfig)).toContain("default");
  });

  // client-go sends a token over TLS only, as other clients do not mind.
  it.skipIf(spawnSync("kubectl", ["version", "--client"]).status !== 0)("lets kubectl in, too", async () => {
    const { kubeconfig } = server;
    const { stdout } = await promisify(execFile)("kubectl", [
      "--kubeconfig",
      kubeconfig,
      "get",
      "ns",
      "-o",
      "name",
    ]);
    expect(stdout).toContain("namespace/default\n");
  });

  it("keeps its secrets to their owner", async () => {
    for (const file of ["root-token", "kubeconfig", "tls.key"]) {
      expect(statSync(join(server.dataDir, file)).mode & 0o077, file).toBe(0);
    }
  });

  it("answers requests that no token came with by 401", async () => {
    expect((await fetch(server.base + configMaps)).status).toBe(401);
  });
});

describe("a later start", () => {
  it("has the objects, tokens and kubeconfig of the one before, also on another port", async () => {
    const first = await start();
    await first.call("POST", configMaps, { metadata: { name: "kept" } });
    const kubeconfig = readFileSync(first.kubeconfig, "utf8");
    expect(await first.stop()).toBe(0);

    const second = await start();
    expect(second.url).not.toBe(first.url);
    expect(second.rootToken).toBe(first.rootToken);
    expect(readFileSync(second.kubeconfig, "utf8")).toBe(kubeconfig);
    expect((await second.call("GET", `${configMaps}/kept`)).code).toBe(200);
    expect(await namespaces(join(dataDir, "kubeconfig"))).toContain("default");
  });

  it("lets the operator in again when the kubeconfig was lost", async () => {
    const first = await start();
    await first.stop();
    rmSync(first.kubeconfig);
    await start();
    expect(await namespaces(join(dataDir, "kubeconfig"))).toContain("default");
  });
});

describe("Ctrl-C", () => {
  it("ends the server within two seconds, with code 0, and leaves no process", async () => {
    const server = await start();
    const workerd = workerdPid();
    const began = Date.now();
    expect(await server.stop()).toBe(0);
    expect(Date.now() - began).toBeLessThan(2000);
    expect(isRunning(workerd)).toBe(false);
    expect(existsSync(join(dataDir, "server.json"))).toBe(false);
  });
});

describe("after kill -9", () => {
  it("of the server, workerd ends and the next start has the same port and data", async () => {
    const first = await start();
    await first.call("POST", configMaps, { metadata: { name: "kept" } });
    const workerd = workerdPid();
    process.kill(serverPid(), "SIGKILL");

    const second = await start(portOf(first));
    expect(isRunning(workerd)).toBe(false);
    expect((await second.call("GET", `${configMaps}/kept`)).code).toBe(200);
  });

  it("of workerd, the server starts it again on the same port", async () => {
    const server = await start();
    const workerd = workerdPid();
    process.kill(workerd, "SIGKILL");
    await eventually(
      () => answers(server).catch(() => 0),
      (status) => status === 200,
    );
    expect(workerdPid()).not.toBe(workerd);
    expect(server.output()).toContain("workerd died and was started again");
  });

  it("of the launcher, the server ends", async () => {
    const launcher = spawn(process.execPath, ["functions/local/start.mjs"], {
      cwd: root,
      env: { ...process.env, HOST: "127.0.0.1", PORT: "0", KUBEGC_DATA: dataDir },
    });
    await once(launcher.stdout, "data");
    const pids = [serverPid(), workerdPid()];
    launcher.kill("SIGKILL");
    await eventually(
      async () => pids.filter(isRunning),
      (left) => left.length === 0,
    );
  });
});

describe("one clear line tells", () => {
  it("that the port is taken", async () => {
    const server = await start();
    const other = mkdtempSync(join(tmpdir(), "kubegc-local-"));
    const port = portOf(server);
    expect(await refusedStart({ PORT: String(port), KUBEGC_DATA: other })).toEqual({
      code: 1,
      errors: `kubegc: port ${port} on 127.0.0.1 is in use; stop what uses it or set PORT to another\n`,
    });
    rmSync(other, { recursive: true });
  });

  it("that another server uses the data folder", async () => {
    await start();
    expect(await refusedStart({})).toEqual({
      code: 1,
      errors: `kubegc: another kubegc server (process ${serverPid()}) uses the data folder ${dataDir}\n`,
    });
  });

  it("that the data folder cannot be written", async () => {
    const file = join(dataDir, "file");
    writeFileSync(file, "");
    expect(await refusedStart({ KUBEGC_DATA: join(file, "data") })).toEqual({
      code: 1,
      errors: `kubegc: cannot write to the data folder ${join(file, "data")} (ENOTDIR)\n`,
    });
  });

  it("that PORT is no port", async () => {
    expect(await refusedStart({ PORT: "http" })).toEqual({
      code: 1,
      errors: 'kubegc: PORT is "http", expected a number up to 65535\n',
    });
  });
});

/** A zombie, which nobody has taken leave of yet, does not run. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\tZ/m.test(existsSync("/proc/self") ? readFileSync(`/proc/${pid}/status`, "utf8") : "");
  } catch {
    return false;
  }
}
