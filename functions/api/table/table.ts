import type { Json, JsonObject } from "../../objects/json.ts";
import type { Kind } from "../../objects/kind.ts";
import { asJson, type KubeObject, type Millis } from "../../objects/object.ts";
import type { Column } from "./column.ts";
import type { PrinterColumn } from "./custom-columns.ts";
import type { IncludeObject } from "./negotiate.ts";
import { type ListMeta, listMetaJson, type MetaVersion, partialOf } from "./partial.ts";
import { podRowConditions } from "./printers/pods.ts";
import { columnsOf } from "./printers.ts";

export interface TableOptions {
  /** Ages count up to here. */
  readonly now: Millis;
  readonly includeObject: IncludeObject;
  /** Of the list; for a single object, its resourceVersion. */
  readonly listMeta: ListMeta;
  /** `additionalPrinterColumns` of the served version of a custom kind. */
  readonly columns?: readonly PrinterColumn[];
  readonly version?: MetaVersion;
  /** False leaves the column definitions out, as in every event of a watch after the first. */
  readonly headers?: boolean;
}

/**
 * Objects as kind Table of `meta.k8s.io`, which is what kubectl prints: one row an object, and beside its cells the object, its
 * metadata or null. A watch sends each event's object as a Table with one row.
 *
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
 */
export function tableOf(kind: Kind, objects: readonly KubeObject[], options: TableOptions): JsonObject {
  const { version = "v1" } = options;
  const columns = columnsOf(kind, options.columns);
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMetaJson(options.listMeta),
    columnDefinitions: options.headers === false ? [] : columns.map(definition),
    rows: objects.map((object) => {
      const conditions = kind.storedAs === "pods" ? podRowConditions(object) : [];
      return {
        cells: columns.map((column) => column.cell(object, options.now)),
        ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
        object: included(object, options.includeObject, version),
      };
    }),
  };
}

const definition = ({ name, type, format, description, priority }: Column): JsonObject => ({
  name,
  type,
  format,
  description,
  priority,
});

function included(object: KubeObject, includeObject: IncludeObject, version: MetaVersion): Json {
  switch (includeObject) {
    case "None":
      return null;
    case "Metadata":
      return partialOf(object, version);
    case "Object":
      return asJson(object);
  }
}
