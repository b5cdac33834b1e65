import type { JsonObject } from "../objects/json.ts";
import type { Kind } from "../objects/kind.ts";
import { customSchema } from "../objects/kinds/custom-resource.ts";
import { plainText } from "./answer.ts";
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  discoveryContentType,
  discoveryForm,
} from "./discovery.ts";
import { contentHash, type OpenapiDocument, openapiV3, openapiV3Index } from "./openapi.ts";
import { openapiV2 } from "./openapi-v2.ts";
import type { Served } from "./served-kinds.ts";

/**
 * The documents that say what a cluster serves: discovery and OpenAPI. Undefined when the path names none of
 * them. `segments` are those after the cluster's own path.
 */
export function answerDocument(
  segments: readonly string[],
  served: Served,
  request: Request,
): Response | undefined {
  const [root, first, second, third] = segments;
  const { kinds } = served;
  const accept = request.headers.get("accept");
  switch (root) {
    case "api":
      if (segments.length === 1) return discovery("api", served, request);
      return segments.length === 2 && first ? resources(apiResourceList(kinds, "", first)) : undefined;
    case "apis":
      if (segments.length === 1) return discovery("apis", served, request);
      if (segments.length === 2 && first) return resources(apiGroup(kinds, first));
      return segments.length === 3 && first && second
        ? resources(apiResourceList(kinds, first, second))
        : undefined;
    case "openapi": {
      const schemaOf = (kind: Kind, version: string): JsonObject | undefined => {
        const definition = served.definitions.get(kind.storedAs);
        return definition && customSchema(definition, version);
      };
      if (first === "v2" && segments.length === 2)
        return document(openapiV2(kinds, accept, schemaOf), request);
      if (first !== "v3") return undefined;
      if (segments.length === 2) return document(openapiV3Index(kinds, schemaOf), request);
      const found =
        second === "api" && third
          ? openapiV3(kinds, "", third, schemaOf)
          : second === "apis" && third && segments[4]
            ? openapiV3(kinds, third, segments[4], schemaOf)
            : undefined;
      return found ? document(found, request) : notFound();
    }
    default:
      return undefined;
  }
}

function discovery(root: "api" | "apis", { kinds }: Served, request: Request): Response {
  const form = discoveryForm(request.headers.get("accept"));
  const body =
    form !== "plain"
      ? aggregatedDiscovery(kinds, root, form)
      : root === "api"
        ? apiVersions(kinds, new URL(request.url).host)
        : apiGroupList(kinds);
  return new Response(JSON.stringify(body), { headers: { "content-type": discoveryContentType(form) } });
}

function resources(body: JsonObject | undefined): Response {
  if (body === undefined) return notFound();
  return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
}

const notFound = (): Response => plainText("404 page not found\n", 404);

const YEAR = 31_536_000;

/** What a client has already is not sent again; what it names by its hash stays the same for ever. */
function document({ body, contentType }: OpenapiDocument, request: Request): Response {
  const hash = contentHash(body);
  const etag = `"${hash}"`;
  const isNamed = new URL(request.url).searchParams.get("hash") === hash;
  const headers = {
    etag,
    vary: "accept",
    "cache-control": isNamed ? `private, max-age=${YEAR}, immutable` : "private, no-cache",
  };
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  return new Response(body as BodyInit, { headers: { ...headers, "content-type": contentType } });
}
