import { ageColumn, type Column, column, nameColumn } from "../column.ts";
import { entriesAt, textAt } from "../reading.ts";

export const configurationColumns: Record<string, readonly Column[]> = {
  configmaps: [
    nameColumn,
    column(
      "Data",
      "Number of entries.",
      (object) => entriesAt(object, "data").length + entriesAt(object, "binaryData").length,
    ),
    ageColumn,
  ],
  secrets: [
    nameColumn,
    column("Type", "What the secret is for.", (object) => textAt(object, "type")),
    column("Data", "Number of entries.", (object) => entriesAt(object, "data").length),
    ageColumn,
  ],
};
