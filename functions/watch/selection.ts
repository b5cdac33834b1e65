import type { KubeObject } from "../objects/object.ts";
import { exactName, exactNamespace, matchesFields } from "../objects/selectors/field-selector.ts";
import { matchesLabels } from "../objects/selectors/label-selector.ts";
import type { WatchSpec } from "./watch-spec.ts";

/** Which objects a watch selects, with what can be told from an object's key alone set apart. */
export interface Selection {
  /** Null when the key alone does not say. */
  readonly namespace: string | null;
  readonly name: string | null;
  /**
   * Whether an update can make an object match or stop matching. Names and namespaces never change, so a watch that
   * selects by nothing else needs neither the object's content nor its state before.
   */
  readonly byContent: boolean;
  readonly matchesKey: (namespace: string, name: string) => boolean;
  readonly matchesContent: (object: KubeObject) => boolean;
}

const KEY_FIELDS = ["metadata.name", "metadata.namespace"];

export function selectionOf(spec: WatchSpec): Selection {
  const { kind, labels } = spec;
  const keyFields = spec.fields.filter(({ field }) => KEY_FIELDS.includes(field));
  const contentFields = spec.fields.filter(({ field }) => !KEY_FIELDS.includes(field));
  return {
    namespace: spec.namespace ?? exactNamespace(keyFields) ?? null,
    name: exactName(keyFields) ?? null,
    byContent: labels.length > 0 || contentFields.length > 0,
    matchesKey: (namespace, name) =>
      (spec.namespace === null || spec.namespace === namespace) &&
      keyFields.every(({ field, operator, value }) => {
        const equal = value === (field === "metadata.name" ? name : namespace);
        return operator === "=" ? equal : !equal;
      }),
    matchesContent: (object) =>
      matchesLabels(labels, object.metadata.labels) && matchesFields(contentFields, object, kind),
  };
}
