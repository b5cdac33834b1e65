import { type Failure, invalidValue, type Outcome, ok, refuse } from "../failure.ts";
import type { JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import { type GroupResource, type Millis, type ObjectMeta, timestamp } from "../object.ts";
import { validateMetadata } from "./metadata.ts";
import { generateName } from "./names.ts";
import { readResourceVersion } from "./resource-version.ts";

export interface Creation {
  kind: Kind;
  /** From the path; empty for a cluster-scoped kind. */
  namespace: string;
  /** A new one, from the server. */
  uid: string;
  now: Millis;
  random: () => number;
}

/**
 * The metadata of an object as it is created, from what the client sent (decoded, so every field has its type): the
 * server's fields are set, the deletion's are wiped, a name is generated when one is asked for.
 *
 * Errors: BadRequest for another namespace than the path's; Unknown for a resourceVersion, but Invalid instead when the
 * metadata has faults as well, since upstream looks at the resourceVersion last. Otherwise the metadata has yet to be
 * validated.
 *
 * Source: kubernetes `registry/rest/create.go` (BeforeCreate), `storage/etcd3/store.go` (Create).
 */
export function prepareMetadataForCreate(sent: JsonObject, creation: Creation): Outcome<ObjectMeta> {
  const fields = sent as Partial<ObjectMeta>;
  const { kind, now, random } = creation;
  const namespace = kind.namespaced ? creation.namespace : "";
  if (kind.namespaced && !inNamespace(fields, namespace)) return refuse(namespaceMismatch());

  const base = fields.generateName ?? "";
  const generation = kind.traits.countsGenerations ? 1 : (fields.generation ?? 0);
  const meta: ObjectMeta = {
    name: (fields.name ?? "") === "" && base !== "" ? generateName(base, random) : (fields.name ?? ""),
    ...(base === "" ? {} : { generateName: base }),
    ...(namespace === "" ? {} : { namespace }),
    uid: creation.uid,
    ...(generation === 0 ? {} : { generation }),
    creationTimestamp: timestamp(now),
    ...clientsFields(fields),
  };
  const version = readResourceVersion(fields.resourceVersion);
  if (version.ok && version.value !== 0n) {
    const errors = validateMetadata(meta, kind);
    if (errors.length > 0) {
      return refuse({ reason: "Invalid", group: kind.group, kind: kind.kind, name: meta.name, errors });
    }
    const message = "resourceVersion should not be set on objects to be created";
    return refuse({ reason: "Unknown", message });
  }
  return ok(meta);
}

export interface Update {
  kind: Kind;
  /** A PUT with another uid fails as a precondition of the write, a PATCH as the change of an immutable field. */
  verb: "update" | "patch";
  /** As the path names it, for the messages. */
  resource: GroupResource;
}

/**
 * The metadata of an update, from what the client sent or what its patch made: what the server owns is restored from
 * the stored object, and its resourceVersion stands until the write gives a new one. Whether name and namespace agree
 * with the path has been checked (`urlMismatch`); the result has yet to be validated (`validateMetadataUpdate`).
 *
 * Errors: Conflict for another uid (PUT) or a stale resourceVersion; Invalid when a custom resource names no
 * resourceVersion; Unknown for one that is not a number; BadRequest for another namespace than the stored one.
 *
 * Source: kubernetes `registry/generic/registry/store.go` (Update), `registry/rest/update.go` (BeforeUpdate).
 */
export function prepareMetadataForUpdate(
  sent: JsonObject | ObjectMeta,
  stored: ObjectMeta,
  { kind, verb, resource }: Update,
): Outcome<ObjectMeta> {
  const fields = sent as Partial<ObjectMeta>;
  const uid = fields.uid ?? "";
  if (verb === "update" && uid !== "" && uid !== stored.uid) {
    return refuse(uidConflict(uid, stored, kind, resource));
  }

  const version = readResourceVersion(fields.resourceVersion);
  if (!version.ok) return version;
  if (version.value === 0n) {
    if (kind.traits.custom) return refuse(resourceVersionRequired(stored.name, kind));
  } else if (String(version.value) !== stored.resourceVersion) {
    return refuse(staleConflict(stored.name, resource));
  }
  if (kind.namespaced && !inNamespace(fields, stored.namespace ?? "")) return refuse(namespaceMismatch());

  const deletionTimestamp = stored.deletionTimestamp ?? fields.deletionTimestamp;
  const grace = fields.deletionGracePeriodSeconds ?? stored.deletionGracePeriodSeconds;
  return ok({
    name: fields.name ?? "",
    ...((fields.generateName ?? "") === "" ? {} : { generateName: fields.generateName }),
    ...(stored.namespace === undefined ? {} : { namespace: stored.namespace }),
    uid: uid === "" ? stored.uid : uid,
    ...(stored.resourceVersion === undefined ? {} : { resourceVersion: stored.resourceVersion }),
    ...(stored.generation === undefined ? {} : { generation: stored.generation }),
    creationTimestamp: stored.creationTimestamp,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(grace === undefined ? {} : { deletionGracePeriodSeconds: grace }),
    ...clientsFields(fields),
  });
}

function resourceVersionRequired(name: string, kind: Kind): Failure {
  const zero = { toString: () => "0x0" };
  const errors = [invalidValue("metadata.resourceVersion", zero, "must be specified for an update")];
  return { reason: "Invalid", group: kind.group, kind: kind.kind, name, errors };
}

function conflict(name: string, subject: GroupResource, what: string): Failure {
  const message = `Operation cannot be fulfilled on ${subject} ${JSON.stringify(name)}: ${what}`;
  return { reason: "Conflict", subject, name, message };
}

/** The lost update: someone else wrote in between. Also what a PATCH answers when its retries are used up. */
function staleConflict(name: string, resource: GroupResource): Failure {
  return conflict(
    name,
    resource,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

function uidConflict(uid: string, stored: ObjectMeta, kind: Kind, resource: GroupResource): Failure {
  return conflict(
    stored.name,
    resource,
    `StorageError: invalid object, Code: 4, Key: ${storageKey(stored, kind)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${stored.uid}`,
  );
}

/** Where etcd keeps it upstream; clients see the key in one message only. A few kinds are kept under older names. */
function storageKey({ name, namespace }: ObjectMeta, { group, resource, traits }: Kind): string {
  const renamed: Readonly<Record<string, string>> = {
    endpoints: "services/endpoints",
    nodes: "minions",
    replicationcontrollers: "controllers",
    services: "services/specs",
  };
  const folder = traits.custom ? `${group}/${resource}` : (group === "" && renamed[resource]) || resource;
  return ["", "registry", folder, ...(namespace === undefined ? [] : [namespace]), name].join("/");
}

/** The fields that are kept as sent, empty ones left out. */
function clientsFields(fields: Partial<ObjectMeta>): Partial<ObjectMeta> {
  const { labels, annotations, ownerReferences, finalizers, managedFields } = fields;
  return {
    ...(labels && Object.keys(labels).length > 0 ? { labels } : {}),
    ...(annotations && Object.keys(annotations).length > 0 ? { annotations } : {}),
    ...(ownerReferences?.length ? { ownerReferences } : {}),
    ...(finalizers?.length ? { finalizers } : {}),
    ...(managedFields?.length ? { managedFields } : {}),
  };
}

/**
 * Why an object that was sent to, or patched at, a path does not belong there; undefined when it does. An object
 * without a namespace takes the path's; the path of a cluster-scoped one has an empty one.
 *
 * Source: kubernetes `endpoints/handlers/rest.go` (checkName).
 */
export function urlMismatch(
  { name = "", namespace = "" }: Partial<Pick<ObjectMeta, "name" | "namespace">>,
  url: { name: string; namespace: string },
): Failure | undefined {
  if (name !== url.name) return nameMismatch(name, url.name);
  if (url.namespace === "" || inNamespace({ namespace }, url.namespace)) return undefined;
  return badRequest(
    `the namespace of the object (${namespace}) does not match the namespace on the request (${url.namespace})`,
  );
}

const badRequest = (message: string): Failure => ({ reason: "BadRequest", message });

const nameMismatch = (ofObject: string, onUrl: string): Failure =>
  badRequest(
    ofObject === ""
      ? `the name of the object (${onUrl} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${ofObject}) does not match the name on the URL (${onUrl})`,
  );

/** An object without a namespace takes the one of the request. */
const inNamespace = ({ namespace = "" }: Partial<ObjectMeta>, expected: string): boolean =>
  namespace === "" || namespace === expected;

/** What a create says of another namespace; an update that went by `urlMismatch` does not come to it. */
const namespaceMismatch = (): Failure =>
  badRequest("the namespace of the provided object does not match the namespace sent on the request");
