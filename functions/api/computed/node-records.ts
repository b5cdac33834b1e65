import {
  type NodeContainerRow,
  type NodeImageRow,
  type NodeRow,
  type NodeSettingsRow,
  READ_GONE_IMAGES,
  READ_NODE,
  READ_NODE_CONTAINERS,
  READ_NODE_IMAGES,
  READ_NODE_SETTINGS,
  READ_NODES,
} from "../../../db/nodes.ts";
import { measure } from "../../nodes/images/usage.ts";
import { forgetNode } from "../../nodes/record/forget-node.ts";
import type { NodeRecord } from "../../nodes/record/node-record.ts";
import { settingsOfRow } from "../../nodes/record/node-settings.ts";
import { recordOfRow } from "../../nodes/record/stored-record.ts";
import type { FileSystemFigures } from "../../nodes/report/report.ts";
import type { NodeSettings } from "../../nodes/settings/settings.ts";
import { ok, refuse } from "../../objects/failure.ts";
import type { JsonObject } from "../../objects/json.ts";
import { asObject, type GroupResource, type KubeObject, timestamp } from "../../objects/object.ts";
import type { ApiContext } from "../context.ts";
import type { ComputedKind } from "./computed-kind.ts";

/** Images that went, the latest, that one record names. */
const MOST_GONE = 20;
/** Nodes of one page: each costs one round trip. */
const NODES = 50;

type Reported = Omit<NodeRow, "epoch"> & { node: string };

/** NodeRecord: what a node last reported, how full it is, and what was removed from it; named like the node. */
export const nodeRecords: ComputedKind = {
  async list({ context, limit, after }) {
    const { db, cluster } = context;
    const page = Math.min(limit, NODES);
    const { results } = await db.prepare(READ_NODES).bind(cluster, after, page).all<Reported>();
    const items: KubeObject[] = [];
    for (const row of results) items.push(await recordObject(row, context));
    return ok({ items, more: results.length === page });
  },

  async get(context, name) {
    const row = await context.db.prepare(READ_NODE).bind(context.cluster, name).first<Reported>();
    return ok(row === null ? undefined : await recordObject(row, context));
  },

  /** All that is known of the node goes. One that still reports begins anew with its next report. */
  async remove({ context: { db, cluster }, name, dryRun }) {
    if (dryRun) return ok((await db.prepare(READ_NODE).bind(cluster, name).first()) !== null);
    const forgotten = await forgetNode(db, cluster, name);
    if (forgotten !== "taken over") return ok(forgotten === "forgotten");
    const message = "the node has just reported, please try again";
    const subject = "noderecords.gc.kubegc.dev" as GroupResource;
    return refuse({ reason: "Conflict", subject, name, message });
  },
};

async function recordObject(row: Reported, { db, cluster }: ApiContext): Promise<KubeObject> {
  const { node } = row;
  const [images, containers, gone, settings] = await db.batch([
    db.prepare(READ_NODE_IMAGES).bind(cluster, node),
    db.prepare(READ_NODE_CONTAINERS).bind(cluster, node),
    db.prepare(READ_GONE_IMAGES).bind(cluster, node, MOST_GONE),
    db.prepare(READ_NODE_SETTINGS).bind(cluster, node),
  ]);
  const record = recordOfRow(row);
  return asObject({
    apiVersion: "gc.kubegc.dev/v1alpha1",
    kind: "NodeRecord",
    metadata: { name: node, creationTimestamp: timestamp(record.trackedSince) },
    spec: {},
    status: {
      ...(record.reportedAt === null ? {} : { lastReportTime: timestamp(record.reportedAt) }),
      ...fileSystems(record, settingsOfRow(settings?.results[0] as NodeSettingsRow)),
      images: counted((images?.results ?? []) as NodeImageRow[]),
      containers: containerCounts((containers?.results ?? []) as NodeContainerRow[]),
      removed: removed(record),
      lastRemovedImages: ((gone?.results ?? []) as NodeImageRow[]).map(goneImage),
      ...planned(record),
    },
  });
}

function fileSystems({ fileSystems: found, pressure }: NodeRecord, settings: NodeSettings): JsonObject {
  const { highThresholdPercent, lowThresholdPercent } = settings.images;
  const figures = found?.imagefs ?? found?.nodefs;
  const usage = figures && measure(figures, settings.images);
  return {
    layout: found?.layout ?? "unknown",
    ...(found?.nodefs ? { nodeFileSystem: figuresOf(found.nodefs) } : {}),
    ...(found?.imagefs ? { imageFileSystem: figuresOf(found.imagefs) } : {}),
    highThresholdPercent,
    lowThresholdPercent,
    ...(usage?.state === "measured" ? { usedPercent: usage.percent } : {}),
    ...(usage?.state === "measured" && usage.wanted !== undefined ? { bytesToFree: usage.wanted } : {}),
    diskPressure: Object.keys(pressure).sort(),
    reportOnly: settings.reportOnly,
  };
}

const figuresOf = ({ mountedOn, capacity, available }: FileSystemFigures): JsonObject => ({
  mountedOn,
  capacityBytes: capacity,
  availableBytes: available,
});

const counted = (rows: readonly NodeImageRow[]): JsonObject => ({
  count: rows.length,
  inUse: rows.filter((row) => row.in_use === 1).length,
  bytes: rows.reduce((sum, row) => sum + row.size, 0),
});

function containerCounts(rows: readonly NodeContainerRow[]): JsonObject {
  const running = rows.filter((row) => row.state === "RUNNING").length;
  return { running, dead: rows.length - running };
}

const removed = ({ removedImages, removedContainers }: NodeRecord): JsonObject => ({
  imagesByAge: removedImages.age.images,
  imagesBySpace: removedImages.space.images,
  imagesByPressure: removedImages.pressure.images,
  bytes: removedImages.age.bytes + removedImages.space.bytes + removedImages.pressure.bytes,
  containers: removedContainers,
});

function goneImage({ image, tags, size, gone_at, gone_by }: NodeImageRow): JsonObject {
  return {
    image,
    repoTags: JSON.parse(tags) as string[],
    sizeBytes: size,
    ...(gone_at === null ? {} : { removalTime: timestamp(gone_at) }),
    // Without a reason it was somebody else who removed it.
    ...(gone_by === null ? {} : { reason: gone_by }),
  };
}

function planned({ plan, planNumber, withheld, lastImageRun, imageFailures }: NodeRecord): JsonObject {
  return {
    ...(plan === null ? {} : { plan: { number: planNumber, steps: plan.steps.length } }),
    ...(withheld.length === 0 ? {} : { wouldRemove: withheld as unknown as JsonObject[] }),
    ...(lastImageRun === null
      ? {}
      : {
          lastImageRun: {
            phase: lastImageRun.phase,
            endTime: timestamp(lastImageRun.endedAt),
            freedBytes: lastImageRun.freed,
            removed: lastImageRun.removed,
            ...(lastImageRun.wanted === undefined ? {} : { wantedBytes: lastImageRun.wanted }),
            ...(lastImageRun.error === null ? {} : { error: lastImageRun.error }),
          },
        }),
    ...(imageFailures === 0 ? {} : { imageFailures }),
  };
}
