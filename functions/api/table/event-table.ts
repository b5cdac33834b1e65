import { isJsonObject, type JsonObject } from "../../objects/json.ts";
import type { TableOf } from "../../watch/event-line.ts";
import type { PrinterColumn } from "./custom-columns.ts";
import { parseIncludeObject } from "./negotiate.ts";
import { tableOf } from "./table.ts";

/** The Table of one watch event: one row, and column definitions only in the first of a stream. */
export const tableOfEvent: TableOf = (object, form, { now, resourceVersion, headers }): JsonObject => {
  const options = isJsonObject(form.tableOptions) ? form.tableOptions : {};
  const wanted = parseIncludeObject(
    typeof options.includeObject === "string" ? options.includeObject : undefined,
  );
  const columns = options.columns as unknown as PrinterColumn[] | undefined;
  return tableOf(form.kind, [object], {
    now,
    includeObject: wanted.ok ? wanted.value : "Metadata",
    listMeta: { resourceVersion: String(resourceVersion) },
    version: form.metaVersion === "meta.k8s.io/v1beta1" ? "v1beta1" : "v1",
    headers,
    ...(columns ? { columns } : {}),
  });
};
