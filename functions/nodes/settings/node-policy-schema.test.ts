import { expect, it } from "vitest";
import type { JsonObject } from "../../objects/json.ts";
import { readNodePolicy } from "./node-policy.ts";
import { NODE_POLICY_SPEC } from "./node-policy-schema.ts";

/** What is said of a spec whose field holds something that no field may hold. */
function faultsOf(field: string): string[] {
  const reading = readNodePolicy("p", { [field]: { odd: { odd: [] } } });
  return "errors" in reading
    ? reading.errors.filter((error) => error.field === `spec.${field}`).map((error) => JSON.stringify(error))
    : [];
}

it("names fields that a NodePolicy has", () => {
  expect(faultsOf("odd").join()).toContain("unknown field");
  for (const name of Object.keys(NODE_POLICY_SPEC.properties as JsonObject)) {
    expect(faultsOf(name).join()).not.toContain("unknown field");
  }
});
