import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RuntimeState, readState, writeState } from "./runtime-state.ts";

/** `df -P -k PATH` or `df -P -i PATH`. */
const DF = '#!/bin/sh\nexec cat "$CRICTL_STATE/df$2"\n';
const program = fileURLToPath(new URL("crictl.ts", import.meta.url));
const CRICTL = `#!/bin/sh
case $* in
  'ps -a '*) prints=ps-a ;;
  'pods --state Ready '*) prints=pods-Ready ;;
  *) prints=$1 ;;
esac
prints="$CRICTL_STATE/prints-$prints"
[ -f "$prints" ] || exec ${process.execPath} ${program} "$@"
echo "$*" >>"$CRICTL_STATE/calls"
exec cat "$prints"
`;
export const SCRIPT = fileURLToPath(new URL("../../functions/nodes/agent/kubegc-node.sh", import.meta.url));

export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A machine with a runtime, on which the agent runs as it would on any: with crictl, df and folders of logs of its own. */
export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), "kubegc-node-"));
  readonly #running: ChildProcess[] = [];

  constructor() {
    for (const name of ["bin", "kubelet", "pods", "containers"]) mkdirSync(join(this.folder, name));
    this.#executable("df", DF);
    this.#executable("crictl", CRICTL);
    this.state = {
      images: [],
      containers: [],
      sandboxes: [],
      disk: { path: join(this.folder, "kubelet"), capacity: 1_000_000, other: 0 },
    };
  }

  #executable(name: string, text: string): void {
    const path = join(this.folder, "bin", name);
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  }

  /** A program that stands before the machine's own in the path. */
  program(name: string, text: string): void {
    this.#executable(name, text);
  }

  get state(): RuntimeState {
    return readState(this.folder);
  }

  set state(state: RuntimeState) {
    writeState(this.folder, state);
  }

  change(change: (state: RuntimeState) => void): void {
    const state = this.state;
    change(state);
    this.state = state;
  }

  /** What crictl and df were called with, since the last time this was asked. */
  calls(): string[] {
    const path = join(this.folder, "calls");
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
    rmSync(path);
    return lines;
  }

  /** Calls that change something. */
  removals(): string[] {
    return this.calls().filter((call) => /^(rm|rmi|rmp|stop|stopp) /.test(call));
  }

  image(name: string, size: number, more: Partial<RuntimeState["images"][number]> = {}): string {
    const id = `sha256:${hexOf(`image ${name}`)}`;
    const image = {
      id,
      repoTags: [name],
      repoDigests: [],
      size: String(size),
      uid: null,
      username: "",
      spec: null,
    };
    this.change(({ images }) => images.push({ ...image, pinned: false, ...more }));
    return id;
  }

  /** A container in a sandbox of its pod, made so many seconds ago. */
  container(
    pod: string,
    name: string,
    image: string,
    state: "RUNNING" | "EXITED" | "UNKNOWN",
    ago = 0,
  ): string {
    const id = hexOf(`container ${pod} ${name} ${this.state.containers.length}`);
    const sandbox = hexOf(`sandbox ${pod}`);
    const labels = {
      "io.kubernetes.container.name": name,
      "io.kubernetes.pod.name": pod,
      "io.kubernetes.pod.namespace": "default",
      "io.kubernetes.pod.uid": `uid-${pod}`,
    };
    const createdAt = `${Date.now() - ago * 1000}000000`;
    this.change(({ containers, sandboxes }) => {
      containers.push({
        id,
        podSandboxId: sandbox,
        metadata: { name, attempt: 0 },
        image: { image, annotations: {} },
        imageRef: image,
        state: `CONTAINER_${state}`,
        createdAt,
        labels,
        annotations: {},
      });
      if (sandboxes.some((each) => each.id === sandbox)) return;
      const metadata = { name: pod, uid: `uid-${pod}`, namespace: "default", attempt: 0 };
      sandboxes.push({
        id: sandbox,
        metadata,
        state: "SANDBOX_READY",
        createdAt,
        labels,
        annotations: {},
        runtimeHandler: "",
      });
    });
    return id;
  }

  environment(more: Record<string, string> = {}): Record<string, string> {
    return {
      PATH: `${join(this.folder, "bin")}:${process.env.PATH ?? ""}`,
      CRICTL_STATE: this.folder,
      // Two words, as with k3s.
      CRICTL: `sh ${join(this.folder, "bin", "crictl")}`,
      KUBEGC_NODE: "machine-1",
      KUBEGC_STATE: join(this.folder, "agent"),
      KUBEGC_KUBELET_ROOT: join(this.folder, "kubelet"),
      KUBEGC_POD_LOGS: join(this.folder, "pods"),
      KUBEGC_CONTAINER_LOGS: join(this.folder, "containers"),
      KUBEGC_TIMEOUT: "20",
      KUBEGC_TRIES: "1",
      ...more,
    };
  }

  /** Begins the agent; `shell` may be several words. */
  begin(args: string[], environment: Record<string, string>, shell = "sh", script = SCRIPT): ChildProcess {
    const [command = "sh", ...words] = shell.split(" ");
    const child = spawn(command, [...words, script, ...args], {
      env: this.environment(environment),
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#running.push(child);
    return child;
  }

  async run(
    args: string[],
    environment: Record<string, string>,
    shell?: string,
    script?: string,
  ): Promise<Run> {
    const child = this.begin(args, environment, shell, script);
    const seen = { stdout: "", stderr: "" };
    child.stdout?.on("data", (chunk) => (seen.stdout += chunk));
    child.stderr?.on("data", (chunk) => (seen.stderr += chunk));
    const code = await new Promise<number | null>((done) => child.once("close", done));
    return { code, ...seen };
  }

  dispose(): void {
    for (const child of this.#running) if (child.exitCode === null) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** 64 hex digits that depend on the text. */
export function hexOf(text: string): string {
  let state = 2166136261;
  let digits = "";
  for (let round = 0; digits.length < 64; round++) {
    for (const char of `${round}${text}`) state = Math.imul(state ^ char.charCodeAt(0), 16777619) >>> 0;
    digits += state.toString(16).padStart(8, "0");
  }
  return digits.slice(0, 64);
}
