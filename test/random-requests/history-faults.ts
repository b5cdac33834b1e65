import type { ChangeRow, DeletionRow, StoredRows } from "./stored-rows.ts";

/** Where the changes are not the story of the objects, or a deletion has no cause. */
export function historyFaults({ objects, changes, deletions, owned, resourceVersion }: StoredRows): string[] {
  const faults: string[] = [];
  const last = new Map<string, ChangeRow>();
  let version = 0;
  for (const change of changes) {
    const told = `change ${change.version} (${change.type} ${change.resource} ${change.namespace}/${change.name})`;
    if (!(change.version > version)) faults.push(`${told}: comes after ${version}`);
    version = change.version;
    const before = last.get(change.uid);
    if (before?.type === "DELETED") faults.push(`${told}: its object was gone`);
    if (change.type === "ADDED" && before !== undefined) faults.push(`${told}: its object was there`);
    if (change.previous !== (before?.version ?? null))
      faults.push(`${told}: follows on ${change.previous}, not ${before?.version}`);
    last.set(change.uid, change);
  }
  if (version > resourceVersion) faults.push(`change ${version} is newer than the cluster`);

  const records = new Map(deletions.map((record) => [record.uid, record]));
  const living = new Map(objects.map((row) => [row.uid, row]));
  for (const [uid, change] of last) {
    const told = `${change.resource} ${change.namespace}/${change.name}`;
    const row = living.get(uid);
    const record = records.get(uid);
    if (change.type === "DELETED") {
      if (row) faults.push(`${told}: is there after it was deleted`);
      if (record?.removed_version !== change.version) faults.push(`${told}: its deletion is not recorded`);
    } else if (row === undefined) faults.push(`${told}: went without a change`);
    else {
      if (row.resource_version !== change.version || row.body !== change.body) {
        faults.push(`${told}: is not as its last change left it`);
      }
      if ((row.deletion !== null) !== (record !== undefined))
        faults.push(`${told}: has a wrong record of deletion`);
      if (record?.removed_version != null) faults.push(`${told}: is recorded as gone`);
    }
  }
  const namespaces = new Set(changes.filter((row) => row.resource === "namespaces").map(({ name }) => name));
  for (const namespace of owned) {
    if (namespace !== "" && !namespaces.has(namespace))
      faults.push(`${namespace} is held, and never was there`);
  }
  for (const { uid, root } of deletions) {
    const head = headOf(uid, records);
    if (head !== root) faults.push(`the deletion of ${uid} goes back to ${head}, not to ${root}`);
  }
  return faults;
}

/**
 * Where the chain of causes ends: in a deletion without one, or in a uid that was not going then. Such a one was never
 * there, or is not what it was claimed to be, and may have been deleted since.
 */
function headOf(uid: string, records: ReadonlyMap<string, DeletionRow>): string | undefined {
  const passed = new Set<string>();
  for (let at = uid; ; ) {
    const record = records.get(at);
    if (record?.cause == null) return at;
    if (passed.has(at)) return undefined;
    passed.add(at);
    const cause = records.get(record.cause);
    if (cause !== undefined && cause.began_at > record.began_at) return record.cause;
    at = record.cause;
  }
}
