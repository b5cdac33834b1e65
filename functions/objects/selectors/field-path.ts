import { isJsonObject } from "../json.ts";

/**
 * What stands at a path in data whose shape nobody has promised; undefined where the path leaves it. Only own fields
 * count, so that a field called `constructor` reads as absent.
 */
export function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    if (Array.isArray(here) && typeof step === "number") here = here[step];
    else if (isJsonObject(here) && Object.hasOwn(here, step)) here = here[step];
    else return undefined;
  }
  return here;
}
