import type { ServedKind } from "./places.ts";
import type { Body, StoredRows } from "./stored-rows.ts";

/** Tasks that wait for a moment of their own. Another one that is put off has failed. */
const TIMED = new Set(["quarantine", "sweep", "scan", "moments", "count"]);

/** Whether a row should be done by now. */
export const isLeft = ({ task, due_at }: StoredRows["work"][number]): boolean =>
  !TIMED.has(task) || due_at <= Date.now();

/** What is still to be done, when all work should be. */
export function unsettled({ objects, work, guards }: StoredRows, kinds: readonly ServedKind[]): string[] {
  const faults = work
    .filter(isLeft)
    .map((row) => `work is left: ${row.task} ${row.namespace} ${row.uid} (due ${row.due_at})`);
  if (guards > 0) faults.push("the guard holds a row");
  const there = new Map(objects.map((row) => [row.uid, row]));
  const blocked = new Set<string>();
  const named = new Set<string>();
  const full = new Set(objects.map(({ namespace }) => namespace));
  for (const { body } of objects) {
    for (const { uid, blockOwnerDeletion } of (JSON.parse(body) as Body).metadata.ownerReferences ?? []) {
      named.add(uid);
      if (blockOwnerDeletion) blocked.add(uid);
    }
  }
  for (const row of objects) {
    const told = `${row.resource} ${row.namespace}/${row.name}`;
    const { metadata, spec } = JSON.parse(row.body) as Body & { spec?: { finalizers?: string[] } };
    const owners = metadata.ownerReferences ?? [];
    const finalizers = metadata.finalizers ?? [];
    const foreign = finalizers.some((name) => name !== "foregroundDeletion" && name !== "orphan");
    if (row.deletion === "foreground" && !blocked.has(row.uid)) faults.push(`${told}: waits for nobody`);
    if (row.deletion === "orphan") faults.push(`${told}: still has to release its dependents`);
    if (row.deletion === "terminating" && !foreign && row.resource !== "pods") {
      const held =
        row.resource === "namespaces" &&
        (full.has(row.name) || (spec?.finalizers ?? []).some((name) => name !== "kubernetes"));
      if (!held) faults.push(`${told}: goes, and nothing holds it`);
    }
    if (row.deletion !== null || owners.length === 0 || row.resource.startsWith("events")) continue;
    const resolvable = owners.every(({ apiVersion, kind }) => {
      const claimed = kinds.find((served) => served.apiVersion === apiVersion && served.kind === kind);
      return claimed !== undefined && (row.namespace !== "" || !claimed.namespaced);
    });
    if (resolvable && owners.every(({ uid }) => !there.has(uid)))
      faults.push(`${told}: has lost all its owners`);
  }
  return faults;
}
