// The commands of crictl that change something, over a state that is kept in the folder $CRICTL_STATE; and how commands fail.
// Listings are printed by the shell that stands before it (machine.ts), in the words of crictl 1.26 with containerd 1.6 or
// of later ones.
import { appendFileSync } from "node:fs";
import { readState, writeState } from "./runtime-state.ts";

const folder = String(process.env.CRICTL_STATE);
const state = readState(folder);
const [command = "", ...rest] = process.argv.slice(2);
const id = rest.filter((word) => !word.startsWith("-")).at(-1) ?? "";
appendFileSync(`${folder}/calls`, `${[command, ...rest].join(" ")}\n`);

const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
const save = () => writeState(folder, state);
const log = (level: string, message: string) =>
  process.stderr.write(`time="2026-11-20T16:00:28Z" level=${level} msg=${JSON.stringify(message)}\n`);
function fail(message: string, last = message): never {
  if (last !== message) log("error", message);
  log("fatal", last);
  process.exit(1);
}

/** Like the runtime, by a unique beginning of the id too. */
function find<T extends { id: string }>(list: T[], wanted: string): T | undefined {
  const bare = (text: string) => text.replace("sha256:", "");
  const matching = list.filter((each) => bare(each.id).startsWith(bare(wanted)));
  return matching.length === 1 ? matching[0] : undefined;
}

/** The one that is to change, unless it is stuck. */
function take<T extends { id: string }>(list: T[], doing: string): T {
  const found = find(list, id);
  if (found === undefined) fail(`${doing} ${JSON.stringify(id)}: an error occurred: not found`);
  if (state.stuck?.includes(found.id)) fail(`${doing} ${found.id}: context deadline exceeded`);
  return found;
}

const commands: Record<string, () => void> = {
  inspecti() {
    const image = find(state.images, id);
    if (image === undefined) fail(`no such image ${JSON.stringify(id)} present`);
    print({ status: image, info: {} });
  },
  rmi() {
    const image = find(state.images, id) ?? state.images.find(({ repoTags }) => repoTags.includes(id));
    if (image === undefined) fail(`no such image ${id}`, "unable to remove the image(s)");
    if (state.stuck?.includes(image.id)) fail(`failed to delete ${image.id}: device or resource busy`);
    state.images = state.images.filter((each) => each !== image);
    save();
    for (const tag of image.repoTags) process.stdout.write(`Deleted: ${tag}\n`);
  },
  stop() {
    take(state.containers, "stopping the container").state = "CONTAINER_EXITED";
    save();
    process.stdout.write(`${id}\n`);
  },
  rm() {
    const container = take(state.containers, "removing container");
    if (container.state === "CONTAINER_RUNNING")
      fail(`the container ${container.id} is running, please stop it first`);
    state.containers = state.containers.filter((each) => each !== container);
    save();
    process.stdout.write(`${id}\n`);
  },
  stopp() {
    take(state.sandboxes, "stopping the pod sandbox").state = "SANDBOX_NOTREADY";
    save();
    process.stdout.write(`Stopped sandbox ${id}\n`);
  },
  rmp() {
    const sandbox = take(state.sandboxes, "removing the pod sandbox");
    if (sandbox.state === "SANDBOX_READY") fail(`pod sandbox ${sandbox.id} is running, please stop it first`);
    state.sandboxes = state.sandboxes.filter((each) => each !== sandbox);
    state.containers = state.containers.filter(({ podSandboxId }) => podSandboxId !== sandbox.id);
    save();
    process.stdout.write(`Removed sandbox ${id}\n`);
  },
};

const trouble = state.trouble?.[command];
if (trouble !== undefined) fail(trouble);
const run = commands[command];
if (run === undefined) fail(`No help topic for '${command}'`);
run();
