import fc from "fast-check";
import { test } from "vitest";
import { histories } from "../../test/model/history.ts";
import { expectAgreement, expectInvariants, parameters, SOME, timeout } from "./model.fixture.ts";
import { fates, Storm, withoutWaiting } from "./storm.fixture.ts";

withoutWaiting();

test(`${SOME} histories under faults end as the model says, step by step, for what was answered`, {
  timeout,
}, async () => {
  const property = fc.asyncProperty(histories(10), fates, async (steps, queue) => {
    const storm = await Storm.begin(queue);
    const { history } = storm;
    let before = await history.state();
    for (const step of steps) {
      const asked = history.request(step, before);
      if (asked === undefined) continue;
      const { request, told } = await history.attempt(asked, step);
      await storm.settle();
      const after = await history.state();
      if (told === "done") expectAgreement(before, request, after);
      if (told === "nothing") expectAgreement(before, undefined, after, before);
      if (told === "unknown") expectAgreement(before, await history.found(asked, step), after, before);
      before = after;
    }
    await expectInvariants(history);
  });
  await fc.assert(property, { ...parameters, numRuns: SOME });
});
