import type { Millis } from "../../objects/object.ts";
import type { NodeRecord } from "../record/node-record.ts";
import { EMPTY_RECORD } from "../record/node-record.ts";
import type {
  ContainerId,
  ContainerState,
  FileSystemFigures,
  ImageId,
  NodeReport,
  PlanResult,
  ReportedContainer,
  ReportedFileSystems,
  ReportedImage,
  ReportedSandbox,
  SandboxId,
  StepResult,
} from "../report/report.ts";
import type { NodeSettings } from "../settings/settings.ts";
import { DEFAULT_NODE_SETTINGS } from "../settings/settings-of.ts";
import type { Plan, PlanStep } from "./plan.ts";
import { type Taken, takeReport } from "./take-report.ts";

const hex = (name: string | number): string => Buffer.from(String(name)).toString("hex").padStart(64, "0");

export const imageId = (name: string | number): ImageId => `sha256:${hex(name)}` as ImageId;
export const containerId = (name: string): ContainerId => hex(name) as ContainerId;
export const sandboxId = (name: string): SandboxId => hex(name) as SandboxId;

export function image(name: string | number, size = 0, more: Partial<ReportedImage> = {}): ReportedImage {
  const tags = [`registry.example/app-${name}:1`];
  return { id: imageId(name), tags, digests: [], size, pinned: false, runtimeHandler: "", ...more };
}

let made = 0;

/** `pod/name` created at a moment; exited unless it is said otherwise. */
export function container(
  of: string,
  createdAt: Millis,
  more: Partial<ReportedContainer> = {},
): ReportedContainer {
  const [podUid = "", name = ""] = of.split("/");
  return {
    id: containerId(`${of}@${createdAt}#${made++}`),
    sandbox: sandboxId(`${podUid}@0`),
    podUid,
    podNamespace: "default",
    podName: podUid,
    name,
    attempt: 0,
    state: "EXITED",
    createdAt,
    images: [],
    ...more,
  };
}

/** A container that uses images. */
export const user = (
  name: string,
  images: readonly (string | number)[],
  state: ContainerState = "RUNNING",
): ReportedContainer =>
  container(`${name}/${name}`, 0, { state, images: images.map(imageId), id: containerId(name) });

export const sandbox = (
  podUid: string,
  state: ReportedSandbox["state"],
  createdAt: Millis,
): ReportedSandbox => ({
  id: sandboxId(`${podUid}@${createdAt}`),
  podUid,
  podNamespace: "default",
  podName: podUid,
  state,
  createdAt,
  runtimeHandler: "",
});

export type SettingsSketch = {
  [Part in "images" | "containers" | "eviction"]?: Partial<NodeSettings[Part]>;
} & Partial<Pick<NodeSettings, "reportOnly" | "imagePeriod" | "containerPeriod">>;

/** Upstream's defaults, without a minimum age and without eviction, and with what a test sets. */
export function settings({ images, containers, eviction, ...more }: SettingsSketch = {}): NodeSettings {
  const base = DEFAULT_NODE_SETTINGS;
  return {
    ...base,
    ...more,
    images: { ...base.images, minimumAge: 0, ...images },
    containers: { ...base.containers, ...containers },
    eviction: { ...base.eviction, hard: {}, ...eviction },
  };
}

const file = (device: string, capacity: number, available: number): FileSystemFigures => ({
  device,
  mountedOn: `/${device}`,
  capacity,
  available,
});

/** One file system for everything. */
export function disk(capacity: number, available: number): ReportedFileSystems {
  const only = file("root", capacity, available);
  return { layout: "one", nodefs: only, imagefs: only, containerfs: undefined, imageBytes: undefined };
}

export function disks(
  layout: "dedicated" | "split",
  node: [capacity: number, available: number],
  images: [capacity: number, available: number],
): ReportedFileSystems {
  const nodefs = file("root", ...node);
  const imagefs = file("images", ...images);
  return {
    layout,
    nodefs,
    imagefs,
    containerfs: layout === "split" ? nodefs : imagefs,
    imageBytes: undefined,
  };
}

/** A node that does what a plan says to it, and the service's record of it. Time goes on only when a test says so. */
export class SimulatedNode {
  now: Millis;
  record: NodeRecord = EMPTY_RECORD;
  settings: NodeSettings;
  images: ReportedImage[] = [];
  containers: ReportedContainer[] = [];
  sandboxes: ReportedSandbox[] = [];
  fileSystems: ReportedFileSystems = disk(1000, 1000);
  /** Undefined when it cannot be read. */
  pods: string[] | undefined = [];
  logs: string[] | undefined = [];
  links: string[] = [];
  boot = "first";
  /** Steps that fail, as `rmi <id>`. */
  readonly failing = new Set<string>();
  /** What freeing an image gives back to the file system, of its size. */
  gives = 1;
  sequence = 0;
  results: PlanResult[] = [];
  /** Everything that was done or tried, as `rmi <id>`. */
  readonly tried: string[] = [];
  readonly events: { reason: string; message: string }[] = [];

  constructor(now: Millis, sketch: SettingsSketch = {}) {
    this.now = now;
    this.settings = settings(sketch);
  }

  report(more: Partial<NodeReport> = {}): NodeReport {
    this.sequence++;
    return {
      sender: { sequence: this.sequence, time: this.now, dryRun: false, boot: this.boot },
      images: { items: this.images, complete: true },
      containers: { items: this.containers, complete: true },
      sandboxes: { items: this.sandboxes, complete: true },
      fileSystems: this.fileSystems,
      logDirectories: this.logs,
      podDirectories: this.pods,
      deadLogLinks: this.links,
      results: this.results,
      faults: [],
      ...more,
    };
  }

  /** The service takes a report. */
  take(report: NodeReport): Taken {
    const taken = takeReport(this.record, report, this.settings, this.now);
    if (taken.state === "taken") {
      this.record = taken.record;
      this.events.push(...taken.events.map(({ reason, message }) => ({ reason, message })));
    }
    return taken;
  }

  /** The node does what the plan says; its results go with the next report. */
  carryOut({ number, steps }: Plan): void {
    if (steps.length === 0) {
      this.results = [];
      return;
    }
    this.now += 1;
    const stopsFailed = new Set<string>();
    const done = steps.map((step): StepResult => {
      const key = `${step.verb} ${step.id}`;
      if (step.verb === "rm" && stopsFailed.has(step.id)) {
        return { verb: step.verb, id: step.id, outcome: "skipped", message: "it could not be stopped" };
      }
      this.tried.push(key);
      if (this.failing.has(key)) {
        if (step.verb === "stop") stopsFailed.add(step.id);
        return { verb: step.verb, id: step.id, outcome: "failed", message: "the runtime said no" };
      }
      this.#do(step);
      return { verb: step.verb, id: step.id, outcome: "done", message: "" };
    });
    this.results = [{ plan: number, outcome: "carried-out", steps: done }];
  }

  #do(step: PlanStep): void {
    switch (step.verb) {
      case "rmi":
        this.#free(this.images.find(({ id }) => id === step.id)?.size ?? 0);
        this.images = this.images.filter(({ id }) => id !== step.id);
        break;
      case "rm":
        this.containers = this.containers.filter(({ id }) => id !== step.id);
        break;
      case "rmp":
        this.sandboxes = this.sandboxes.filter(({ id }) => id !== step.id);
        break;
      case "rmlog":
        this.logs = this.logs?.filter((entry) => entry !== step.id);
        break;
      case "rmlink":
        this.links = this.links.filter((entry) => entry !== step.id);
        break;
      case "stop":
      case "stopp":
        break;
    }
  }

  #free(bytes: number): void {
    const { nodefs, imagefs } = this.fileSystems;
    const more = (figures: FileSystemFigures): FileSystemFigures => ({
      ...figures,
      available: figures.available + bytes * this.gives,
    });
    if (imagefs === undefined) return;
    const freed = more(imagefs);
    this.fileSystems = { ...this.fileSystems, imagefs: freed, nodefs: nodefs === imagefs ? freed : nodefs };
  }

  /** Reports and does what it is told until it is told nothing more; returns the plans. */
  settle(): Plan[] {
    const plans: Plan[] = [];
    for (;;) {
      const { plan } = this.take(this.report());
      if (plan.steps.length === 0) {
        this.carryOut(plan);
        return plans;
      }
      plans.push(plan);
      if (plans.length > 50) throw new Error(`no end of plans: ${JSON.stringify(plan)}`);
      this.carryOut(plan);
    }
  }

  /** A turn of the periodic run, as long after the last one as it takes. */
  run(): Plan[] {
    const plans = this.settle();
    this.now += Math.max(this.settings.imagePeriod, this.settings.containerPeriod);
    return plans;
  }

  get reasons(): string[] {
    return this.events.map(({ reason }) => reason);
  }

  /** Names of the images that are left, as they were made by. */
  get left(): string[] {
    return this.images.map(({ id }) => Buffer.from(id.replace(/^sha256:0*/, ""), "hex").toString());
  }
}
