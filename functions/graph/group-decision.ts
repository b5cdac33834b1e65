import type { GroupRow } from "../../db/reads.ts";
import { type Failure, refuse } from "../objects/failure.ts";
import type { Kind, Verb } from "../objects/kind.ts";
import type { KindRegistry } from "../objects/kinds/registry.ts";
import { toStoredBody } from "../objects/stored-body.ts";
import { ownerPermissionFailure } from "./decide/owner-permissions.ts";
import { decideRequest } from "./decide/request.ts";
import type { Decided, Prepared } from "./group-request.ts";
import type { View } from "./group-view.ts";
import type { Mutation, MutationRequest } from "./request.ts";
import { type StoredObject, storedObject } from "./stored-object.ts";
import { type Write, writtenObject } from "./write.ts";

/** Decides the request at a place of the group against the row that was read for it. */
export function decide(
  prepared: Prepared,
  view: View,
  place: number,
  namespace: string,
  now: number,
): Decided {
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
