import {
  type NodeImageRow,
  type NodeRow,
  type NodeSettingsRow,
  READ_NODE,
  READ_NODE_IMAGES,
  READ_NODE_SETTINGS,
  READ_NODES_FROM,
} from "../../../db/nodes.ts";
import type { ImageRecord } from "../../nodes/images/image-record.ts";
import { type Verdict, verdicts } from "../../nodes/images/verdict.ts";
import { settingsOfRow } from "../../nodes/record/node-settings.ts";
import { imagesOfRows } from "../../nodes/record/stored-record.ts";
import { ok } from "../../objects/failure.ts";
import { asObject, type KubeObject, timestamp } from "../../objects/object.ts";
import { exactValue } from "../../objects/selectors/field-selector.ts";
import type { ApiContext } from "../context.ts";
import type { ComputedKind } from "./computed-kind.ts";

/** Nodes that are looked at for one page. */
const NODES = 20;

type Reported = Omit<NodeRow, "epoch"> & { node: string };

/**
 * NodeImage: an image on a node as the node last reported it, and why it stays or when it goes. Named by the node and the
 * beginning of the image's id: `edge-1.9f0b3e51c0ffee00`.
 */
export const nodeImages: ComputedKind = {
  async list({ context, fields, limit, after }) {
    const last = placeOf(after);
    const node = exactValue(fields, "node");
    const nodes =
      node === undefined ? await nodesFrom(context, last?.node ?? "") : await oneNode(context, node);
    const items: KubeObject[] = [];
    for (const reported of nodes) {
      const images = await imagesOf(context, reported);
      const rest =
        last?.node === reported.node ? images.filter((image) => placed(image) > last.suffix) : images;
      for (const image of rest) {
        if (items.length === limit) return ok({ items, more: true });
        items.push(image);
      }
    }
    const [lastNode] = nodes.slice(-1);
    if (node !== undefined || lastNode === undefined) return ok({ items, more: false });
    const following = await nodesFrom(context, `${lastNode.node}\0`);
    if (following.length === 0) return ok({ items, more: false });
    // Nodes without images have no name that a page could end with, so that the next ones are looked at here.
    return items.length > 0
      ? ok({ items, more: true })
      : ((await this.list?.({ context, fields, limit, after: `${following[0]?.node}.` })) ??
          ok({ items, more: false }));
  },

  async get(context, name) {
    const place = placeOf(name);
    const [reported] = place === undefined ? [] : await oneNode(context, place.node);
    if (reported === undefined) return ok(undefined);
    return ok((await imagesOf(context, reported)).find(({ metadata }) => metadata.name === name));
  },
};

/** A name's node, and what stands behind it: it has no dot, which the name of a node may. */
function placeOf(name: string): { node: string; suffix: string } | undefined {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? undefined : { node: name.slice(0, dot), suffix: name.slice(dot + 1) };
}

const placed = ({ metadata }: KubeObject): string => placeOf(metadata.name)?.suffix ?? "";

async function nodesFrom({ db, cluster }: ApiContext, from: string): Promise<Reported[]> {
  const { results } = await db.prepare(READ_NODES_FROM).bind(cluster, from, NODES).all<Reported>();
  return results;
}

async function oneNode({ db, cluster }: ApiContext, node: string): Promise<Reported[]> {
  const { results } = await db.prepare(READ_NODE).bind(cluster, node).all<Reported>();
  return results;
}

/** In the order of their names. */
async function imagesOf({ db, cluster, clock }: ApiContext, reported: Reported): Promise<KubeObject[]> {
  const { node, reported_at } = reported;
  const [rows, row] = await db.batch([
    db.prepare(READ_NODE_IMAGES).bind(cluster, node),
    db.prepare(READ_NODE_SETTINGS).bind(cluster, node),
  ]);
  const records = imagesOfRows((rows?.results ?? []) as NodeImageRow[], reported_at);
  const settings = settingsOfRow(row?.results[0] as NodeSettingsRow);
  const said = verdicts(records, settings.images, clock());
  return [...records.values()]
    .map((record) => imageObject(node, record, said.get(record.key)))
    .sort((a, b) => (placed(a) < placed(b) ? -1 : 1));
}

function imageObject(node: string, record: ImageRecord, verdict: Verdict | undefined): KubeObject {
  const { id, handler, tags, digests, size, pinned, inUse, firstDetected, lastUsed } = record;
  return asObject({
    apiVersion: "gc.kubegc.dev/v1alpha1",
    kind: "NodeImage",
    metadata: {
      name: `${node}.${shortened(id)}${handler && `-${handler}`}`,
      creationTimestamp: timestamp(firstDetected),
    },
    spec: { node },
    status: {
      image: id,
      ...(handler === "" ? {} : { runtimeHandler: handler }),
      repoTags: [...tags],
      repoDigests: [...digests],
      sizeBytes: size,
      pinned,
      inUse,
      firstDetectedTime: timestamp(firstDetected),
      ...(lastUsed === null ? {} : { lastUsedTime: timestamp(lastUsed) }),
      ...(verdict?.state === "next" ? { state: "Next", place: verdict.place } : {}),
      ...(verdict?.state === "kept" ? { state: "Kept", keptBecause: verdict.because } : {}),
    },
  });
}

/** Enough of an id to tell it from all others of a node, in characters that a name may have. */
const shortened = (id: string): string =>
  id
    .replace(/^sha256:/, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "-")
    .slice(0, 16);
