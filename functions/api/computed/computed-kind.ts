import type { z } from "zod";
import type { Outcome } from "../../objects/failure.ts";
import type { JsonObject } from "../../objects/json.ts";
import type { KubeObject } from "../../objects/object.ts";
import type { FieldRequirement } from "../../objects/selectors/field-selector.ts";
import type { ApiContext } from "../context.ts";

/**
 * How the objects of a kind come about that nobody stores: they are read from other tables, or worked out, when somebody
 * asks. A verb that the kind offers has its function here; selectors, pages, tables and YAML are seen to elsewhere.
 */
export interface ComputedKind {
  /** What `spec` of one that is created may say. */
  spec?: z.ZodType;
  /** One page, sorted by name. It may use the selector to find less; what does not match is left out afterwards. */
  list?(asked: ComputedList): Promise<Outcome<ComputedPage>>;
  /** Undefined when there is none of that name. */
  get?(context: ApiContext, name: string): Promise<Outcome<KubeObject | undefined>>;
  /** Errors: Invalid, and whatever the deed itself meets. */
  create?(asked: ComputedCreate): Promise<Outcome<ComputedAnswer>>;
  /** Whether there was one of that name. Errors: Conflict. */
  remove?(asked: ComputedRemove): Promise<Outcome<boolean>>;
}

export interface ComputedList {
  context: ApiContext;
  fields: readonly FieldRequirement[];
  /** At least one; a page may hold fewer and still have a next one. */
  limit: number;
  /** The name after which the page begins; empty for the first. */
  after: string;
}

export interface ComputedPage {
  items: readonly KubeObject[];
  /** False when nothing comes after these. */
  more: boolean;
}

export interface ComputedCreate {
  context: ApiContext;
  /** As it was sent, its metadata included. */
  sent: JsonObject;
  dryRun: boolean;
}

export interface ComputedRemove {
  context: ApiContext;
  name: string;
  dryRun: boolean;
}

export interface ComputedAnswer {
  object: KubeObject;
  warnings?: readonly string[];
}
