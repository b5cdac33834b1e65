import fc from "fast-check";
import { test } from "vitest";
import { HALF, parameters, timeout } from "./model.fixture.ts";
import { endsAsTheModelSays } from "./model-steps.fixture.ts";

test(`${HALF} histories end as the model says, step by step`, { timeout }, async () => {
  await fc.assert(endsAsTheModelSays, parameters);
});
