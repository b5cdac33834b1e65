import { type FieldError, forbiddenValue, requiredValue } from "../../failure.ts";
import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../../json.ts";
import { invalid } from "../faults.ts";
import { compilePattern } from "../pattern/pattern.ts";
import { furtherOf, propertiesOf, type Subschema, subschemaAt, subschemasAt } from "./subschemas.ts";

type Level = "root" | "item" | "field";

/**
 * What keeps a schema from being structural: each level says its type, and what `allOf`, `anyOf`, `oneOf` and `not`
 * speak of is specified outside of them as well. Only such a schema can prune and default.
 *
 * Source: Kubernetes, "Specifying a structural schema"; apiextensions-apiserver `pkg/apiserver/schema/validation.go`
 * and `complete.go`.
 */
export function structuralFaults(schema: JsonObject, path: string): FieldError[] {
  const errors = [
    ...invariantFaults(schema, "root", path),
    ...completenessFaults(schema, schema, path, path),
  ];
  const text = (error: FieldError) => `${error.field}: ${error.message}`;
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

const PRESERVE = "x-kubernetes-preserve-unknown-fields";
const EMBEDDED = "x-kubernetes-embedded-resource";
const INT_OR_STRING = "x-kubernetes-int-or-string";

function invariantFaults(schema: JsonObject, level: Level, path: string): FieldError[] {
  return [
    ...(schema.type === "array" && !isJsonObject(schema.items)
      ? [requiredValue(`${path}.items`, "must be specified")]
      : []),
    ...subschemaAt(schema, "items", path).flatMap((inside) =>
      invariantFaults(inside.schema, "item", inside.path),
    ),
    ...propertiesOf(schema, path).flatMap((inside) => invariantFaults(inside.schema, "field", inside.path)),
    ...additionalFaults(schema, level, path),
    ...intOrStringFaults(schema, path),
    ...valueFaults(schema, path, level),
    ...typeFaults(schema, level, path),
    ...metadataFaults(schema, level, path),
  ];
}

function additionalFaults(schema: JsonObject, level: Level, path: string): FieldError[] {
  if (schema.additionalProperties === undefined) return [];
  const field = `${path}.additionalProperties`;
  return [
    ...(level === "root" ? [forbiddenValue(field, "must not be used at the root")] : []),
    ...(schema[EMBEDDED] === true ? [forbiddenValue(field, `must not be used if ${EMBEDDED} is set`)] : []),
    ...subschemaAt(schema, "additionalProperties", path).flatMap((inside) =>
      invariantFaults(inside.schema, "field", inside.path),
    ),
  ];
}

function intOrStringFaults(schema: JsonObject, path: string): FieldError[] {
  if (schema[INT_OR_STRING] !== true) return [];
  return [PRESERVE, EMBEDDED]
    .filter((extension) => schema[extension] === true)
    .map((extension) => invalid(`${path}.${extension}`, true, `must be false if ${INT_OR_STRING} is true`));
}

const NO_TYPE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function typeFaults(schema: JsonObject, level: Level, path: string): FieldError[] {
  const field = `${path}.type`;
  const type = typeof schema.type === "string" ? schema.type : "";
  const errors: FieldError[] = [];
  if (schema[EMBEDDED] === true && type !== "object") {
    const detail = `must be object if ${EMBEDDED} is true`;
    errors.push(type === "" ? requiredValue(field, detail) : invalid(field, type, detail));
  } else if (type === "" && schema[INT_OR_STRING] !== true && schema[PRESERVE] !== true) {
    errors.push(requiredValue(field, NO_TYPE[level]));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalid(field, type, "must be object at the root"));
  }
  return errors;
}

function metadataFaults(schema: JsonObject, level: Level, path: string): FieldError[] {
  const embedded = schema[EMBEDDED] === true;
  if (level !== "root" && !embedded) return [];
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const errors: FieldError[] = [];
  for (const name of ["kind", "apiVersion"]) {
    const property = properties[name];
    if (isJsonObject(property) && property.type !== "string") {
      errors.push(invalid(`${path}.properties[${name}].type`, property.type ?? "", "must be string"));
    }
  }
  const { metadata } = properties;
  if (isJsonObject(metadata)) {
    const field = `${path}.properties[metadata]`;
    if (metadata.type !== "object")
      errors.push(invalid(`${field}.type`, metadata.type ?? "", "must be object"));
    if (level === "root" && !saysNamesOnly(metadata)) {
      const detail =
        "must not specify anything other than name and generateName, but metadata is implicitly specified";
      errors.push(forbiddenValue(field, detail));
    }
  }
  if (embedded && schema[PRESERVE] !== true && Object.keys(properties).length === 0) {
    const detail = `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`;
    errors.push(requiredValue(`${path}.properties`, detail));
  }
  return errors;
}

function saysNamesOnly(metadata: JsonObject): boolean {
  const { properties = {} } = metadata;
  return (
    Object.keys(metadata).every((keyword) =>
      ["type", "description", "default", "properties"].includes(keyword),
    ) &&
    isJsonObject(properties) &&
    Object.keys(properties).every((name) => name === "name" || name === "generateName")
  );
}

const EITHER: Json = [{ type: "integer" }, { type: "string" }];

/** The two forms in which an int-or-string may name its types inside a choice. */
const isEither = (value: Json | undefined): boolean => jsonEqual(value, EITHER);

function valueFaults(
  schema: JsonObject,
  path: string,
  level: Level,
  either = isEither(schema.anyOf),
): FieldError[] {
  const [first] = subschemasAt(schema, "allOf", path);
  const errors = [
    ...(either ? [] : subschemasAt(schema, "anyOf", path)),
    ...subschemasAt(schema, "oneOf", path),
    ...subschemaAt(schema, "not", path),
  ].flatMap((inside) => nestedFaults(inside, level, false));
  for (const inside of subschemasAt(schema, "allOf", path)) {
    const allowed = inside.path === first?.path && isEither(inside.schema.anyOf);
    errors.push(...nestedFaults(inside, level, allowed));
  }
  if (typeof schema.pattern === "string" && schema.pattern !== "") {
    const compiled = compilePattern(schema.pattern);
    if ("fault" in compiled) {
      const detail = `must be a valid regular expression, but isn't: ${compiled.fault}`;
      errors.push(invalid(`${path}.pattern`, schema.pattern, detail));
    }
  }
  return errors;
}

/** What a schema inside `allOf` and the like must not say, and how upstream words it. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["externalDocs", "must be undefined to be structural"],
  [PRESERVE, "must be false to be structural"],
  [EMBEDDED, "must be false to be structural"],
  [INT_OR_STRING, "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

const isSaid = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && value !== "" && value !== false && !jsonEqual(value, []);

function nestedFaults({ schema, path }: Subschema, level: Level, either: boolean): FieldError[] {
  const properties = propertiesOf(schema, path);
  return [
    ...valueFaults(schema, path, level, either),
    ...subschemaAt(schema, "items", path).flatMap((inside) => nestedFaults(inside, level, false)),
    ...properties.flatMap((inside) => nestedFaults(inside, "field", false)),
    ...FORBIDDEN.filter(([keyword]) => isSaid(schema[keyword])).map(([keyword, detail]) =>
      forbiddenValue(`${path}.${keyword}`, detail),
    ),
    ...(properties.some(({ name }) => name === "metadata")
      ? [forbiddenValue(`${path}.properties[metadata]`, "must not be specified in a nested context")]
      : []),
  ];
}

/** @param said the schema, or one of those inside its choices; @param known what is specified for the same value */
function completenessFaults(
  said: JsonObject,
  known: JsonObject,
  knownPath: string,
  saidPath: string,
): FieldError[] {
  return furtherOf(said, saidPath).flatMap((inside) => nestedCompleteness(inside, known, knownPath));
}

function nestedCompleteness(
  { schema, path }: Subschema,
  known: JsonObject | undefined,
  knownPath: string,
): FieldError[] {
  if (known === undefined) return [requiredValue(knownPath, `because it is defined in ${path}`)];
  const properties = isJsonObject(known.properties) ? known.properties : {};
  return [
    ...completenessFaults(schema, known, knownPath, path),
    ...subschemaAt(schema, "items", path).flatMap((inside) =>
      nestedCompleteness(inside, isJsonObject(known.items) ? known.items : undefined, `${knownPath}.items`),
    ),
    ...propertiesOf(schema, path).flatMap((inside) => {
      const property = Object.hasOwn(properties, inside.name) ? properties[inside.name] : undefined;
      return nestedCompleteness(
        inside,
        isJsonObject(property) ? property : undefined,
        `${knownPath}.properties[${inside.name}]`,
      );
    }),
  ];
}
