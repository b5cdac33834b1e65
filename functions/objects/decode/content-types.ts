import { apiVersion } from "../kind.ts";
import { goTypeOf } from "../protobuf/go-types.ts";
import { type Field, findMessage, type Message, messageOfKind } from "../protobuf/messages.ts";
import { type ExpectedKind, objectType } from "./object-types.ts";

/** What a value in an object of a built-in kind has to be. `go` is the type as Go prints it: `[]v1.Container`. */
export type ContentType =
  | { readonly is: ScalarType; readonly go: string }
  | { readonly is: "list" | "map"; readonly go: string; readonly of: ContentType }
  | ContentStructure
  /** Of several forms; `others` is what it says to a value that has none of them. */
  | {
      readonly is: "oneOf";
      readonly go: string;
      readonly forms: readonly ContentType[];
      readonly others: string | undefined;
    };

type ScalarType =
  | "string"
  | "bool"
  | "int32"
  | "int64"
  | "double"
  | "bytes"
  | "time"
  | "microTime"
  | "quantity"
  | "intOrString"
  | "anything";

export interface ContentStructure {
  readonly is: "structure";
  readonly go: string;
  /** Made when they are first asked for: of a Pod's hundreds of fields a request has few. */
  readonly fields: () => ReadonlyMap<string, ContentType>;
}

/** By their names in the message tables. */
const SCALARS: Readonly<Record<string, ContentType>> = {
  string: { is: "string", go: "string" },
  bytes: { is: "bytes", go: "[]uint8" },
  int32: { is: "int32", go: "int32" },
  int64: { is: "int64", go: "int64" },
  bool: { is: "bool", go: "bool" },
  double: { is: "double", go: "float64" },
  Time: { is: "time", go: "v1.Time" },
  MicroTime: { is: "microTime", go: "v1.MicroTime" },
  Quantity: { is: "quantity", go: "resource.Quantity" },
  IntOrString: { is: "intOrString", go: "intstr.IntOrString" },
  json: { is: "anything", go: "v1.JSON" },
};

/** Types of several forms that refuse any other. The rest reads it as nothing. */
const REFUSES_OTHERS: Readonly<Record<string, string>> = {
  JSONSchemaPropsOrBool: "boolean or JSON schema expected",
};

const kinds = new Map<string, ContentStructure>();
const structures = new Map<Message, ContentStructure>();

/**
 * The fields of a built-in kind, by the tables of its protobuf messages, but for those that `objectType` reads; undefined
 * where there is no table.
 */
export function contentType(expected: ExpectedKind): ContentStructure | undefined {
  if (expected.custom) return undefined;
  const version = apiVersion(expected.group, expected.version);
  const key = `${version} ${expected.kind}`;
  const known = kinds.get(key);
  if (known !== undefined) return known;
  const message = messageOfKind(version, expected.kind);
  if (message === undefined) return undefined;
  const readBefore = objectType(expected).fields;
  const content = structure(`${packageOf(version)}.${expected.kind}`, () => {
    const fields = fieldsOf(message, version, expected.kind);
    return fields.filter(([name]) => !readBefore.has(name));
  });
  kinds.set(key, content);
  return content;
}

function structureOf(message: Message, version: string, name: string): ContentStructure {
  const known = structures.get(message);
  if (known !== undefined) return known;
  const made = structure(`${packageOf(version)}.${name}`, () => fieldsOf(message, version, name));
  structures.set(message, made);
  return made;
}

type NamedType = readonly [name: string, type: ContentType];

function structure(go: string, read: () => readonly NamedType[]): ContentStructure {
  let fields: ReadonlyMap<string, ContentType> | undefined;
  return {
    is: "structure",
    go,
    fields: () => {
      fields ??= new Map(read());
      return fields;
    },
  };
}

const fieldsOf = (message: Message, version: string, name: string): NamedType[] =>
  [...message.fields.values()].flatMap((field) =>
    field.shape === "inline"
      ? fieldsOf(messageOf(field), field.apiVersion, field.type)
      : [[field.name, typeOf(field, goTypeOf(version, name, field.name))] as const],
  );

function typeOf(field: Field, named?: string): ContentType {
  switch (field.shape) {
    case "list": {
      const of = itemType(field, named?.startsWith("[]") ? named.slice("[]".length) : undefined);
      return { is: "list", of, go: named ?? `[]${of.go}` };
    }
    case "map": {
      const of = itemType(field, /^map\[[^\]]*\](.*)$/.exec(named ?? "")?.[1]);
      return { is: "map", of, go: named ?? `map[string]${of.go}` };
    }
    default:
      return itemType(field, named);
  }
}

function itemType(field: Field, named: string | undefined): ContentType {
  const scalar = SCALARS[field.type];
  if (scalar !== undefined) return named === undefined ? scalar : { ...scalar, go: named };
  const message = messageOf(field);
  if (message.standIn === undefined) return structureOf(message, field.apiVersion, field.type);
  const go = `${packageOf(field.apiVersion)}.${field.type}`;
  const forms = [...message.fields.values()].map((form) => typeOf(form));
  const [first] = forms;
  // Of one form only it is no more than another name for it.
  if (first !== undefined && forms.length === 1) return { ...first, go };
  return { is: "oneOf", go, forms, others: REFUSES_OTHERS[field.type] };
}

function messageOf({ apiVersion: version, type }: Field): Message {
  const message = findMessage(version, type);
  if (message === undefined) throw new Error(`no message ${type} in ${version}`);
  return message;
}

/** `v1` of `apps/v1`. */
const packageOf = (version: string): string => version.slice(version.indexOf("/") + 1);
