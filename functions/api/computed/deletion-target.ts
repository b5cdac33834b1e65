import { z } from "zod";
import { invalidValue, type Outcome, ok, refuse } from "../../objects/failure.ts";
import { type Kind, parseApiVersion } from "../../objects/kind.ts";
import { KUBEGC } from "../../objects/kinds/kubegc.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";

/** How `spec.target` names the object that a question is about. */
export const TARGET = z.strictObject({
  apiVersion: z.string().min(1),
  kind: z.string().min(1),
  namespace: z.string().default(""),
  name: z.string().min(1),
  uid: z.string().optional(),
});

export interface DeletionTarget {
  kind: Kind;
  version: string;
  /** Empty when cluster-scoped. */
  namespace: string;
  name: string;
  uid: string | undefined;
}

/** What a target names. Error: Invalid, when it names nothing that could be deleted. */
export function deletionTarget(
  { apiVersion, kind: name, ...target }: z.output<typeof TARGET>,
  asking: string,
  kinds: KindRegistry,
): Outcome<DeletionTarget> {
  const invalid = (field: string, value: string, detail: string) =>
    refuse({
      reason: "Invalid",
      group: KUBEGC,
      kind: asking,
      name: "",
      errors: [invalidValue(`spec.target.${field}`, value, detail)],
    });
  const parsed = parseApiVersion(apiVersion);
  const kind = kinds.claimed(apiVersion, name);
  if (parsed === undefined || kind === undefined || !kind.verbs.includes("delete")) {
    return invalid("kind", name, `is not a kind of ${apiVersion} that can be deleted`);
  }
  if (kind.namespaced !== (target.namespace !== "")) {
    const place = kind.namespaced ? "a namespace" : "no namespace";
    return invalid("namespace", target.namespace, `a ${kind.kind} is in ${place}`);
  }
  return ok({ kind, version: parsed.version, ...target, uid: target.uid });
}
