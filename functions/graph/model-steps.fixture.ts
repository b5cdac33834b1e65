import fc from "fast-check";
import { histories, NAMESPACES } from "../../test/model/history.ts";
import { TestCluster } from "./graph.fixture.ts";
import { History } from "./history.fixture.ts";
import { expectAgreement } from "./model.fixture.ts";

/** Random histories, each step of which has to end as the model says. */
export const endsAsTheModelSays = fc.asyncProperty(histories(10), async (steps) => {
  const history = new History(await TestCluster.create(NAMESPACES));
  let before = await history.state();
  for (const step of steps) {
    const asked = history.request(step, before);
    if (asked === undefined) continue;
    const request = await history.send(asked, step);
    await history.cluster.settle();
    const after = await history.state();
    expectAgreement(before, request, after);
    before = after;
  }
});
