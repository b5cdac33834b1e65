import fc from "fast-check";
import { test } from "vitest";
import { HALF, parameters, timeout } from "./model.fixture.ts";
import { endsAsTheModelSays } from "./model-steps.fixture.ts";

test(`${HALF} other histories end as the model says, step by step`, { timeout }, async () => {
  const { seed } = parameters;
  await fc.assert(endsAsTheModelSays, { ...parameters, ...(seed === undefined ? {} : { seed: seed + 1 }) });
});
