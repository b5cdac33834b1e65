import type { ObjectMeta } from "../object.ts";
import { field, type PathElement } from "./field-set.ts";
import { readManagedFields } from "./ownership.ts";

/** Who put a finalizer on an object, as its `managedFields` say. */
export interface Setter {
  manager: string;
  operation: "Apply" | "Update";
  time: string | undefined;
}

/** Undefined for a finalizer that nobody owns: one that the server itself set, or whose owner has been forgotten. */
export function setterOf(finalizer: string, { managedFields }: ObjectMeta): Setter | undefined {
  const value = `v:${JSON.stringify(finalizer)}` as PathElement;
  for (const { manager, operation, time, fields } of readManagedFields(managedFields) ?? []) {
    const finalizers = fields.children.get(field("metadata"))?.children.get(field("finalizers"));
    if (finalizers?.children.has(value)) return { manager, operation, time };
  }
  return undefined;
}
