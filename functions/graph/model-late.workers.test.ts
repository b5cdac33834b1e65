import fc from "fast-check";
import { test } from "vitest";
import { histories, NAMESPACES } from "../../test/model/history.ts";
import { TestCluster } from "./graph.fixture.ts";
import { History } from "./history.fixture.ts";
import { expectInvariants, parameters, SOME, timeout } from "./model.fixture.ts";

/** Whose turn it is between two requests, a few times. */
const turns = fc.array(fc.constantFrom("", ...NAMESPACES), { maxLength: 4 });

test(`${SOME} histories in which work is done late delete nothing wrongly and leave nothing`, {
  timeout,
}, async () => {
  const property = fc.asyncProperty(
    histories(12),
    fc.array(turns, { maxLength: 12 }),
    async (steps, work) => {
      const history = new History(await TestCluster.create(NAMESPACES));
      for (const [i, step] of steps.entries()) {
        const asked = history.request(step, await history.state());
        if (asked !== undefined) await history.send(asked, step);
        for (const namespace of work[i] ?? []) await history.cluster.slice(namespace);
      }
      await history.cluster.settle();
      await expectInvariants(history);
    },
  );
  await fc.assert(property, { ...parameters, numRuns: SOME });
});
