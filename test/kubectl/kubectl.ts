import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** One kubectl program. */
export interface Kubectl {
  binary: string;
  /** `v1.20.2` */
  version: string;
}

/**
 * The kubectl programs to test with: those of `KUBECTLS` (paths, separated by colons), the one of `KUBECTL`, or the one on
 * the PATH.
 *
 * @throws Error when one of them cannot be run
 */
export function kubectls(env = process.env): Kubectl[] {
  return (env.KUBECTLS || env.KUBECTL || "kubectl").split(":").map((binary) => {
    let printed: string;
    try {
      printed = execFileSync(binary, ["version", "--client"], { encoding: "utf8", stdio: "pipe" });
    } catch (fault) {
      throw new Error(`${binary} cannot be run: install kubectl, or set KUBECTL to its path (${fault})`);
    }
    return { binary, version: /v\d+\.\d+\.\d+/.exec(printed)?.[0] ?? "of unknown version" };
  });
}

/** kubectl at work on one cluster. It finds nothing but the kubeconfig, and caches what it discovers under `home`. */
export class Shell {
  readonly #binary: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #running = new Set<ChildProcess>();

  constructor({ binary }: Kubectl, kubeconfig: string, home: string, env: NodeJS.ProcessEnv = {}) {
    this.#binary = binary;
    this.#env = { PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfig, ...env };
  }

  /** `kubectl get pods`, split at spaces. @throws Error with what it printed when it does not end with 0. */
  async kubectl(line: string, input = ""): Promise<string> {
    const ran = await this.run(line.split(" "), input);
    if (ran.code !== 0) throw new Error(`kubectl ${line} ended with ${ran.code}: ${ran.stderr}`);
    return ran.stdout;
  }

  run(args: readonly string[], input = ""): Promise<Ran> {
    return new Promise((resolve) => {
      const options = { env: this.#env, timeout: 30_000, maxBuffer: 64 * 1024 * 1024 };
      const child = execFile(this.#binary, args, options, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr });
      });
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(input);
    });
  }

  /** Starts one that goes on until `end`, such as a watch or a proxy. `exit` comes when all has been printed. */
  start(line: string): { printed(): string; exit: Promise<number | null> } {
    const child = spawn(this.#binary, line.split(" "), { env: this.#env, stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
    this.#running.add(child);
    const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
    return { printed: () => printed, exit };
  }

  /** Ends what was started and still runs. */
  end(): void {
    for (const child of this.#running) child.kill();
    this.#running.clear();
  }
}
