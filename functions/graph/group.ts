import { withEntries } from "../objects/apply/track.ts";
import type { Clock } from "../objects/clock.ts";
import { type Failure, type Outcome, refuse } from "../objects/failure.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../objects/kinds/custom-resource.ts";
import { byteLength } from "../objects/metadata/names.ts";
import { asUid, type Uid } from "../objects/object.ts";
import { toStoredBody } from "../objects/stored-body.ts";
import { type Candidate, type CreateContext, decideCandidate } from "./decide/create.ts";
import { askAgain, type GraphStore } from "./graph-store.ts";
import { decide } from "./group-decision.ts";
import { reply } from "./group-reply.ts";
import type { Decided, Prepared } from "./group-request.ts";
import { assumedView, ownersOf, readGroup } from "./group-view.ts";
import type { KindsCache } from "./kinds-cache.ts";
import { planWrite } from "./plan.ts";
import type { MutationReply, MutationRequest } from "./request.ts";
import { type CauseOfDeletion, writtenObject } from "./write.ts";

/** At most this many requests, and this many bytes of stored bodies, in one batch: a D1 parameter is capped at 2 MB. */
const GROUP_REQUESTS = 256;
const GROUP_BYTES = 1_800_000;
/** What one object may come to, defaults and patches included. */
const OBJECT_BYTES = 1_500_000;
const ATTEMPTS = 4;

export interface GroupResult {
  replies: MutationReply[];
  /** Undefined when nothing was written. */
  committed?: { resourceVersion: number; wake: string[]; next: number | null; leavesWork: boolean };
}

/**
 * Decides and commits the first requests of a queue together: one read, one batch. A request for a key that an
 * earlier one of the group names begins the next group, so that each request sees what the one before it wrote.
 *
 * Creates that need to know nothing but that their names are free and the namespace is open are not read for: the batch
 * finds out. When it is refused, the group is read after all, and so is the next one.
 */
export async function commitGroup(
  queue: readonly MutationRequest[],
  store: GraphStore,
  kindsCache: KindsCache,
  clock: Clock,
  took: (requests: number) => void = () => undefined,
): Promise<GroupResult> {
  const prepared = prepareGroup(queue, store.namespace, clock);
  took(prepared.length);
  let assumed = store.surprised ? undefined : assumedView(prepared);
  for (let attempt = 1; ; attempt++) {
    const held = await store.holds();
    if (!held) assumed = undefined;
    const view = assumed ?? (await askAgain(() => readGroup(prepared, store, kindsCache)));
    const decided = fitting(
      prepared.slice(0, view.rows.length).map((entry, i) => decide(entry, view, i, store.namespace, clock())),
    );
    const refused = decided.some(({ decision }) => !decision.ok);
    if (assumed && refused) {
      assumed = undefined;
      continue;
    }
    took(decided.length);
    store.surprised &&= refused;
    if (!held) {
      if (!decided.some(isWritten)) return { replies: decided.map((entry) => reply(entry, new Map())) };
      // There was no namespace, and now there is: what is decided has to be read under a hold on it.
      if (attempt < ATTEMPTS) continue;
      throw new Error(`${store.namespace}: there is a namespace, and it cannot be held`);
    }
    const commit = await store.begin();
    const owners = await askAgain(() => ownersOf(decided, view, store));
    for (const entry of decided) {
      if (!entry.decision.ok || entry.request.dryRun || !entry.decision.value.write) continue;
      const { write } = entry.decision.value;
      if (write.op === "create" && store.namespace !== "") commit.requiresOpenNamespace = true;
      if (write.op === "create" && write.kind.traits.custom) {
        commit.requiresDefinitions.push(write.kind.storedAs);
      }
      const context = {
        namespace: store.namespace,
        kinds: view.kinds,
        ownerOf: (uid: Uid) => owners.get(uid),
      };
      planWrite(commit, write, causeOf(entry.request), context, entry.body);
    }
    const writes = commit.creates.length + commit.updates.length + commit.removals.length;
    if (writes === 0) return { replies: decided.map((entry) => reply(entry, new Map())) };

    const outcome = await store.commit(commit);
    if (outcome.ok) {
      const { versions, resourceVersion, wake, next } = outcome.committed;
      return {
        replies: decided.map((entry) => reply(entry, versions)),
        committed: { resourceVersion, wake, next, leavesWork: mayLeaveWork(commit) },
      };
    }
    store.surprised ||= assumed !== undefined;
    assumed = undefined;
    if (outcome.again === "overloaded" || attempt === ATTEMPTS) {
      const failure: Failure = {
        reason: "TooManyRequests",
        message: "the store is busy, please try again",
        retryAfterSeconds: 1,
      };
      return { replies: decided.map(() => ({ ok: false, failure })) };
    }
  }
}

/**
 * The first requests whose bodies fit into one batch. What a patch makes is known only now, so the limit on what was
 * sent is not enough. An object that has outgrown a row only because of its `managedFields` loses them, as upstream has
 * it; one that has outgrown it otherwise is refused.
 */
function fitting(decided: Decided[]): Decided[] {
  let bytes = 0;
  for (const [i, asDecided] of decided.entries()) {
    const entry = withinRow(asDecided);
    decided[i] = entry;
    const size = entry.body === undefined ? 0 : byteLength(entry.body);
    if (size > OBJECT_BYTES) {
      const message = `Request entity too large: limit is ${OBJECT_BYTES}`;
      decided[i] = {
        ...entry,
        decision: refuse({ reason: "RequestEntityTooLarge", message }),
        body: undefined,
      };
      continue;
    }
    bytes += size;
    if (bytes > GROUP_BYTES && i > 0) return decided.slice(0, i);
  }
  return decided;
}

const isWritten = ({ decision, request }: Decided): boolean =>
  decision.ok && decision.value.write !== undefined && !request.dryRun;

function withinRow(entry: Decided): Decided {
  const { body, decision } = entry;
  if (body === undefined || body.length * 3 <= OBJECT_BYTES || byteLength(body) <= OBJECT_BYTES) return entry;
  const write = decision.ok ? decision.value.write : undefined;
  const object = write && writtenObject(write);
  return object === undefined ? entry : { ...entry, body: toStoredBody(withEntries(object, [])) };
}

function prepareGroup(queue: readonly MutationRequest[], namespace: string, clock: Clock): Prepared[] {
  const group: Prepared[] = [];
  const keys = new Set<string>();
  let bytes = 0;
  for (const request of queue) {
    const { mutation, kind, version } = request;
    bytes += "text" in mutation ? byteLength(mutation.text) : 0;
    if (group.length > 0 && (group.length === GROUP_REQUESTS || bytes > GROUP_BYTES)) break;
    const creation: CreateContext = {
      kind,
      version,
      namespace,
      now: clock(),
      uid: asUid(crypto.randomUUID()),
      random: Math.random,
    };
    const candidate =
      mutation.verb === "create" ? decideCandidate(mutation.text, mutation.mediaType, creation) : undefined;
    const name = mutation.verb === "create" ? candidateName(candidate) : mutation.name;
    // A definition is given its names by what the others hold: one that was written just before would be missed.
    const key = kind.storedAs === CUSTOM_RESOURCE_DEFINITIONS ? kind.storedAs : `${kind.storedAs} ${name}`;
    if (keys.has(key)) break;
    keys.add(key);
    group.push({ request, candidate, creation, name });
  }
  return group;
}

function candidateName(candidate: Outcome<Candidate> | undefined): string {
  return candidate?.ok ? candidate.value.object.metadata.name : "";
}

function causeOf({ principal, mutation }: MutationRequest): CauseOfDeletion {
  const policy = mutation.verb === "delete" ? policyOf(mutation.options) : "Background";
  return { rule: "request", actor: principal.user, policy, cause: null };
}

function policyOf(options: {
  propagationPolicy?: string;
  orphanDependents?: boolean;
}): CauseOfDeletion["policy"] {
  if (options.orphanDependents === true) return "Orphan";
  const { propagationPolicy } = options;
  return propagationPolicy === "Foreground" || propagationPolicy === "Orphan"
    ? propagationPolicy
    : "Background";
}

/** Whether the alarm should stand by for this commit. A removal may always have left dependents behind. */
function mayLeaveWork(commit: {
  work: unknown[];
  removals: unknown[];
  updates: unknown[];
  references: unknown[];
}) {
  return commit.work.length + commit.removals.length + commit.updates.length + commit.references.length > 0;
}
