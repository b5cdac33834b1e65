import type { Effort } from "./pattern/pattern.ts";

/** What all checks of one value share. */
export interface Context {
  /** The path of the value in its object, `""` for the object itself. */
  readonly field: string;
  readonly effort: Effort;
}

/**
 * The field that an error names. `path` leads to it from the value that is checked, as upstream's messages have it;
 * what has no path at all is `<nil>`.
 */
export function fieldAt({ field }: Pick<Context, "field">, path: string): string {
  const inside = path.startsWith(".") ? path.slice(1) : path;
  if (inside === "") return field === "" ? "<nil>" : field;
  return field === "" || inside.startsWith("[") ? field + inside : `${field}.${inside}`;
}
