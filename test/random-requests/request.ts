import { gzipSync } from "node:zlib";
import { stringify } from "yaml";
import type { Acquaintances } from "./acquaintances.ts";
import { deleteOptions, knownObject, subresourceBody, validObject } from "./bodies.ts";
import type { Dice } from "./dice.ts";
import { patchOf } from "./patches.ts";
import { OTHER_PATHS, type Place, type Places, pathOf, subresourceOf } from "./places.ts";
import { queryOf, queryText } from "./query.ts";
import { protobufLike, spoiledText, spoiledValue } from "./spoiled.ts";

export interface RandomRequest {
  method: string;
  /** After the cluster's own path; ASCII, but not always a path of anything. */
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

const ACCEPTED = [
  "application/json",
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
  "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
  "application/json;as=Nope;v=v1;g=meta.k8s.io",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/vnd.kubernetes.protobuf, application/json;q=0.5",
  "application/json;stream=watch",
  "application/json;q=0.1, application/yaml;q=0.9",
  "application/json;q=0",
  "text/html, */*;q=0.8",
  "text/plain",
  "",
  ";;;",
  "*/",
  "application/json;as=Table",
  "application/json;q=x",
  `${"a/b,".repeat(200)}*/*`,
  "application/apidiscovery.k8s.io.v2+json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io",
];

const OTHER_TYPES = [
  "application/json; charset=utf-8",
  "APPLICATION/JSON",
  "text/plain",
  "",
  ";",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "application/json-patch+json",
  "application/apply-patch+yaml",
  "application/cbor",
  "application/merge-patch+json;x=y",
];

const ODD_HEADERS: readonly [string, string][] = [
  ["impersonate-user", "somebody"],
  ["impersonate-group", "system:masters"],
  ["impersonate-extra-x", "\u00ff"],
  ["user-agent", "x".repeat(500)],
  ["user-agent", "\u00e9 agent/1 (é)"],
  ["if-none-match", "*"],
  ["range", "bytes=0-1"],
  ["expect", "nothing"],
  ["x-http-method-override", "DELETE"],
  ["kubectl-command", "kubectl delete"],
  ["audit-id", "../x"],
  ["origin", "https://example.com"],
  ["accept-encoding", "gzip, br;q=0, *"],
  ["te", "trailers"],
  ["cookie", "a=b; __proto__=c"],
];

const METHODS = [
  [22, "POST"],
  [12, "PUT"],
  [24, "PATCH"],
  [16, "DELETE"],
  [22, "GET"],
  [2, "HEAD"],
  [1, "OPTIONS"],
  [0.3, "TRACE"],
  [0.3, "PROPFIND"],
  [0.3, "PURGE"],
  [0.1, "QUERY"],
] as const;

export function randomRequest(dice: Dice, places: Places, known: Acquaintances): RandomRequest {
  const method = dice.weighted(METHODS);
  const place = placeFor(dice, method, places, known);
  const path = dice.percent(2) ? dice.one(OTHER_PATHS) : pathOf(dice, place, method === "POST");
  const { contentType, body } = bodyFor(dice, method, place, places, known);
  const headers: Record<string, string> = {};
  if (contentType !== undefined)
    headers["content-type"] = dice.percent(3) ? dice.one(OTHER_TYPES) : contentType;
  if (dice.percent(12)) headers.accept = dice.one(ACCEPTED);
  if (dice.percent(6)) {
    const [name, value] = dice.one(ODD_HEADERS);
    headers[name] = Buffer.from(value).toString("latin1");
  }
  const joined = path.includes("?") ? path : path + queryText(dice, queryOf(dice, method, known));
  return { method, path: joined, headers, body: dice.percent(2) ? packed(dice, body, headers) : body };
}

/** Many requests are about an object that is there, or was a moment ago; most name one where their method wants one. */
function placeFor(dice: Dice, method: string, places: Places, known: Acquaintances): Place {
  if (method === "POST") {
    const place = places.place(dice, { name: true });
    return place.subresource === undefined || dice.percent(50)
      ? place
      : { ...place, kind: places.kind(dice) };
  }
  const found = dice.percent(60) ? known.one(dice) : undefined;
  const place = found && places.placeOf(found);
  if (place && (method !== "DELETE" || place.kind.kind !== "Namespace" || dice.percent(25))) {
    return { ...place, subresource: dice.percent(8) ? subresourceOf(dice, place.kind) : undefined };
  }
  if (method === "PUT" || method === "PATCH") return places.place(dice, { name: dice.percent(98) });
  return places.place(dice, method === "DELETE" ? { name: dice.percent(94) } : undefined);
}

function bodyFor(
  dice: Dice,
  method: string,
  place: Place,
  places: Places,
  known: Acquaintances,
): { contentType: string | undefined; body: string | Buffer | undefined } {
  if (method === "PATCH") {
    const { contentType, body } = patchOf(dice, place, known);
    if (dice.percent(8)) return { contentType, body: spoiledText(dice, body) };
    if (dice.percent(10) && body.startsWith("{")) {
      return { contentType, body: JSON.stringify(spoiledValue(dice, JSON.parse(body))) };
    }
    return { contentType, body };
  }
  const value = valueFor(dice, method, place, places, known);
  if (value === undefined) return { contentType: undefined, body: undefined };
  if (dice.percent(2)) {
    const body = protobufLike(dice, place.kind.apiVersion, place.kind.kind);
    return { contentType: "application/vnd.kubernetes.protobuf", body };
  }
  const meant = dice.percent(18) ? spoiledValue(dice, value) : value;
  if (dice.percent(8)) {
    const text = yamlText(meant);
    return { contentType: "application/yaml", body: dice.percent(20) ? spoiledText(dice, text) : text };
  }
  const text = JSON.stringify(meant);
  return { contentType: "application/json", body: dice.percent(8) ? spoiledText(dice, text) : text };
}

/** JSON is YAML as well, and what is nested too deeply for the library goes as it is. */
function yamlText(value: unknown): string {
  try {
    return stringify(value);
  } catch {
    return JSON.stringify(value);
  }
}

function valueFor(dice: Dice, method: string, place: Place, places: Places, known: Acquaintances): unknown {
  switch (method) {
    case "POST":
      return place.subresource === undefined
        ? validObject(dice, place, known)
        : subresourceBody(dice, place, places, known);
    case "PUT":
      return place.subresource === undefined
        ? knownObject(dice, place, known)
        : subresourceBody(dice, place, places, known);
    case "DELETE":
      return deleteOptions(dice, known);
    default:
      return dice.percent(1) ? { any: "thing" } : undefined;
  }
}

/** Compressed, or said to be. */
function packed(dice: Dice, body: string | Buffer | undefined, headers: Record<string, string>) {
  if (body === undefined) return body;
  headers["content-encoding"] = dice.one(["gzip", "gzip", "gzip", "br", "deflate", "nope"]);
  const zipped = gzipSync(body);
  return dice.percent(60) ? zipped : dice.percent(50) ? zipped.subarray(0, -5) : body;
}
