import type { Body, ObjectRow, StoredRows } from "./stored-rows.ts";

/** Where the rows that index a body are not those of the body. */
export function indexFaults({ objects, labels, ownerRefs, resourceVersion }: StoredRows): string[] {
  const faults: string[] = [];
  const expectedLabels: string[] = [];
  const expectedRefs: string[] = [];
  const versions = new Set<number>();
  for (const row of objects) {
    const told = `${row.resource} ${row.namespace}/${row.name}`;
    const { metadata } = JSON.parse(row.body) as Body;
    if (!row.body.startsWith('{"metadata":{"')) faults.push(`${told}: its body does not begin with metadata`);
    if (metadata.uid !== row.uid) faults.push(`${told}: is ${row.uid}, and ${metadata.uid} in its body`);
    if (metadata.name !== row.name) faults.push(`${told}: is called ${metadata.name} in its body`);
    if ((metadata.namespace ?? "") !== row.namespace) faults.push(`${told}: lies in ${metadata.namespace}`);
    if (deletionOf(metadata) !== row.deletion) faults.push(`${told}: deletion is ${row.deletion}`);
    if (isPlain(row, metadata) !== (row.plain === 1)) faults.push(`${told}: plain is ${row.plain}`);
    if (versions.has(row.resource_version)) faults.push(`${told}: shares its resourceVersion`);
    if (row.resource_version > resourceVersion) faults.push(`${told}: is newer than its cluster`);
    versions.add(row.resource_version);
    for (const [key, value] of Object.entries(metadata.labels ?? {})) {
      expectedLabels.push(JSON.stringify([row.resource, row.namespace, row.name, key, value]));
    }
    for (const [position, reference] of (metadata.ownerReferences ?? []).entries()) {
      const blocking = reference.blockOwnerDeletion === true ? 1 : 0;
      expectedRefs.push(JSON.stringify([row.uid, row.namespace, position, reference.uid, blocking]));
    }
  }
  return [
    ...faults,
    ...difference("label", labels, expectedLabels),
    ...difference("reference", ownerRefs, expectedRefs),
  ];
}

function deletionOf({ deletionTimestamp, finalizers = [] }: Body["metadata"]): string | null {
  if (deletionTimestamp === undefined) return null;
  if (finalizers.includes("orphan")) return "orphan";
  return finalizers.includes("foregroundDeletion") ? "foreground" : "terminating";
}

const isPlain = (
  { resource }: ObjectRow,
  { deletionTimestamp, finalizers = [] }: Body["metadata"],
): boolean =>
  deletionTimestamp === undefined &&
  finalizers.length === 0 &&
  resource !== "pods" &&
  resource !== "namespaces";

function difference(what: string, stored: readonly string[], expected: readonly string[]): string[] {
  const [has, should] = [new Set(stored), new Set(expected)];
  return [
    ...[...should].filter((row) => !has.has(row)).map((row) => `the ${what} ${row} is not indexed`),
    ...[...has].filter((row) => !should.has(row)).map((row) => `the ${what} ${row} is of no object`),
  ];
}
