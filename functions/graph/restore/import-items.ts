import {
  type FieldError,
  invalidValue,
  type Outcome,
  ok,
  refuse,
  requiredValue,
} from "../../objects/failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../../objects/json.ts";
import { parseApiVersion } from "../../objects/kind.ts";
import type { Definitions } from "../../objects/kinds/definitions.ts";
import { KUBEGC } from "../../objects/kinds/kubegc.ts";
import type { KindRegistry } from "../../objects/kinds/registry.ts";
import { typeFault } from "../../objects/metadata/decode.ts";
import { asJson, asObject, asUid, type Millis } from "../../objects/object.ts";
import { completeCandidate } from "../decide/complete-candidate.ts";
import { candidateOf } from "../decide/create.ts";
import type { Lost } from "./relink.ts";

export interface ImportContext {
  kinds: KindRegistry;
  definitions: Definitions;
  now: Millis;
  random: () => number;
}

/** What a server gives an object, and another server's is not ours. */
const GIVEN: readonly string[] = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink",
];

/**
 * Reads objects of a backup as they would be created, each still under the uid that it had. Errors: Invalid, with
 * everything that is wrong with any of them.
 */
export function importedItems(items: readonly Json[], context: ImportContext): Outcome<Lost[]> {
  const errors: FieldError[] = [];
  const found: Lost[] = [];
  for (const [i, item] of items.entries()) {
    const read = importedItem(item, context);
    if (Array.isArray(read)) {
      errors.push(...read.map((error) => ({ ...error, field: at(i, error.field) })));
    } else found.push(read);
  }
  if (errors.length > 0)
    return refuse({ reason: "Invalid", group: KUBEGC, kind: "Import", name: "", errors });
  return ok(found);
}

const at = (i: number, field: string): string => `spec.items[${i}]${field === "" ? "" : `.${field}`}`;

function importedItem(item: Json, { kinds, definitions, now, random }: ImportContext): Lost | FieldError[] {
  if (!isJsonObject(item)) return [invalidValue("", item, "must be an object")];
  const { apiVersion, kind: name } = item;
  const metadata = isJsonObject(item.metadata) ? item.metadata : undefined;
  if (typeof apiVersion !== "string" || apiVersion === "") return [requiredValue("apiVersion", "")];
  if (typeof name !== "string" || name === "") return [requiredValue("kind", "")];
  if (metadata === undefined) return [requiredValue("metadata", "")];
  const kind = kinds.claimed(apiVersion, name);
  const version = parseApiVersion(apiVersion)?.version;
  if (kind === undefined || version === undefined || !kind.verbs.includes("delete")) {
    return [invalidValue("kind", name, `is not a kind of ${apiVersion} that is stored here`)];
  }
  const expected = { group: kind.group, version, kind: kind.kind, custom: kind.traits.custom };
  const fault = typeFault(item, expected);
  if (fault !== undefined) return [invalidValue("", name, fault)];
  const namespace = typeof metadata.namespace === "string" ? metadata.namespace : "";
  if (kind.namespaced && namespace === "") return [requiredValue("metadata.namespace", "")];

  const formerly = typeof metadata.uid === "string" ? metadata.uid : "";
  const kept = Object.fromEntries(Object.entries(metadata).filter(([field]) => !GIVEN.includes(field)));
  const sent: JsonObject = { ...item, metadata: kept };
  const creation = { kind, version, namespace, now, uid: asUid(formerly), random };
  const candidate = candidateOf(sent, creation);
  if (!candidate.ok) return faultsOf(candidate.failure);
  const rules = { schema: definitions.schemaOf(kind.storedAs, version), check: () => ok<string[]>([]) };
  const complete = completeCandidate(candidate.value, kind, rules, { claims: definitions.claims, now });
  if (!complete.ok) return faultsOf(complete.failure);
  if (complete.value.errors.length > 0) return complete.value.errors;
  const object = asJson(complete.value.object);
  return { kind, object: asObject(object) };
}

const faultsOf = (failure: { reason: string }): FieldError[] => [
  invalidValue("", "message" in failure ? failure.message : failure.reason, "cannot be imported"),
];
