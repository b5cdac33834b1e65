import type { Millis } from "../../objects/object.ts";

/** An image's id as the runtime prints it: `sha256:` and 64 hex digits, or (CRI-O) the digits alone. */
export type ImageId = string & { readonly __brand: "ImageId" };
export type ContainerId = string & { readonly __brand: "ContainerId" };
export type SandboxId = string & { readonly __brand: "SandboxId" };

/**
 * What a node posts: what crictl and df print, unchanged, read into one form for all their versions.
 *
 * A part that the node did not send, or that cannot be read at all, is undefined. A listing of which single entries
 * could not be read is not `complete`: nothing may be concluded from what it does not hold.
 */
export interface NodeReport {
  readonly sender: Sender;
  readonly images: Listing<ReportedImage> | undefined;
  readonly containers: Listing<ReportedContainer> | undefined;
  readonly sandboxes: Listing<ReportedSandbox> | undefined;
  readonly fileSystems: ReportedFileSystems;
  /** Entries of the pod log root (`/var/log/pods`), in listing order; undefined when it could not be read. */
  readonly logDirectories: readonly string[] | undefined;
  /**
   * Entries of the kubelet's folder of pods (`/var/lib/kubelet/pods`): the uids of the pods it knows. Listed after
   * everything else, so that a pod born meanwhile is among them. Undefined when it could not be read.
   */
  readonly podDirectories: readonly string[] | undefined;
  /** Names in `/var/log/containers` whose target does not exist. */
  readonly deadLogLinks: readonly string[];
  /** What became of earlier plans. Repeated until the service has answered. */
  readonly results: readonly PlanResult[];
  /** What could not be read, in words for people. */
  readonly faults: readonly ReportFault[];
}

export interface Listing<T> {
  readonly items: readonly T[];
  /** False when an entry was left out because it could not be read. */
  readonly complete: boolean;
}

/** `path` is a part and a place in it: `containers.containers[3].state`. */
export interface ReportFault {
  readonly path: string;
  readonly message: string;
}

export interface Sender {
  /** Grows with each report of a node, also over restarts: a smaller one than the latest seen is late or a repeat. */
  readonly sequence: number;
  /** Seconds precision, the node's own clock; only for people. */
  readonly time: Millis;
  /** The plan will only be printed. Nothing will be done, and nothing may be counted as done. */
  readonly dryRun: boolean;
  /** Changes with each boot of the node; "" when it is not known. */
  readonly boot: string;
}

export interface ReportedImage {
  readonly id: ImageId;
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  /** Bytes. */
  readonly size: number;
  readonly pinned: boolean;
  /** "" is the default handler. */
  readonly runtimeHandler: string;
}

export type ContainerState = "CREATED" | "RUNNING" | "EXITED" | "UNKNOWN";

export interface ReportedContainer {
  readonly id: ContainerId;
  readonly sandbox: SandboxId;
  /** "" when it has no such label: a container that nobody can be asked about. */
  readonly podUid: string;
  readonly podNamespace: string;
  readonly podName: string;
  /** `io.kubernetes.container.name`, else the CRI name. */
  readonly name: string;
  readonly attempt: number;
  readonly state: ContainerState;
  /** With fractions, so that the order of nanoseconds is kept. */
  readonly createdAt: Millis;
  /** Everything it calls its image, distinct: ids, names and digests, by runtime and version. See `imagesInUse`. */
  readonly images: readonly string[];
}

export interface ReportedSandbox {
  readonly id: SandboxId;
  readonly podUid: string;
  readonly podNamespace: string;
  readonly podName: string;
  readonly state: "READY" | "NOTREADY";
  readonly createdAt: Millis;
  readonly runtimeHandler: string;
}

/** What df says of one file system. Bytes. `available` is what is left to others than root, as the kubelet counts. */
export interface FileSystemFigures {
  readonly device: string;
  readonly mountedOn: string;
  readonly capacity: number;
  readonly available: number;
  readonly inodes?: { readonly capacity: number; readonly available: number };
}

/**
 * `one`: images and containers are on the node's own file system. `dedicated`: both are on another.
 * `split`: images are on another, the containers' writable layers are not. `unknown`: it cannot be told, so what
 * depends on it must not be done.
 */
export type FileSystemLayout = "one" | "dedicated" | "split" | "unknown";

export interface ReportedFileSystems {
  readonly layout: FileSystemLayout;
  /** Of the kubelet's root folder. */
  readonly nodefs: FileSystemFigures | undefined;
  /** Of the folder where the runtime says its images are. */
  readonly imagefs: FileSystemFigures | undefined;
  /** Of the containers' writable layers, when the runtime names one. */
  readonly containerfs: FileSystemFigures | undefined;
  /** Bytes that the runtime itself counts for images. */
  readonly imageBytes: number | undefined;
}

/** What a plan can ask for, in the words of crictl; `rmlog` and `rmlink` are a folder and a link of logs. */
export type PlanVerb = "stop" | "rm" | "stopp" | "rmp" | "rmi" | "rmlog" | "rmlink";

export interface StepResult {
  readonly verb: PlanVerb;
  readonly id: string;
  /** `skipped`: not tried, such as an image that came into use, or any step of a plan that was too old. */
  readonly outcome: "done" | "failed" | "skipped";
  /** What the runtime said, or why it was skipped. */
  readonly message: string;
}

export interface PlanResult {
  readonly plan: number;
  /** `refused`: the node did not understand the plan, or a line was not safe; no step was taken. */
  readonly outcome: "carried-out" | "dry-run" | "expired" | "refused";
  readonly steps: readonly StepResult[];
}
