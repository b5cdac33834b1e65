import type { Json } from "../../objects/json.ts";
import type { KubeObject, Millis } from "../../objects/object.ts";
import { timeSince } from "./human-duration.ts";

/** One column of a Table, and how an object fills it. */
export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** `name` marks the object's identity; otherwise empty. */
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, 1 with `kubectl get -o wide`. */
  readonly priority: number;
  readonly cell: Cell;
}

export type Cell = (object: KubeObject, now: Millis) => Json;

export function column(
  name: string,
  description: string,
  cell: Cell,
  also: Partial<Pick<Column, "type" | "format" | "priority">> = {},
): Column {
  return { name, type: "string", format: "", priority: 0, ...also, description, cell };
}

export const integerColumn = (name: string, description: string, cell: Cell): Column =>
  column(name, description, cell, { type: "integer" });

export const booleanColumn = (name: string, description: string, cell: Cell): Column =>
  column(name, description, cell, { type: "boolean" });

/** Shown with `kubectl get -o wide`. */
export const wideColumn = (name: string, description: string, cell: Cell): Column =>
  column(name, description, cell, { priority: 1 });

export const nameColumn: Column = column(
  "Name",
  "Name of the object, unique within its namespace.",
  (object) => object.metadata.name,
  { format: "name" },
);

export const ageColumn: Column = column("Age", "Time since the object was created.", (object, now) =>
  timeSince(object.metadata.creationTimestamp, now),
);

/** What upstream prints for kinds that have no printer of their own: the moment itself. */
export const createdAtColumn: Column = column(
  "Created At",
  "When the object was created.",
  (object) => object.metadata.creationTimestamp,
  { type: "date" },
);
