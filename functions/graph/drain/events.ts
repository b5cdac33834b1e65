import type { WorkItemRow } from "../../../db/reads.ts";
import { isJsonObject, type JsonObject } from "../../objects/json.ts";
import { asObject, type GroupResource, timestamp } from "../../objects/object.ts";
import { planWrite } from "../plan.ts";
import type { SliceContext } from "../slice.ts";
import { commitSlice, type Slice } from "./commit-slice.ts";
import { currentKinds } from "./current-kinds.ts";

const EVENTS = "events" as GroupResource;

/** Writes the events that were decided elsewhere. A namespace that is going takes none, and nobody misses them. */
export async function writeEvents(items: WorkItemRow[], context: SliceContext): Promise<Slice> {
  const { store } = context;
  const kinds = await currentKinds(context);
  const kind = kinds.byStore(EVENTS);
  if (kind === undefined) throw new Error("events are not among the kinds");
  const commit = await store.begin();
  for (const item of items) {
    commit.done.push(item.id);
    const event = JSON.parse(item.detail ?? "null") as JsonObject | null;
    if (!isJsonObject(event?.metadata)) continue;
    const metadata = {
      ...event.metadata,
      namespace: store.namespace,
      uid: crypto.randomUUID(),
      creationTimestamp: timestamp(commit.now),
    };
    commit.requiresOpenNamespace = true;
    planWrite(
      commit,
      { op: "create", kind, object: asObject({ apiVersion: "v1", kind: "Event", ...event, metadata }) },
      undefined,
      {
        namespace: store.namespace,
        kinds,
        ownerOf: () => undefined,
      },
    );
  }
  const outcome = await store.commit(commit);
  if (outcome.ok) return { ...outcome.committed, changed: true };
  if (outcome.again !== "closed" && outcome.again !== "taken") return undefined;
  const dropped = await store.begin();
  dropped.done.push(...items.map((item) => item.id));
  return commitSlice(store, dropped);
}
