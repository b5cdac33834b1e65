import { isJsonObject, type Json } from "../objects/json.ts";
import type { Kind } from "../objects/kind.ts";
import { apiVersion } from "../objects/kind.ts";
import type { KubeObject } from "../objects/object.ts";
import { type AnswerOptions, jsonAnswer, refusal, textAnswer } from "./answer.ts";
import type { ResourceRequest } from "./context.ts";
import type { StreamedList } from "./list-objects.ts";
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
  const { negotiated } = request;
  const form = { mediaType: negotiated.mediaType, pretty: negotiated.pretty };
  switch (negotiated.as) {
    case "object":
      return textAnswer(`${listHead(request, listMeta)}${items.join(",")}]}`, form);
    case "partial":
      return jsonAnswer(partialListOf(parsed(items), listMeta, negotiated.version), form);
    case "table":
      return table(request, parsed(items), listMeta, form);
  }
}

/** Up to the items. */
function listHead({ kind, path }: ResourceRequest, listMeta: ListMeta): string {
  const head = `{"kind":${JSON.stringify(`${kind.kind}List`)},"apiVersion":${JSON.stringify(apiVersion(kind.group, path.version))}`;
  return `${head},"metadata":${JSON.stringify(listMeta)},"items":[`;
}

/** A list that may be of any length is sent as it is read, in the form that needs nothing but its text. */
export const isStreamed = ({ negotiated }: ResourceRequest, limit: number): boolean =>
  limit === 0 && negotiated.as === "object" && negotiated.mediaType === "json" && !negotiated.pretty;

/** One page at a time is in memory. A list that breaks off ends the connection: nobody takes it for a whole one. */
export async function streamedAnswer(
  request: ResourceRequest,
  { resourceVersion, whole, pages }: StreamedList,
): Promise<Response> {
  const listMeta = { resourceVersion: String(resourceVersion) };
  if (whole) return listAnswer(request, (await pages.next()).value ?? [], listMeta);
  const encoder = new TextEncoder();
  let before = listHead(request, listMeta);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const page = await pages.next();
        if (page.done) {
          controller.enqueue(encoder.encode(before === "," ? "]}" : `${before}]}`));
          controller.close();
          return;
        }
        // A selector may leave nothing of a page.
        if (page.value.length === 0) continue;
        controller.enqueue(encoder.encode(before + page.value.join(",")));
        before = ",";
        return;
      }
    },
    async cancel() {
      await pages.return(undefined);
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
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
