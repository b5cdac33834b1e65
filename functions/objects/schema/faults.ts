import type { FieldError } from "../failure.ts";
import type { Json } from "../json.ts";

/** Characters of a value that a message repeats. */
const SHOWN = 1000;

/** A value as upstream's field errors print it: JSON, cut off when it is long. */
function printed(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)} ...` : text;
}

export const invalid = (field: string, value: Json, detail: string): FieldError => ({
  field,
  type: "FieldValueInvalid",
  message: `Invalid value: ${printed(value)}: ${detail}`,
});

/** The value is of another type than the schema says; upstream tells it apart in the cause. */
export const wrongType = (field: string, value: Json, detail: string): FieldError => ({
  field,
  type: "FieldValueTypeInvalid",
  message: `Invalid value: ${printed(value)}: ${detail}`,
});

export const notSupported = (field: string, value: Json, supported: readonly Json[]): FieldError => ({
  field,
  type: "FieldValueNotSupported",
  message: `Unsupported value: ${printed(value)}: supported values: ${supported
    .map((one) => JSON.stringify(typeof one === "string" ? one : JSON.stringify(one)))
    .join(", ")}`,
});

export const duplicate = (field: string, value: Json): FieldError => ({
  field,
  type: "FieldValueDuplicate",
  message: `Duplicate value: ${printed(value)}`,
});

export const tooManyCharacters = (field: string, limit: number): FieldError => ({
  field,
  type: "FieldValueTooLong",
  message: `Too long: may not be more than ${limit} ${limit === 1 ? "byte" : "bytes"}`,
});

export const tooMany = (field: string, count: number, limit: number): FieldError => ({
  field,
  type: "FieldValueTooMany",
  message: `Too many: ${count}: must have at most ${limit} ${limit === 1 ? "item" : "items"}`,
});
