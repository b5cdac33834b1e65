import { isJsonObject, type Json } from "../json.ts";
import type { FieldType } from "./typed-fields.ts";

/** The paths of fields that a type does not know and that are dropped for it, in the order of the data. */
export function unknownFields(value: Json | undefined, type: FieldType, path: string): string[] {
  switch (type.is) {
    case "map":
      return isJsonObject(value)
        ? Object.entries(value).flatMap(([key, item]) => unknownFields(item, type.of, `${path}.${key}`))
        : [];
    case "list":
      return Array.isArray(value)
        ? value.flatMap((item, i) => unknownFields(item, type.of, `${path}[${i}]`))
        : [];
    case "struct":
      return isJsonObject(value)
        ? Object.entries(value).flatMap(([name, item]) => {
            const at = path === "" ? name : `${path}.${name}`;
            const field = type.fields.get(name);
            if (field) return unknownFields(item, field.type, at);
            return type.others === "dropped" ? [at] : [];
          })
        : [];
    default:
      return [];
  }
}
