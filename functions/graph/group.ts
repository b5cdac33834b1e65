import { type GroupRow, type OwnerRow, READ_GROUP, READ_OWNERS } from "../../db/reads.ts";
import { withEntries } from "../objects/apply/track.ts";
import type { Clock } from "../objects/clock.ts";
import { type Failure, type Outcome, refuse } from "../objects/failure.ts";
import type { JsonObject } from "../objects/json.ts";
import { apiVersion, type Kind, type Verb } from "../objects/kind.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../objects/kinds/custom-resource.ts";
import type { KindRegistry } from "../objects/kinds/registry.ts";
import { scaleOf } from "../objects/kinds/scale.ts";
import { byteLength } from "../objects/metadata/names.ts";
import { asUid, type GroupResource, type Uid } from "../objects/object.ts";
import { servedBody, toStoredBody } from "../objects/stored-body.ts";
import { type OwnerFacts, uidsOf } from "./decide/classify.ts";
import { type Candidate, type CreateContext, decideCandidate, type NamespaceState } from "./decide/create.ts";
import { ownerPermissionFailure } from "./decide/owner-permissions.ts";
import { decideRequest, type RequestDecision } from "./decide/request.ts";
import type { GraphStore } from "./graph-store.ts";
import type { ClusterKinds, KindsCache } from "./kinds-cache.ts";
import { planWrite } from "./plan.ts";
import type { Mutation, MutationReply, MutationRequest, Result } from "./request.ts";
import { type StoredObject, storedObject } from "./stored-object.ts";
import { type CauseOfDeletion, type Write, writtenObject } from "./write.ts";

/** At most this many requests, and this many bytes of stored bodies, in one batch: a D1 parameter is capped at 2 MB. */
const GROUP_REQUESTS = 256;
const GROUP_BYTES = 1_800_000;
/** What one object may come to, defaults and patches included. */
const OBJECT_BYTES = 1_500_000;
const ATTEMPTS = 4;

export interface GroupResult {
  replies: MutationReply[];
  /** Undefined when nothing was written. */
  committed?: { resourceVersion: number; wake: string[]; leavesWork: boolean };
}

/**
 * Decides and commits the first requests of a queue together: one read, one batch. A request for a key that an
 * earlier one of the group names begins the next group, so that each request sees what the one before it wrote.
 */
export async function commitGroup(
  queue: readonly MutationRequest[],
  store: GraphStore,
  kindsCache: KindsCache,
  clock: Clock,
  took: (requests: number) => void = () => undefined,
): Promise<GroupResult> {
  await store.hold();
  const prepared = prepareGroup(queue, store.namespace, clock);
  took(prepared.length);
  for (let attempt = 1; ; attempt++) {
    const view = await readGroup(prepared, store, kindsCache);
    const decided = fitting(prepared.map((entry, i) => decide(entry, view, i, store.namespace, clock())));
    took(decided.length);
    const commit = await store.begin();
    const owners = await ownersOf(decided, view, store);
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
      const { versions, resourceVersion, wake } = outcome.committed;
      return {
        replies: decided.map((entry) => reply(entry, versions)),
        committed: { resourceVersion, wake, leavesWork: mayLeaveWork(commit) },
      };
    }
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

interface Prepared {
  request: MutationRequest;
  /** What a create's body was turned into, or why it could not be. */
  candidate: Outcome<Candidate> | undefined;
  /** What a new object is made with. */
  creation: CreateContext;
  name: string;
}

interface Decided extends Prepared {
  decision: Outcome<RequestDecision>;
  /** The body that its write stores; undefined when it stores none. */
  body: string | undefined;
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

interface View {
  rows: GroupRow[];
  kinds: ClusterKinds;
  namespace: NamespaceState;
  owners: Map<Uid, OwnerFacts>;
}

async function readGroup(
  group: readonly Prepared[],
  store: GraphStore,
  kindsCache: KindsCache,
): Promise<View> {
  const keys = JSON.stringify(group.map(({ request, name }) => [request.kind.storedAs, name]));
  const named = [
    ...new Set(
      group.flatMap(({ candidate }) =>
        candidate?.ok ? uidsOf(candidate.value.object.metadata.ownerReferences) : [],
      ),
    ),
  ];
  const rows = store.db.prepare(READ_GROUP).bind(store.cluster, store.namespace, keys);
  const results =
    named.length === 0
      ? [await rows.all<GroupRow>()]
      : await store.db.batch<GroupRow | OwnerRow>([
          rows,
          store.db.prepare(READ_OWNERS).bind(store.cluster, JSON.stringify(named)),
        ]);
  const found = (results[0]?.results ?? []) as GroupRow[];
  const first = found[0];
  if (first === undefined) throw new Error(`cluster ${store.cluster} is not there`);
  return {
    rows: found,
    kinds: await kindsCache.at(first.kinds_version, store.db, store.cluster),
    namespace:
      first.namespace_uid === null ? "absent" : first.namespace_deletion === null ? "open" : "terminating",
    owners: ownerFacts((results[1]?.results ?? []) as OwnerRow[]),
  };
}

function ownerFacts(rows: readonly OwnerRow[]): Map<Uid, OwnerFacts> {
  return new Map(
    rows.map((row) => [
      asUid(row.uid),
      {
        resource: row.resource as GroupResource,
        namespace: row.namespace,
        name: row.name,
        deletion: row.deletion as OwnerFacts["deletion"],
      },
    ]),
  );
}

function decide(prepared: Prepared, view: View, place: number, namespace: string, now: number): Decided {
  const { candidate, creation } = prepared;
  if (candidate && !candidate.ok) return { ...prepared, decision: candidate, body: undefined };
  const kind = currentKind(prepared.request, view.kinds);
  if (kind === undefined) {
    return { ...prepared, decision: refuse({ reason: "NoSuchResource" }), body: undefined };
  }
  const entry = { ...prepared, request: { ...prepared.request, kind } };
  const { request } = entry;
  const row = view.rows[place];
  let found: StoredObject | undefined;
  if (row?.uid != null) {
    found = storedObject(row as GroupRow & StoredRow, request.kind, request.version);
  }
  // A definition that is going takes no new objects.
  if (kind.traits.custom && !kind.verbs.includes(verbOf(request.mutation, found !== undefined))) {
    return { ...entry, decision: refuse({ reason: "MethodNotAllowed" }), body: undefined };
  }
  const decision = decideRequest(request, candidate?.value, {
    namespace: { name: namespace, state: view.namespace },
    found,
    now,
    creation,
    schema: view.kinds.definitions.schemaOf(request.kind.storedAs, request.version),
    claims: view.kinds.definitions.claims,
  });
  const write = decision.ok ? decision.value.write : undefined;
  const denied = write && ownerPermission(request, write, namespace, view.kinds);
  if (denied) return { ...entry, decision: refuse(denied), body: undefined };
  const next = write && writtenObject(write);
  return { ...entry, decision, body: next && toStoredBody(next) };
}

function ownerPermission(
  { principal, kind, mutation }: MutationRequest,
  write: Write,
  namespace: string,
  kinds: KindRegistry,
): Failure | undefined {
  if (write.op === "remove") return undefined;
  const { metadata } = write.op === "create" ? write.object : write.next;
  return ownerPermissionFailure(
    {
      principal,
      kind,
      operation: write.op,
      subresource: "subresource" in mutation ? mutation.subresource : undefined,
      namespace,
      name: metadata.name,
      before: write.op === "create" ? [] : (write.stored.object.metadata.ownerReferences ?? []),
      after: metadata.ownerReferences ?? [],
    },
    kinds,
  );
}

/** An apply makes the object where there is none. */
const verbOf = ({ verb }: Mutation, exists: boolean): Verb =>
  verb === "apply" ? (exists ? "patch" : "create") : verb;

/**
 * A request was routed by kinds that may be seconds old; those read with the group are exact. Undefined when what it is
 * about is served no more.
 */
function currentKind({ kind, version, mutation }: MutationRequest, kinds: KindRegistry): Kind | undefined {
  if (!kind.traits.custom) return kind;
  const current = kinds.byStore(kind.storedAs);
  if (!current?.versions.includes(version)) return undefined;
  const subresource = "subresource" in mutation ? mutation.subresource : undefined;
  if (subresource === undefined) return current;
  return current.subresources.some(({ name }) => name === subresource) ? current : undefined;
}

type StoredRow = { [K in keyof GroupRow]: NonNullable<GroupRow[K]> } & { deletion: string | null };

/** Where the owners are that a write names for the first time; those of a POST were looked up with the read. */
async function ownersOf(
  decided: readonly Decided[],
  view: View,
  store: GraphStore,
): Promise<Map<Uid, OwnerFacts>> {
  const unknown = new Set<Uid>();
  for (const { decision, candidate } of decided) {
    const write = decision.ok ? decision.value.write : undefined;
    const next = write && writtenObject(write);
    if (next === undefined || candidate !== undefined) continue;
    const before = write?.op === "create" ? [] : uidsOf(write?.stored.object.metadata.ownerReferences);
    for (const uid of uidsOf(next.metadata.ownerReferences)) if (!before.includes(uid)) unknown.add(uid);
  }
  if (unknown.size === 0) return view.owners;
  const { results } = await store.db
    .prepare(READ_OWNERS)
    .bind(store.cluster, JSON.stringify([...unknown]))
    .all<OwnerRow>();
  return new Map([...view.owners, ...ownerFacts(results)]);
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

function reply({ request, decision, body }: Decided, versions: ReadonlyMap<string, number>): MutationReply {
  if (!decision.ok) return decision;
  const { write, code, answer, warnings } = decision.value;
  switch (answer.as) {
    case "removed": {
      const { name, uid } = removedObject(write);
      return { ok: true, code, result: { as: "removed", name, uid }, warnings };
    }
    case "object":
      return {
        ok: true,
        code,
        result: shown(JSON.stringify(answer.object), decision.value, request),
        warnings,
      };
    case "written": {
      const object = write && writtenObject(write);
      if (object === undefined) throw new Error("an answer about nothing that was written");
      const resourceVersion = versions.get(object.metadata.uid);
      const text =
        body === undefined || resourceVersion === undefined
          ? JSON.stringify(object)
          : servedBody(body, {
              apiVersion: apiVersion(request.kind.group, request.version),
              kind: request.kind.kind,
              resourceVersion,
            });
      return { ok: true, code, result: shown(text, decision.value, request), warnings };
    }
  }
}

function shown(body: string, { shownAs }: RequestDecision, { kind }: MutationRequest): Result {
  if (shownAs === undefined) return { as: "object", body };
  return { as: "object", body: JSON.stringify(scaleOf(JSON.parse(body) as JsonObject, kind)) };
}

function removedObject(write: Write | undefined): { name: string; uid: string } {
  if (write?.op !== "remove") throw new Error("an answer about a removal that was not decided");
  return { name: write.stored.object.metadata.name, uid: write.stored.uid };
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
