import { builtInShape } from "../objects/apply/built-in-shapes.ts";
import type { FieldShape } from "../objects/apply/field-shape.ts";
import { isJsonObject, type JsonObject } from "../objects/json.ts";
import { apiVersion, type Kind } from "../objects/kind.ts";
import { type MergeRules, mergeRulesOf } from "../objects/patch/merge-keys.ts";
import { type Field, findMessage, type Message, messageOfKind } from "../objects/protobuf/messages.ts";

/** Schemas by name. References among them lead to `#/components/schemas/`. */
export type Schemas = Map<string, JsonObject>;

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";

export const schemaReference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** `io.k8s.api.apps.v1.DeploymentSpec`; `io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector`. */
export function typeName(groupVersion: string, name: string): string {
  if (groupVersion.startsWith("meta.k8s.io/")) return `${META}.${name}`;
  const [group, version] = groupVersion.includes("/") ? groupVersion.split("/") : ["core", groupVersion];
  return `io.k8s.api.${group?.split(".")[0]}.${version}.${name}`;
}

/** Types that JSON shows as one value. */
const VALUES: Readonly<Record<string, JsonObject>> = {
  string: { type: "string" },
  bytes: { type: "string", format: "byte" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  bool: { type: "boolean" },
  double: { type: "number", format: "double" },
  Time: { type: "string", format: "date-time" },
  MicroTime: { type: "string", format: "date-time" },
  Quantity: schemaReference(QUANTITY),
  IntOrString: schemaReference(INT_OR_STRING),
};

/** Not an empty schema, which kubectl's templates take for none. */
const ANYTHING: JsonObject = { description: "Any value." };

/** What `VALUES` refers to. */
const SHARED: readonly (readonly [string, JsonObject])[] = [
  [QUANTITY, { type: "string", description: "An amount, such as 500m or 1Gi." }],
  [
    INT_OR_STRING,
    { type: "string", format: "int-or-string", description: "A number, or a string such as a percentage." },
  ],
];

/**
 * The fields of a built-in kind besides `apiVersion` and `kind`, with the types that its protobuf message has; undefined
 * when there is no message. The types below it are put into `into`; a name that is in it already is left as it is.
 * Lists say by which key their items merge, so that a client that computes its patch from here does it as the server.
 */
export function builtInProperties(kind: Kind, version: string, into: Schemas): JsonObject | undefined {
  const message = messageOfKind(apiVersion(kind.group, version), kind.kind);
  if (message === undefined) return undefined;
  const types = new Types(into);
  const properties = types.properties(message);
  types.noteMerges(properties, message, mergeRulesOf(kind.kind));
  types.noteShapes(properties, message, builtInShape(kind).fields);
  return properties;
}

class Types {
  readonly #schemas: Schemas;

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
    for (const [name, schema] of SHARED) schemas.set(name, schema);
  }

  properties(message: Message): JsonObject {
    const properties: JsonObject = {};
    for (const field of message.fields.values()) {
      const schema = this.#ofField(field);
      if (schema === undefined) Object.assign(properties, this.properties(messageOf(field)));
      else properties[field.name] = schema;
    }
    return properties;
  }

  /** Undefined for one whose fields are those of the message around it. */
  #ofField(field: Field): JsonObject | undefined {
    switch (field.shape) {
      case "inline":
        return undefined;
      case "list":
        return { type: "array", items: this.#ofType(field) };
      case "map":
        return { type: "object", additionalProperties: this.#ofType(field) };
      case "single": {
        const schema = this.#ofType(field);
        if (RETAINS_KEYS.has(field.type)) note(schema, { "x-kubernetes-patch-strategy": "retainKeys" });
        return schema;
      }
    }
  }

  #ofType(field: Field): JsonObject {
    const value = VALUES[field.type];
    if (value !== undefined) return { ...value };
    // In definitions of kinds it is any value, elsewhere an object.
    if (field.type === "json") {
      return field.apiVersion.startsWith("apiextensions") ? { ...ANYTHING } : { type: "object" };
    }
    const message = messageOf(field);
    if (message.standIn !== undefined) return { ...ANYTHING };
    const name = typeName(field.apiVersion, field.type);
    if (!this.#schemas.has(name)) {
      const properties: JsonObject = {};
      // Before its fields are looked at: some types hold themselves.
      this.#schemas.set(name, { type: "object", properties });
      Object.assign(properties, this.properties(message));
    }
    return schemaReference(name);
  }

  noteMerges(properties: JsonObject, message: Message, rules: MergeRules): void {
    for (const [name, rule] of Object.entries(rules)) {
      const property = properties[name];
      const field = fieldNamed(message, name);
      if (field === undefined || !isJsonObject(property)) continue;
      if (rule.merge === "set" || rule.merge === "items") {
        const keeps = RETAINS_KEYS.has(field.type);
        note(property, { "x-kubernetes-patch-strategy": keeps ? "merge,retainKeys" : "merge" });
      }
      if (rule.merge === "items") note(property, { "x-kubernetes-patch-merge-key": rule.key });
      if (rule.merge === "never") note(property, { "x-kubernetes-patch-strategy": "replace" });
      if (rule.merge === "items" || rule.merge === "object") {
        this.#below(field, (inner, type) => this.noteMerges(inner, type, rule.fields));
      }
    }
  }

  noteShapes(properties: JsonObject, message: Message, shapes: ReadonlyMap<string, FieldShape>): void {
    for (const [name, shape] of shapes) {
      const property = properties[name];
      const field = fieldNamed(message, name);
      if (field === undefined || !isJsonObject(property)) continue;
      if (shape.is === "set") note(property, { "x-kubernetes-list-type": "set" });
      if (shape.is === "items") {
        note(property, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [...shape.keys] });
      }
      const below = shape.is === "items" ? shape.item : shape;
      if (below.is === "object") {
        this.#below(field, (inner, type) => this.noteShapes(inner, type, below.fields));
      }
    }
  }

  #below(field: Field, look: (properties: JsonObject, message: Message) => void): void {
    const message = findMessage(field.apiVersion, field.type);
    const schema = this.#schemas.get(typeName(field.apiVersion, field.type));
    if (message !== undefined && isJsonObject(schema?.properties)) look(schema.properties, message);
  }
}

/** Types whose values give up what a patch does not name. Source: `patchStrategy` of Kubernetes' API types. */
const RETAINS_KEYS: ReadonlySet<string> = new Set(["DeploymentStrategy", "Volume"]);

/** Says more about a field. Nothing may stand beside a reference, so that goes into an `allOf`. */
function note(schema: JsonObject, extensions: JsonObject): void {
  if (schema.$ref !== undefined) {
    schema.allOf = [{ $ref: schema.$ref }];
    delete schema.$ref;
  }
  Object.assign(schema, extensions);
}

function fieldNamed(message: Message, name: string): Field | undefined {
  for (const field of message.fields.values()) {
    const found = field.shape === "inline" ? fieldNamed(messageOf(field), name) : field;
    if (found?.name === name) return found;
  }
  return undefined;
}

function messageOf(field: Field): Message {
  const message = findMessage(field.apiVersion, field.type);
  if (message === undefined) throw new Error(`no message ${field.type} in ${field.apiVersion}`);
  return message;
}
