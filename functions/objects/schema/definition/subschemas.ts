import { isJsonObject, type Json, type JsonObject } from "../../json.ts";

/** A schema inside a schema, and where it stands. */
export interface Subschema {
  schema: JsonObject;
  path: string;
}

export function propertiesOf(schema: JsonObject, path: string): (Subschema & { name: string })[] {
  return Object.entries(isJsonObject(schema.properties) ? schema.properties : {}).flatMap(
    ([name, property]) =>
      isJsonObject(property) ? [{ name, schema: property, path: `${path}.properties[${name}]` }] : [],
  );
}

/** The one at a keyword such as `items` or `not`. */
export function subschemaAt(schema: JsonObject, keyword: string, path: string): Subschema[] {
  const inside = schema[keyword];
  return isJsonObject(inside) ? [{ schema: inside, path: `${path}.${keyword}` }] : [];
}

/** Those in the list at a keyword such as `allOf`. */
export function subschemasAt(schema: JsonObject, keyword: string, path: string): Subschema[] {
  const list: Json[] = Array.isArray(schema[keyword]) ? schema[keyword] : [];
  return list.flatMap((inside, i) =>
    isJsonObject(inside) ? [{ schema: inside, path: `${path}.${keyword}[${i}]` }] : [],
  );
}

/** Those that say more about the same value: `allOf`, `anyOf`, `oneOf`, `not`. */
export function furtherOf(schema: JsonObject, path: string): Subschema[] {
  return [
    ...subschemaAt(schema, "not", path),
    ...["allOf", "anyOf", "oneOf"].flatMap((keyword) => subschemasAt(schema, keyword, path)),
  ];
}

/** A schema and all those inside it. */
export function* allSchemas(schema: JsonObject, path = ""): Generator<Subschema> {
  const open: Subschema[] = [{ schema, path }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    open.push(
      ...propertiesOf(next.schema, next.path),
      ...subschemaAt(next.schema, "items", next.path),
      ...subschemaAt(next.schema, "additionalProperties", next.path),
      ...furtherOf(next.schema, next.path),
    );
  }
}
