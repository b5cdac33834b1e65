import { type Outcome, ok } from "../../objects/failure.ts";
import type { Kind } from "../../objects/kind.ts";
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  definitionWarnings,
  establish,
} from "../../objects/kinds/custom-resource.ts";
import { prepareForCreate } from "../../objects/kinds/defaults.ts";
import { withField } from "../../objects/kinds/fields.ts";
import type { NameClaim } from "../../objects/kinds/names-conflict.ts";
import { asJson, asObject, type Millis } from "../../objects/object.ts";
import { validateCustomObject } from "../../objects/schema/custom-object.ts";
import type { Candidate } from "./create.ts";
import { type CustomRules, fitted } from "./custom-object.ts";

/**
 * A candidate as the definitions of its cluster want it: a custom object pruned, with defaults, and checked against its
 * schema; a definition with the names it gets. Oddities of what was sent become warnings, or a refusal.
 */
export function completeCandidate(
  candidate: Candidate,
  kind: Kind,
  rules: CustomRules,
  { claims, now }: { claims: readonly NameClaim[]; now: Millis },
): Outcome<Candidate> {
  const { sent, oddities, errors, warnings } = candidate;
  const fit = fitted(sent, oddities, rules);
  if (!fit.ok) return fit;
  const noted = { ...candidate, warnings: [...warnings, ...fit.value.warnings] };
  if (kind.storedAs === CUSTOM_RESOURCE_DEFINITIONS) {
    if (errors.length > 0) return ok(noted);
    const definition = asJson(candidate.object);
    noted.warnings.push(...definitionWarnings(definition));
    return ok({ ...noted, object: asObject(establish(definition, now, claims)) });
  }
  if (!kind.traits.custom || rules.schema === undefined) return ok(noted);
  const metadata = asJson(candidate.object).metadata;
  const object = prepareForCreate(withField(fit.value.object, "metadata", metadata), kind);
  return ok({
    ...noted,
    object: asObject(object),
    errors: [...errors, ...validateCustomObject(object, rules.schema)],
  });
}
