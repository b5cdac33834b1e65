import { isJsonObject, type Json } from "../objects/json.ts";
import type { Kind } from "../objects/kind.ts";
import { apiVersion } from "../objects/kind.ts";
import type { KubeObject } from "../objects/object.ts";
import { type AnswerOptions, jsonAnswer, refusal, textAnswer } from "./answer.ts";
import type { ResourceRequest } from "./context.ts";
import type { Served } from "./served-kinds.ts";
import type { PrinterColumn } from "./table/custom-columns.ts";
import { parseIncludeObject } from "./table/negotiate.ts";
import { type ListMeta, partialListOf, partialOf } from "./table/partial.ts";
import { tableOf } from "./table/table.ts";

/** One object, as text, in the form that was asked for. */
export function objectAnswer(request: ResourceRequest, body: string, options: AnswerOptions = {}): Response {
  const { negotiated } = request;
  const form = { ...options, mediaType: negotiated.mediaType, pretty: negotiated.pretty };
  switch (negotiated.as) {
    case "object":
      return textAnswer(body, form);
    case "partial":
      return jsonAnswer(partialOf(JSON.parse(body) as KubeObject, negotiated.version), form);
    case "table": {
      const object = JSON.parse(body) as KubeObject;
      return table(request, [object], { resourceVersion: object.metadata.resourceVersion ?? "" }, form);
    }
  }
}

/** A list in the form that was asked for. Plain lists are joined as text. */
export function listAnswer(request: ResourceRequest, items: readonly string[], listMeta: ListMeta): Response {
  const { negotiated, kind, path } = request;
  const form = { mediaType: negotiated.mediaType, pretty: negotiated.pretty };
  switch (negotiated.as) {
    case "object": {
      const head = `{"kind":${JSON.stringify(`${kind.kind}List`)},"apiVersion":${JSON.stringify(apiVersion(kind.group, path.version))}`;
      return textAnswer(`${head},"metadata":${JSON.stringify(listMeta)},"items":[${items.join(",")}]}`, form);
    }
    case "partial":
      return jsonAnswer(partialListOf(parsed(items), listMeta, negotiated.version), form);
    case "table":
      return table(request, parsed(items), listMeta, form);
  }
}

const parsed = (items: readonly string[]): KubeObject[] =>
  items.map((item) => JSON.parse(item) as KubeObject);

function table(
  { kind, served, path, query, context, negotiated }: ResourceRequest,
  objects: readonly KubeObject[],
  listMeta: ListMeta,
  form: AnswerOptions,
): Response {
  const includeObject = parseIncludeObject(query.get("includeObject") ?? undefined);
  if (!includeObject.ok) return refusal(includeObject.failure);
  const columns = printerColumns(served, kind, path.version);
  return jsonAnswer(
    tableOf(kind, objects, {
      now: context.clock(),
      includeObject: includeObject.value,
      listMeta,
      version: negotiated.version,
      ...(columns ? { columns } : {}),
    }),
    form,
  );
}

/** `additionalPrinterColumns` of the version of a custom kind; undefined when it has none. */
export function printerColumns(
  served: Served,
  kind: Kind,
  version: string,
): readonly PrinterColumn[] | undefined {
  const spec = served.definitions.get(kind.storedAs)?.spec;
  const versions: Json[] = isJsonObject(spec) && Array.isArray(spec.versions) ? spec.versions : [];
  const found = versions.filter(isJsonObject).find((item) => item.name === version);
  const columns = found?.additionalPrinterColumns;
  return Array.isArray(columns) ? (columns as unknown as PrinterColumn[]) : undefined;
}
