import { jsonEqual } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import { fieldsOf, isTerminating, specOf, statusOf, textOf } from "./object-fields.ts";

const HASH_LABEL = "controller-revision-hash";

/**
 * The ControllerRevisions beyond the limit, the lowest revision first. Those in use do not go: of a StatefulSet they do
 * not count either; of a DaemonSet they count, and the next oldest goes in their place.
 */
export function controllerRevisionHistory(
  owner: KubeObject,
  revisions: readonly KubeObject[],
  liveHashes: ReadonlySet<string>,
  limit: number,
): KubeObject[] {
  const sorted = revisions.filter((revision) => !isTerminating(revision)).sort(byRevision);
  return owner.kind === "StatefulSet"
    ? ofStatefulSet(owner, sorted, liveHashes, limit)
    : ofDaemonSet(owner, sorted, liveHashes, limit);
}

const revisionOf = ({ revision }: KubeObject): number => (typeof revision === "number" ? revision : 0);

const byRevision = (a: KubeObject, b: KubeObject): number =>
  revisionOf(a) - revisionOf(b) || (a.metadata.name < b.metadata.name ? -1 : 1);

/** Pods of a StatefulSet carry the name of their revision. */
function ofStatefulSet(
  owner: KubeObject,
  sorted: readonly KubeObject[],
  liveHashes: ReadonlySet<string>,
  limit: number,
): KubeObject[] {
  const { currentRevision, updateRevision } = statusOf(owner);
  const update = textOf(updateRevision);
  if (update === "") return [];
  const live = new Set([textOf(currentRevision), update, ...liveHashes]);
  const history = sorted.filter(({ metadata }) => !live.has(metadata.name));
  return history.slice(0, Math.max(0, history.length - limit));
}

function ofDaemonSet(
  owner: KubeObject,
  sorted: readonly KubeObject[],
  liveHashes: ReadonlySet<string>,
  limit: number,
): KubeObject[] {
  const isCurrent = (revision: KubeObject) => holdsTemplate(revision, owner);
  if (!sorted.some(isCurrent)) return [];
  const old = sorted.filter((revision) => !isCurrent(revision));
  return old
    .filter(({ metadata }) => !liveHashes.has(metadata.labels?.[HASH_LABEL] ?? ""))
    .slice(0, Math.max(0, old.length - limit));
}

/** A revision keeps the owner's template as a patch that replaces it. */
function holdsTemplate(revision: KubeObject, owner: KubeObject): boolean {
  const { $patch: _, ...template } = fieldsOf(fieldsOf(fieldsOf(revision.data).spec).template);
  return jsonEqual(template, fieldsOf(specOf(owner).template));
}
