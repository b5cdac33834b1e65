import type { JsonObject } from "../json.ts";
import { apiVersion, type Kind } from "../kind.ts";
import { builtInKinds } from "../kinds/built-in.ts";
import { asJson, asObject, type KubeObject, type Millis } from "../object.ts";
import { type Applied, applyConfiguration } from "./apply.ts";
import { trackCreate, trackUpdate, type Writer, withManagedFields } from "./track.ts";

export const START: Millis = Date.UTC(2026, 10, 20, 16, 20, 0);

export function kindNamed(name: string): Kind {
  const kind = builtInKinds.find(({ kind: candidate }) => candidate === name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind;
}

/** One owner as tests name it: `kubectl`, `kubectl (Update)`, `kubectl (Update of scale)`. */
export type Owners = Record<string, JsonObject>;

/** An object under the hands of several writers. Each write takes place a second after the one before. */
export class History {
  readonly #kind: Kind;
  readonly #schema: JsonObject | undefined;
  object: KubeObject | undefined;
  #now = START;

  constructor(kind: Kind, schema?: JsonObject) {
    this.#kind = kind;
    this.#schema = schema;
  }

  #writer(manager: string, subresource: Writer["subresource"]): Writer {
    this.#now += 1000;
    return { manager, kind: this.#kind, subresource, schema: this.#schema, now: this.#now };
  }

  #whole(fields: JsonObject): JsonObject {
    const { metadata, ...rest } = fields;
    return {
      apiVersion: apiVersion(this.#kind.group, this.#kind.versions[0] ?? "v1"),
      kind: this.#kind.kind,
      metadata: { name: "x", ...(metadata as JsonObject | undefined) },
      ...rest,
    };
  }

  /** A create, or an update to exactly these fields. */
  write(manager: string, fields: JsonObject, subresource?: Writer["subresource"]): this {
    const { metadata, ...sent } = asObject(this.#whole(fields));
    const { managedFields, ...kept } = metadata;
    const next: KubeObject = { ...sent, apiVersion: sent.apiVersion, kind: sent.kind, metadata: kept };
    const writer = this.#writer(manager, subresource);
    this.object =
      this.object === undefined
        ? trackCreate(next, writer)
        : withManagedFields(next, trackUpdate(this.object, next, managedFields, writer));
    return this;
  }

  /** An apply that must succeed. */
  apply(
    manager: string,
    fields: JsonObject,
    options: { force?: boolean; subresource?: Writer["subresource"] } = {},
  ): this {
    const outcome = this.tryApply(manager, fields, options);
    if (typeof outcome === "string") throw new Error(outcome);
    this.object = withManagedFields(asObject(outcome.object), outcome.ownerships);
    return this;
  }

  /** The outcome, or why it was refused. */
  tryApply(
    manager: string,
    fields: JsonObject,
    { force = false, subresource }: { force?: boolean; subresource?: Writer["subresource"] } = {},
  ): Applied | string {
    const writer = this.#writer(manager, subresource);
    const outcome = applyConfiguration(this.object, this.#whole(fields), writer, force);
    if (outcome.ok) return outcome.value;
    return "message" in outcome.failure ? outcome.failure.message : outcome.failure.reason;
  }

  /** The object without what every object has. */
  get fields(): JsonObject {
    if (this.object === undefined) return {};
    const { apiVersion: _, kind: __, metadata, ...rest } = asJson(this.object);
    const { name: ___, managedFields: ____, ...others } = metadata as JsonObject;
    return Object.keys(others).length === 0 ? rest : { ...rest, metadata: others };
  }

  get owners(): Owners {
    const entries = (this.object?.metadata.managedFields ?? []) as JsonObject[];
    return Object.fromEntries(
      entries.map(({ manager, operation, subresource, fieldsV1 }) => {
        const part = subresource === undefined ? "" : ` of ${subresource}`;
        const how = operation === "Apply" ? part && ` (Apply${part})` : ` (Update${part})`;
        return [`${manager}${how}`, fieldsV1 as JsonObject];
      }),
    );
  }
}
