import { type ExaminedRow, READ_EXAMINED } from "../../../../db/reads.ts";
import { keep } from "../../../sweeps/decision.ts";
import { readReferences, referencesOf, removedOwners, withApart } from "../../drain/examine.ts";
import { storedKind } from "../../drain/stored-kind.ts";
import { isCollected } from "../../plan.ts";
import { decideOrphan } from "../orphans.ts";
import type { SweptObject } from "../swept-objects.ts";
import { type SweepView, type Verdict, verdict } from "../view.ts";

export async function lookAtOrphans(objects: readonly SweptObject[], view: SweepView): Promise<Verdict[]> {
  const { store, kinds, settings } = view;
  const { results } = await store.db
    .prepare(READ_EXAMINED)
    .bind(store.cluster, store.namespace, JSON.stringify(objects.map(({ stored }) => [0, stored.uid])))
    .all<ExaminedRow>();
  const large = results.filter(({ owners }) => owners === null).map(({ uid }) => uid);
  const apart = await readReferences(large, store);
  const rows = new Map(results.map((row) => [row.uid, withApart(row, apart)]));
  const removed = await removedOwners([...rows.values()].map(referencesOf), store, kinds);
  return objects.map((swept) =>
    verdict("orphans", swept, view, () => {
      const row = rows.get(swept.stored.uid);
      if (row === undefined || row.resource_version !== swept.stored.resourceVersion) {
        return keep("was written meanwhile, and is looked at by the collector");
      }
      if (!isCollected(storedKind(swept.stored.resource, kinds))) return keep("is not collected");
      const references = referencesOf(row).map((facts) => ({
        ...facts,
        removed: removed.get(facts.reference.uid as typeof swept.stored.uid),
      }));
      // Whether an owner still waits has to be compared in the batch, which the collector does.
      if (references.some(({ owner }) => owner?.deletion === "foreground"))
        return keep("its owner waits for it");
      const hasDependents = row.has_dependents === 1;
      return decideOrphan(swept.object, { references, hasDependents }, kinds, settings.sweeps.orphans);
    }),
  );
}
