import { READ_REFERENCES_WINDOW, type ReferenceRow } from "../../../db/sweeps.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import { TASKS } from "../tasks.ts";
import { leaveParts, quarantineMissing, type Reached, type Scan } from "./scan.ts";

/** As many owner references are looked at in one slice. */
const WINDOW = 1_000;

type Place = [owner: string, namespace: string, dependent: string, position: number];

/**
 * Goes through all owner references of the cluster. A dependent is looked at when an owner of its is absent, or is not what
 * the reference says; where the owner waits for it, it is the collector's turn. What goes takes its own dependents with
 * it, as always.
 */
export async function scanReferences(scan: Scan, cursor: string): Promise<Reached> {
  const { kinds, commit, context, run } = scan;
  const { store } = context;
  const place: Place = cursor === "" ? ["", "", "", -1] : (JSON.parse(cursor) as Place);
  const { results } = await store.db
    .prepare(READ_REFERENCES_WINDOW)
    .bind(store.cluster, ...place, WINDOW)
    .all<ReferenceRow>();
  const found = new Map<string, Set<string>>();
  for (const row of results) {
    if (row.deletion === "foreground") {
      if (!run.dryRun) commit.work.push(TASKS.examine(row.namespace, row.dependent));
    } else if (!isAsClaimed(row, kinds)) {
      const known = found.get(row.namespace) ?? new Set();
      found.set(row.namespace, known.add(row.dependent));
    }
  }
  for (const [namespace, uids] of found) leaveParts(scan, namespace, [...uids]);
  const last = results.at(-1);
  if (last !== undefined) {
    return { cursor: JSON.stringify([last.owner, last.namespace, last.dependent, last.position]) };
  }
  if (run.cause === "resync") await quarantineMissing("", scan, run.dryRun);
  return { done: true };
}

/** A kind that is not served protects its dependents; what it refers to cannot be told. */
function isAsClaimed(row: ReferenceRow, kinds: KindRegistry): boolean {
  const claimed = kinds.claimed(row.api_version ?? "", row.kind ?? "");
  return (
    row.resource !== null &&
    (claimed === undefined || claimed.storedAs === row.resource) &&
    row.owner_name === row.name &&
    (row.owner_namespace === "" || row.owner_namespace === row.namespace)
  );
}
