import { isJsonObject, type Json, type JsonObject } from "../../objects/json.ts";
import { countOf, type Faults, momentOf, objectOf, textOf, textsOf } from "./fields.ts";
import type {
  ContainerId,
  ContainerState,
  ImageId,
  Listing,
  ReportedContainer,
  ReportedImage,
  ReportedSandbox,
  SandboxId,
} from "./report.ts";

/** Entries of one listing. A node with more is not one that a kubelet could run. */
const MOST_ENTRIES = 50_000;

type Reader<T> = (entry: JsonObject, refuse: (field: string, message: string) => undefined) => T | undefined;

/** `crictl images -o json`. An image may be listed once for each runtime handler. */
export function readImages(text: string, faults: Faults): Listing<ReportedImage> | undefined {
  return readListing(text, "images", "images", faults, (entry, refuse) => {
    const id = textOf(entry.id);
    if (id === undefined) return refuse("id", "is missing");
    const size = countOf(entry.size);
    if (size === undefined) return refuse("size", "must be a count of bytes");
    return {
      id: id as ImageId,
      tags: textsOf(entry.repoTags).filter(isName),
      digests: textsOf(entry.repoDigests).filter(isName),
      size,
      pinned: entry.pinned === true,
      runtimeHandler: textOf(objectOf(entry.spec).runtimeHandler) ?? "",
    };
  });
}

/** An image that lost its tag is printed as `<none>:<none>` by some versions. */
const isName = (name: string): boolean => !name.startsWith("<none>");

/** `crictl ps -a -o json`. */
export function readContainers(text: string, faults: Faults): Listing<ReportedContainer> | undefined {
  const seen = new Set<string>();
  return readListing(text, "containers", "containers", faults, (entry, refuse) => {
    const id = textOf(entry.id);
    if (id === undefined) return refuse("id", "is missing");
    if (seen.has(id)) return refuse("id", `${id} is listed twice`);
    seen.add(id);
    const sandbox = textOf(entry.podSandboxId);
    if (sandbox === undefined) return refuse("podSandboxId", "is missing");
    const state = CONTAINER_STATES.get(entry.state);
    if (state === undefined)
      return refuse("state", "must be CONTAINER_CREATED, _RUNNING, _EXITED or _UNKNOWN");
    const createdAt = momentOf(entry.createdAt);
    if (createdAt === undefined) return refuse("createdAt", "must be nanoseconds since 1970");
    const images = imageNames(entry);
    if (images.length === 0) return refuse("imageRef", "is missing, and so is every other name of its image");
    const labels = objectOf(entry.labels);
    const metadata = objectOf(entry.metadata);
    return {
      id: id as ContainerId,
      sandbox: sandbox as SandboxId,
      podUid: textOf(labels["io.kubernetes.pod.uid"]) ?? "",
      podNamespace: textOf(labels["io.kubernetes.pod.namespace"]) ?? "",
      podName: textOf(labels["io.kubernetes.pod.name"]) ?? "",
      name: textOf(labels["io.kubernetes.container.name"]) ?? textOf(metadata.name) ?? "",
      attempt: countOf(metadata.attempt) ?? 0,
      state,
      createdAt,
      images,
    };
  });
}

const CONTAINER_STATES: ReadonlyMap<Json | undefined, ContainerState> = new Map([
  ["CONTAINER_CREATED", "CREATED"],
  ["CONTAINER_RUNNING", "RUNNING"],
  ["CONTAINER_EXITED", "EXITED"],
  ["CONTAINER_UNKNOWN", "UNKNOWN"],
]);

/**
 * The newest runtimes give an id in `imageId`; containerd gives it in `imageRef`, CRI-O in `image.image` with a digest in
 * `imageRef`. Upstream compares ids only; here a name protects its image too.
 */
function imageNames({ imageId, imageRef, image }: JsonObject): readonly string[] {
  const names: string[] = [];
  const add = (name: Json | undefined): void => {
    if (typeof name === "string" && name !== "" && !names.includes(name)) names.push(name);
  };
  add(imageId);
  add(imageRef);
  if (isJsonObject(image)) {
    add(image.image);
    add(image.userSpecifiedImage);
  }
  return names;
}

/** `crictl pods -o json`. */
export function readSandboxes(text: string, faults: Faults): Listing<ReportedSandbox> | undefined {
  return readListing(text, "pods", "items", faults, (entry, refuse) => {
    const id = textOf(entry.id);
    if (id === undefined) return refuse("id", "is missing");
    const state = SANDBOX_STATES.get(entry.state);
    if (state === undefined) return refuse("state", "must be SANDBOX_READY or SANDBOX_NOTREADY");
    const createdAt = momentOf(entry.createdAt);
    if (createdAt === undefined) return refuse("createdAt", "must be nanoseconds since 1970");
    const labels = objectOf(entry.labels);
    const metadata = objectOf(entry.metadata);
    return {
      id: id as SandboxId,
      podUid: textOf(labels["io.kubernetes.pod.uid"]) ?? textOf(metadata.uid) ?? "",
      podNamespace: textOf(labels["io.kubernetes.pod.namespace"]) ?? textOf(metadata.namespace) ?? "",
      podName: textOf(labels["io.kubernetes.pod.name"]) ?? textOf(metadata.name) ?? "",
      state,
      createdAt,
      runtimeHandler: textOf(entry.runtimeHandler) ?? "",
    };
  });
}

const SANDBOX_STATES: ReadonlyMap<Json | undefined, ReportedSandbox["state"]> = new Map([
  ["SANDBOX_READY", "READY"],
  ["SANDBOX_NOTREADY", "NOTREADY"],
]);

function readListing<T>(
  text: string,
  part: string,
  field: string,
  faults: Faults,
  read: Reader<T>,
): Listing<T> | undefined {
  const entries = entriesOf(text, part, field, faults);
  if (entries === undefined) return undefined;
  const items: T[] = [];
  let index = 0;
  const refuse = (name: string, message: string): undefined =>
    faults.add(`${part}.${field}[${index}].${name}`, message);
  for (const entry of entries) {
    const item = isJsonObject(entry)
      ? read(entry, refuse)
      : faults.add(`${part}.${field}[${index}]`, "must be an object");
    if (item !== undefined) items.push(item);
    index++;
  }
  return { items, complete: items.length === entries.length };
}

function entriesOf(text: string, part: string, field: string, faults: Faults): readonly Json[] | undefined {
  const parsed = parseJson(text, part, faults);
  if (parsed === undefined) return undefined;
  if (!isJsonObject(parsed)) return faults.add(part, `must be an object that holds ${field}`);
  const entries = parsed[field];
  // Some versions print an empty list as null; a document without the field is not this listing at all.
  if (entries === null) return [];
  if (!Array.isArray(entries)) return faults.add(`${part}.${field}`, "must be a list");
  if (entries.length > MOST_ENTRIES)
    return faults.add(`${part}.${field}`, `must not have more than ${MOST_ENTRIES} entries`);
  return entries;
}

export function parseJson(text: string, part: string, faults: Faults): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    return faults.add(part, `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
