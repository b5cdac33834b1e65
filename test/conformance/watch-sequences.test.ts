import { beforeAll, describe, expect, it } from "vitest";
import document from "../recorded/watch-sequences-1.20.json" with { type: "json" };
import { eventually, startServer, type TestServer } from "../server.ts";
import { openWatch, type Watch, type WatchEvent } from "../watch.ts";
import { collectionPath, kindNamed } from "./kinds.ts";

interface RecordedObject {
  kind: string;
  name: string;
  /** Names of other objects; every reference blocks. */
  owners?: string[];
  finalizers?: string[];
  node?: string;
}

/** A DELETE with a policy, or new finalizers. */
interface RecordedStep {
  kind: string;
  name: string;
  policy?: string;
  grace?: number;
  finalizers?: string[];
}

interface RecordedEvent {
  event: string;
  object: string;
  terminating?: boolean;
  grace?: number;
  finalizers?: string[];
  owners?: string[];
}

interface Sequence {
  name: string;
  objects: RecordedObject[];
  steps: RecordedStep[];
  events: RecordedEvent[];
}

const sequences = document as Sequence[];
/** So long, in milliseconds, nothing more may be told after the last event. */
const QUIET = 500;
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  return () => server.stop();
});

describe("deletions send the events that Kubernetes 1.20 sent", () => {
  it("has all of them", () => expect(sequences).toHaveLength(14));

  it.concurrent.each(sequences)("$name", async ({ objects, steps, events }) => {
    const namespace = `w-${Math.random().toString(36).slice(2, 10)}`;
    await server.call("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    const at = (kind: string) => collectionPath(kindNamed(kind), namespace);
    await createAll(objects, at);

    const kinds = [...new Set(objects.map(({ kind }) => kind))];
    const watches = await Promise.all(
      kinds.map(async (kind) => {
        const { body } = await server.call("GET", at(kind));
        return openWatch(server, `${at(kind)}?resourceVersion=${body.metadata.resourceVersion}`);
      }),
    );
    for (const step of steps) {
      await told(watches, firstEventOf(step, events));
      await perform(step, at(step.kind));
    }
    await told(watches, events.length);
    await new Promise((resolve) => setTimeout(resolve, QUIET));
    expect(inOrder(watches)).toEqual(events);
    for (const watch of watches) watch.close();
  });
});

async function createAll(objects: RecordedObject[], at: (kind: string) => string): Promise<void> {
  const made = new Map<string, { apiVersion: string; kind: string; name: string; uid: string }>();
  for (const { kind, name, owners = [], finalizers, node } of objects) {
    const { apiVersion } = kindNamed(kind);
    const ownerReferences = owners.map((owner) => ({ ...made.get(owner), blockOwnerDeletion: true }));
    const spec = { ...(node && { nodeName: node }), containers: [{ name: "c", image: "nginx" }] };
    const created = await server.call("POST", at(kind), {
      metadata: { name, ownerReferences, ...(finalizers && { finalizers }) },
      ...(kind === "Pod" && { spec }),
    });
    expect(created.code, created.text).toBe(201);
    made.set(name, { apiVersion, kind, name, uid: created.body.metadata.uid });
  }
}

async function perform({ name, policy, grace, finalizers }: RecordedStep, collection: string): Promise<void> {
  const path = `${collection}/${name}`;
  const answer = finalizers
    ? await server.call(
        "PATCH",
        path,
        { metadata: { finalizers: finalizers.length > 0 ? finalizers : null } },
        { "content-type": "application/merge-patch+json" },
      )
    : await server.call("DELETE", path, {
        propagationPolicy: policy,
        ...(grace !== undefined && { gracePeriodSeconds: grace }),
      });
  expect(answer.code, answer.text).toBe(200);
}

/** Where the events that a step has begun with: those before it were the consequences of earlier steps. */
function firstEventOf({ kind, name, grace, finalizers }: RecordedStep, events: RecordedEvent[]): number {
  return events.findIndex(
    ({ object, event, ...seen }) =>
      object === `${kind}/${name}` &&
      (finalizers
        ? event === "DELETED" || seen.finalizers === undefined
        : (grace ?? seen.grace) === seen.grace),
  );
}

/** Waits until so many events have been told. */
async function told(watches: Watch[], count: number): Promise<void> {
  await eventually(
    async () => inOrder(watches),
    (seen) => seen.length >= count,
    20_000,
  );
}

/** Of several watches, by resourceVersion. */
function inOrder(watches: Watch[]): RecordedEvent[] {
  const version = ({ object }: WatchEvent) => Number(object.metadata.resourceVersion);
  return watches
    .flatMap(({ events }) => events)
    .toSorted((a, b) => version(a) - version(b))
    .map(seenIn);
}

function seenIn({ type, object }: WatchEvent): RecordedEvent {
  const { name, deletionTimestamp, deletionGracePeriodSeconds, finalizers, ownerReferences } =
    object.metadata;
  return {
    event: type,
    object: `${object.kind}/${name}`,
    ...(deletionTimestamp && { terminating: true }),
    ...(deletionGracePeriodSeconds !== undefined && { grace: deletionGracePeriodSeconds }),
    ...(finalizers && { finalizers }),
    ...(ownerReferences && {
      owners: ownerReferences.map(
        (reference) => `${reference.name}${reference.blockOwnerDeletion ? " (blocking)" : ""}`,
      ),
    }),
  };
}
