import type { ObjectRow } from "../../../../db/reads.ts";
import { READ_NAMED } from "../../../../db/sweeps.ts";
import { decideLease, isValidIdentityLease, type LeaseFacts } from "../../../sweeps/leases.ts";
import { decideStorageVersion, serversOf } from "../../../sweeps/storage-versions.ts";
import type { SweptObject } from "../swept-objects.ts";
import { objectOfRow, type SweepView, type Verdict, verdict } from "../view.ts";

const STORAGE_VERSIONS = "storageversions.internal.apiserver.k8s.io";

export async function lookAtLeases(objects: readonly SweptObject[], view: SweepView): Promise<Verdict[]> {
  const versions = objects.filter(({ stored }) => stored.resource === STORAGE_VERSIONS);
  const leases = objects.filter(({ stored }) => stored.resource !== STORAGE_VERSIONS);
  return [...(await lookAtNodeLeases(leases, view)), ...(await lookAtStorageVersions(versions, view))];
}

async function lookAtNodeLeases(objects: readonly SweptObject[], view: SweepView): Promise<Verdict[]> {
  const { store, settings, now } = view;
  const names = objects
    .filter(({ object }) => object.metadata.namespace === "kube-node-lease")
    .map(({ object }) => object.metadata.name);
  const nodes = new Set((await readNamed("nodes", "", names, store)).map(({ name }) => name));
  return objects.map((swept) => {
    const node: LeaseFacts["node"] = { found: nodes.has(swept.object.metadata.name) ? "present" : "absent" };
    return verdict("leases", swept, view, () =>
      decideLease(swept.object, { node }, settings.sweeps.leases, now),
    );
  });
}

async function lookAtStorageVersions(objects: readonly SweptObject[], view: SweepView): Promise<Verdict[]> {
  const { store, kinds, settings, now } = view;
  const ids = [...new Set(objects.flatMap(({ object }) => serversOf(object)))];
  const rows = await readNamed("leases.coordination.k8s.io", "kube-system", ids, store);
  const valid = new Set(
    rows.filter((row) => isValidIdentityLease(objectOfRow(row, kinds), now)).map(({ name }) => name),
  );
  return objects.map((swept) =>
    verdict("leases", swept, view, () =>
      decideStorageVersion(swept.object, valid, settings.sweeps.leases, now),
    ),
  );
}

/** Objects of one resource and namespace, by their names; no query for none. */
export async function readNamed(
  resource: string,
  namespace: string,
  names: readonly string[],
  { db, cluster }: SweepView["store"],
): Promise<ObjectRow[]> {
  if (names.length === 0) return [];
  const { results } = await db
    .prepare(READ_NAMED)
    .bind(cluster, resource, namespace, JSON.stringify([...new Set(names)]))
    .all<ObjectRow>();
  return results;
}
