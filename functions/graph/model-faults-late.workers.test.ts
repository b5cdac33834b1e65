import fc from "fast-check";
import { test } from "vitest";
import { histories, NAMESPACES } from "../../test/model/history.ts";
import { expectInvariants, parameters, SOME, timeout } from "./model.fixture.ts";
import { fates, Storm, withoutWaiting } from "./storm.fixture.ts";

withoutWaiting();

/** Whose turn it is between two requests, a few times. */
const turns = fc.array(fc.constantFrom("", ...NAMESPACES), { maxLength: 4 });

test(`${SOME} histories under faults, work done late, delete nothing wrongly and lose nothing`, {
  timeout,
}, async () => {
  const property = fc.asyncProperty(
    histories(12),
    fc.array(turns, { maxLength: 12 }),
    fates,
    async (steps, work, queue) => {
      const storm = await Storm.begin(queue);
      const { history } = storm;
      for (const [i, step] of steps.entries()) {
        const asked = history.request(step, await history.state());
        // What was still on its way may have come in between: then there is nothing to do it to any more.
        if (asked !== undefined) await history.attempt(asked, step).catch(() => undefined);
        for (const namespace of work[i] ?? []) await storm.slice(namespace);
      }
      await storm.settle();
      await expectInvariants(history);
    },
  );
  await fc.assert(property, { ...parameters, numRuns: SOME });
});
