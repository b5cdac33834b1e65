import { type Outcome, ok, refuse } from "../failure.ts";

const MAX_UINT64 = 2n ** 64n - 1n;

/** 0 when absent. Error: Unknown for what is not an unsigned 64-bit number, as upstream has it. */
export function readResourceVersion(text = ""): Outcome<bigint> {
  if (text === "") return ok(0n);
  const fault = (what: string): Outcome<never> =>
    refuse({
      reason: "Unknown",
      message: `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${what}`,
    });
  if (!/^[0-9]+$/.test(text)) return fault("invalid syntax");
  if (text.replace(/^0+/, "").length > 20 || BigInt(text) > MAX_UINT64) return fault("value out of range");
  return ok(BigInt(text));
}
