import type { JsonObject } from "../json.ts";
import { acceptedNames, type DefinitionNames, object, text } from "./definition.ts";

/** The names that a definition holds in its group. */
export interface NameClaim {
  /** Of the definition. */
  readonly name: string;
  readonly group: string;
  readonly held: DefinitionNames;
  /** Whether it got all that it asks for. */
  readonly satisfied: boolean;
}

export function nameClaim(crd: JsonObject): NameClaim {
  const conditions = object(crd.status).conditions;
  return {
    name: text(object(crd.metadata).name),
    group: text(object(crd.spec).group),
    held: acceptedNames(crd),
    satisfied:
      Array.isArray(conditions) &&
      conditions.map(object).some(({ type, status }) => type === "NamesAccepted" && status === "True"),
  };
}

/** Whether another definition may get a name that it could not get before. */
export function freesNames(before: NameClaim, after: NameClaim | undefined): boolean {
  const kept = after ? namesOf(after) : [];
  return namesOf(before).some((name) => !kept.includes(name));
}

const namesOf = ({ held }: NameClaim): string[] =>
  [held.plural, held.singular, ...held.shortNames, held.kind, held.listKind].filter((name) => name !== "");

export interface Naming {
  /** Those that are held from now on. */
  names: DefinitionNames;
  /** Undefined when all that was asked for is granted. */
  conflict: { reason: string; message: string } | undefined;
}

/**
 * Which of the names that a definition asks for it gets: all that no other definition of its group holds. For one that
 * is taken it keeps the one it has. Of several conflicts the last is told, as upstream does.
 *
 * Source: apiextensions-apiserver `pkg/controller/status/naming_controller.go`.
 */
export function grantNames(
  asked: DefinitionNames,
  held: DefinitionNames,
  others: readonly NameClaim[],
): Naming {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { held: taken } of others) {
    for (const name of [taken.plural, taken.singular, ...taken.shortNames]) resources.add(name);
    for (const name of [taken.kind, taken.listKind]) kinds.add(name);
  }
  let conflict: Naming["conflict"];
  const grant = (name: string, has: string, taken: ReadonlySet<string>, reason: string): string => {
    if (name === has || !taken.has(name)) return name;
    conflict = { reason, message: inUse(name) };
    return has;
  };
  const plural = grant(asked.plural, held.plural, resources, "PluralConflict");
  const singular = grant(asked.singular, held.singular, resources, "SingularConflict");
  const refused = asked.shortNames.filter((name) => !held.shortNames.includes(name) && resources.has(name));
  if (refused.length > 0) {
    const messages = refused.map(inUse);
    const message = messages.length === 1 ? `${messages[0]}` : `[${messages.join(", ")}]`;
    conflict = { reason: "ShortNamesConflict", message };
  }
  const kind = grant(asked.kind, held.kind, kinds, "KindConflict");
  const listKind = grant(asked.listKind, held.listKind, kinds, "ListKindConflict");
  return {
    names: {
      plural,
      singular,
      kind,
      listKind,
      shortNames: refused.length > 0 ? held.shortNames : asked.shortNames,
      categories: asked.categories,
    },
    conflict,
  };
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`;
