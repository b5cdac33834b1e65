import { MAX_NESTING } from "../decode/body.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { type Field, findMessage, type Message } from "./messages.ts";
import { readText, scalars, valueMessages } from "./value-messages.ts";
import { BYTES, type WireField, WireReader } from "./wire.ts";

/** Levels of messages in messages. A level is two of JSON at most: a map or a list, and the object in it. */
const MAX_LEVELS = MAX_NESTING / 2;

/** What a value takes beside its name and its characters, about. */
const VALUE_COST = 8;

const NOTHING: Uint8Array = new Uint8Array();

/**
 * Reads a message as the JSON that Go makes of it, but for what is empty there: null, `{}` of a struct that was not
 * given, and lists without an item, which the wire does not know. Fields that the tables do not know are passed over,
 * as upstream does it. Of a field that comes twice, the last one counts.
 *
 * It never throws: a fault, or a budget that is used up, ends the reading, and what was read is of no worth then.
 */
export class MessageDecoder {
  /** What is wrong with the bytes, in the words of the decoders that gogo/protobuf generates. */
  fault: string | undefined;
  /** Characters of JSON that may still be made, about. */
  #budget: number;

  constructor(budget: number) {
    this.#budget = budget;
  }

  get exhausted(): boolean {
    return this.#budget < 0;
  }

  /** Nothing for a message that another value stands for, when that is not there. */
  decode(bytes: Uint8Array, message: Message, level = 0): Json | undefined {
    if (level > MAX_LEVELS) return this.#stop("exceeded max depth");
    const object: JsonObject = {};
    const reader = new WireReader(bytes);
    for (let wire = reader.next(); wire !== undefined && !this.#stopped; wire = reader.next()) {
      const field = message.fields.get(wire.number);
      if (field !== undefined) this.#put(object, field, wire, level);
    }
    this.fault ??= reader.fault;
    return message.standIn === undefined ? object : object[message.standIn];
  }

  get #stopped(): boolean {
    return this.fault !== undefined || this.exhausted;
  }

  #put(object: JsonObject, field: Field, wire: WireField, level: number): void {
    this.#budget -= field.name.length + VALUE_COST;
    switch (field.shape) {
      case "single": {
        const value = this.#value(field, wire, level);
        if (value === undefined || (isEmpty(value) && !field.kept)) delete object[field.name];
        else object[field.name] = value;
        return;
      }
      case "inline":
        Object.assign(object, this.#value(field, wire, level));
        return;
      case "list": {
        const list = object[field.name];
        const items = Array.isArray(list) ? list : [];
        object[field.name] = items;
        if (wire.type === BYTES && PACKED.has(field.type)) this.#unpack(items, field, wire.bytes, level);
        else items.push(this.#value(field, wire, level) ?? null);
        return;
      }
      case "map": {
        const map = object[field.name];
        const entries = isJsonObject(map) ? map : {};
        object[field.name] = entries;
        if (wire.type === BYTES) this.#putEntry(entries, field, wire.bytes, level);
        else this.#stop(wrongType(field, wire));
      }
    }
  }

  #unpack(items: Json[], field: Field, bytes: Uint8Array, level: number): void {
    const reader = new WireReader(bytes);
    for (const varint of reader.varints()) {
      if (this.#stopped) return;
      this.#budget -= VALUE_COST;
      items.push(this.#value(field, { number: 0, type: 0, ...varint }, level) ?? null);
    }
    this.fault ??= reader.fault;
  }

  #putEntry(map: JsonObject, field: Field, bytes: Uint8Array, level: number): void {
    const reader = new WireReader(bytes);
    let key = "";
    let wire: WireField = { number: 2, type: BYTES, bytes: NOTHING };
    for (let part = reader.next(); part !== undefined; part = reader.next()) {
      if (part.number === 1 && part.type === BYTES) key = readText(part.bytes);
      if (part.number === 2) wire = part;
    }
    this.fault ??= reader.fault;
    this.#budget -= key.length;
    const value = this.#value(field, wire, level) ?? null;
    // An assignment would lose a key `__proto__`; so it is seen, and refused, where the object is checked.
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  }

  #value(field: Field, wire: WireField, level: number): Json | undefined {
    const scalar = scalars[field.type];
    if (scalar !== undefined) {
      const value = scalar(wire);
      if (value === undefined) return this.#stop(wrongType(field, wire));
      if (typeof value === "string") this.#budget -= value.length;
      return value;
    }
    if (wire.type !== BYTES) return this.#stop(wrongType(field, wire));
    const valueMessage = valueMessages[field.type];
    if (valueMessage !== undefined) {
      this.#budget -= wire.bytes.length;
      const reading = valueMessage(wire.bytes);
      return "fault" in reading ? this.#stop(reading.fault) : reading.value;
    }
    const message = findMessage(field.apiVersion, field.type);
    if (message === undefined) throw new Error(`no message ${field.type} in ${field.apiVersion}`);
    return this.decode(wire.bytes, message, level + 1);
  }

  #stop(fault: string): undefined {
    this.fault ??= fault;
  }
}

/** Scalars of which a list may be sent as one run of bytes. */
const PACKED: ReadonlySet<string> = new Set(["int32", "int64", "bool"]);

const wrongType = (field: Field, wire: WireField): string =>
  `proto: wrong wireType = ${wire.type} for field ${field.name}`;

function isEmpty(value: Json): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return !value;
}
