import { decideNode } from "../../../sweeps/nodes.ts";
import { specOf, textOf } from "../../../sweeps/object-fields.ts";
import type { SweptObject } from "../swept-objects.ts";
import { type SweepView, type Verdict, verdict } from "../view.ts";

export async function lookAtNodes(objects: readonly SweptObject[], view: SweepView): Promise<Verdict[]> {
  const { settings, asks, now } = view;
  return objects.map((swept) => {
    const facts = asks.nodeFacts(swept.stored.uid, textOf(specOf(swept.object).providerID));
    return verdict("nodes", swept, view, () => decideNode(swept.object, facts, settings.sweeps.nodes, now));
  });
}
