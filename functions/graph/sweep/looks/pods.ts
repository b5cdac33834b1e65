import type { KubeObject } from "../../../objects/object.ts";
import { isTerminating, specOf, textOf } from "../../../sweeps/object-fields.ts";
import { decidePod, type NodeWitness } from "../../../sweeps/pods.ts";
import type { SweptObject } from "../swept-objects.ts";
import { objectOfRow, type SweepView, type Verdict, verdict } from "../view.ts";
import { readNamed } from "./leases.ts";

const nodeOf = (pod: KubeObject): string => textOf(specOf(pod).nodeName);

/** Its Node is looked for where it matters: for a Pod that is being deleted, and for one whose Node is said to be gone. */
export async function lookAtPods(objects: readonly SweptObject[], view: SweepView): Promise<Verdict[]> {
  const { store, kinds, settings, now, surplus, quarantined } = view;
  const matters = (pod: KubeObject) => isTerminating(pod) || quarantined.has(nodeOf(pod));
  const names = objects
    .filter(({ object }) => matters(object))
    .map(({ object }) => nodeOf(object))
    .filter((name) => name !== "");
  const nodes = new Map(
    (await readNamed("nodes", "", names, store)).map((row) => [row.name, objectOfRow(row, kinds)]),
  );
  const witness = (pod: KubeObject): NodeWitness => {
    const name = nodeOf(pod);
    if (name === "" || !matters(pod)) return { found: "none" };
    const node = nodes.get(name);
    return node ? { found: "present", node } : { found: "absent", quarantined: quarantined.has(name) };
  };
  return objects.map((swept) =>
    verdict("pods", swept, view, () =>
      decidePod(
        swept.object,
        { surplus: surplus.has(swept.stored.uid), node: witness(swept.object) },
        settings.sweeps.pods,
        now,
      ),
    ),
  );
}

/** Names of Nodes that Pods are bound to, of those that are being deleted, which were not found. */
export async function missingNodes(objects: readonly SweptObject[], { store }: SweepView): Promise<string[]> {
  const names = new Set(
    objects
      .filter(({ stored, object }) => stored.resource === "pods" && isTerminating(object))
      .map(({ object }) => nodeOf(object))
      .filter((name) => name !== ""),
  );
  if (names.size === 0) return [];
  for (const { name } of await readNamed("nodes", "", [...names], store)) names.delete(name);
  return [...names];
}
