import { type Outcome, ok, refuse } from "../../objects/failure.ts";
import type { MetaVersion } from "./partial.ts";

export type Representation = "object" | "table" | "partial";

/** The form an answer takes. */
export interface Negotiated {
  readonly as: Representation;
  /** The version of `meta.k8s.io` that a Table or PartialObjectMetadata comes in. */
  readonly version: MetaVersion;
  /** Of `partial`: the form for lists was asked for. Upstream refuses it for a single object, and the other way round. */
  readonly list: boolean;
  readonly mediaType: "json" | "yaml";
  /** `pretty=1`: indented JSON. */
  readonly pretty: boolean;
}

/** In the order of preference when a request leaves the choice. */
const accepted = ["application/json", "application/yaml"] as const;

/**
 * The form of an answer, from the request's `Accept` header. Clauses are tried by quality, a named type before a wildcard, then
 * in the order they were written; the first that can be served wins, so that clients list what they hope for first:
 * `application/json;as=Table;v=v1;g=meta.k8s.io,application/json`. Without a header: JSON objects.
 *
 * As upstream's `negotiation.NegotiateMediaTypeOptions` with what the API server's endpoints allow; protobuf is not served.
 *
 * @returns NotAcceptable when no clause can be served.
 */
export function negotiate(accept: string | undefined): Outcome<Negotiated> {
  if (accept === undefined || accept === "") return ok(plain("json"));
  for (const clause of clausesOf(accept)) {
    for (const mediaType of accepted) {
      const negotiated = covers(clause, mediaType) ? formOf(clause, mediaType) : undefined;
      if (negotiated !== undefined) return ok(negotiated);
    }
  }
  return refuse({ reason: "NotAcceptable", accepted });
}

export type IncludeObject = "None" | "Metadata" | "Object";

/**
 * What a Table's rows carry beside their cells, from the query parameter `includeObject`; its absence means the metadata.
 *
 * @returns BadRequest for any other value.
 */
export function parseIncludeObject(parameter: string | undefined): Outcome<IncludeObject> {
  switch (parameter) {
    case undefined:
    case "":
      return ok("Metadata");
    case "None":
    case "Metadata":
    case "Object":
      return ok(parameter);
    default:
      return refuse({
        reason: "BadRequest",
        message: `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(parameter)}: must be 'Metadata', 'Object', 'None', or empty`,
      });
  }
}

const plain = (mediaType: Negotiated["mediaType"], pretty = false): Negotiated => ({
  as: "object",
  version: "v1",
  list: false,
  mediaType,
  pretty,
});

interface Clause {
  type: string;
  subtype: string;
  quality: number;
  parameters: ReadonlyMap<string, string>;
}

function clausesOf(accept: string): Clause[] {
  const clauses: Clause[] = [];
  for (const text of accept.split(",")) {
    const [range = "", ...parts] = text.split(";");
    const [type, subtype, ...rest] = (range.trim() === "*" ? "*/*" : range.trim().toLowerCase()).split("/");
    if (!type || !subtype || rest.length > 0) continue;
    const parameters = new Map<string, string>();
    for (const part of parts) {
      const equals = part.indexOf("=");
      if (equals > 0) parameters.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
    }
    const quality = Number(parameters.get("q") ?? "1");
    parameters.delete("q");
    clauses.push({ type, subtype, quality: Number.isNaN(quality) ? 1 : quality, parameters });
  }
  return clauses.sort((a, b) => b.quality - a.quality || wildcards(a) - wildcards(b));
}

const wildcards = (clause: Clause): number => (clause.type === "*" ? 2 : clause.subtype === "*" ? 1 : 0);

function covers(clause: Clause, mediaType: (typeof accepted)[number]): boolean {
  const range = `${clause.type}/${clause.subtype}`;
  return range === mediaType || range === "application/*" || range === "*/*";
}

function formOf(clause: Clause, accepted: string): Negotiated | undefined {
  const { parameters } = clause;
  const mediaType = accepted === "application/yaml" ? "yaml" : "json";
  const stream = parameters.get("stream") ?? "";
  if (stream !== "" && (stream !== "watch" || mediaType === "yaml")) return undefined;

  const form = plain(mediaType, parameters.get("pretty") === "1");
  if (!parameters.has("as") && !parameters.has("g") && !parameters.has("v")) return form;
  const version = parameters.get("v");
  if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  switch (parameters.get("as")) {
    case "Table":
      return { ...form, as: "table", version };
    case "PartialObjectMetadata":
      return { ...form, as: "partial", version };
    case "PartialObjectMetadataList":
      return { ...form, as: "partial", version, list: true };
    default:
      return undefined;
  }
}
