import type { Json } from "../../objects/json.ts";
import { type Column, column, nameColumn } from "./column.ts";
import { timeSince } from "./human-duration.ts";
import { type JsonPath, parseJsonPath, readJsonPath } from "./json-path.ts";

/** An entry of `additionalPrinterColumns` in a CustomResourceDefinition's version. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  /** Such as `.spec.replicas`; what it can say is in `json-path.ts`. */
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

const age: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "Time since the object was created.",
};

/**
 * A custom kind's columns: the name, then those of its definition, or its age when the definition names none. A path that leads
 * nowhere, cannot be read, or ends in a value of another type leaves its cell null.
 *
 * As apiextensions-apiserver's `tableconvertor`.
 */
export function customColumns(additionalPrinterColumns: readonly PrinterColumn[] = []): readonly Column[] {
  const listed = additionalPrinterColumns.length === 0 ? [age] : additionalPrinterColumns;
  return [nameColumn, ...listed.map(customColumn)];
}

function customColumn(printed: PrinterColumn): Column {
  const type = columnTypes.find((known) => known === printed.type) ?? "string";
  const path = parseJsonPath(printed.jsonPath);
  const description =
    printed.description || `Custom resource definition column (in JSONPath format): ${printed.jsonPath}`;
  return column(
    printed.name,
    description,
    (object, now) => (path === undefined ? null : cell(type, path, object, now)),
    { type, format: printed.format ?? "", priority: printed.priority ?? 0 },
  );
}

const columnTypes = ["string", "integer", "number", "boolean", "date"] as const;

function cell(type: Column["type"], path: JsonPath, object: unknown, now: number): Json {
  const value = readJsonPath(path, object);
  if (value === undefined || value === null) return null;
  switch (type) {
    case "string":
      return typeof value === "string" ? value : JSON.stringify(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? timeSince(value, now) : null;
  }
}
