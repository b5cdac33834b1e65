import type { NodeContainerRow, NodeImageRow, NodeRow } from "../../../db/nodes.ts";
import type { Millis } from "../../objects/object.ts";
import type { ImageKey, ImageRecord, ImageRecords } from "../images/image-record.ts";
import type { RemovalReason } from "../plan/plan.ts";
import type { ContainerId, ContainerState, ImageId, ReportedFileSystems } from "../report/report.ts";
import { type ContainerRecord, EMPTY_RECORD, type NodeRecord } from "./node-record.ts";

type Columns = "sequence" | "reportedAt" | "boot" | "fileSystems" | "images" | "containers";

/** What is kept of a node in one JSON column. */
type StoredState = Omit<NodeRecord, Columns>;

export function stateText({
  sequence: _sequence,
  reportedAt: _reportedAt,
  boot: _boot,
  fileSystems: _fileSystems,
  images: _images,
  containers: _containers,
  ...state
}: NodeRecord): string {
  return JSON.stringify(state satisfies StoredState);
}

/** A node's row alone, as one asks for it who looks at many; without images and containers. */
export function recordOfRow(row: Omit<NodeRow, "epoch">): NodeRecord {
  const { sequence, reported_at, boot, file_systems, state } = row;
  return {
    ...EMPTY_RECORD,
    ...(state === null ? {} : (JSON.parse(state) as StoredState)),
    sequence: sequence ?? EMPTY_RECORD.sequence,
    reportedAt: reported_at,
    boot: boot ?? "",
    fileSystems: file_systems === null ? null : (JSON.parse(file_systems) as ReportedFileSystems),
  };
}

/** An image in use was last used at the latest report, which is not written for each. */
export function imagesOfRows(rows: readonly NodeImageRow[], reportedAt: Millis | null): ImageRecords {
  return new Map(
    rows.map((row): [ImageKey, ImageRecord] => {
      const inUse = row.in_use === 1;
      const key = row.key as ImageKey;
      return [
        key,
        {
          key,
          id: row.image as ImageId,
          handler: row.handler,
          tags: JSON.parse(row.tags) as string[],
          digests: JSON.parse(row.digests) as string[],
          size: row.size,
          pinned: row.pinned === 1,
          firstDetected: row.first_detected,
          lastUsed: inUse ? (reportedAt ?? row.last_used) : row.last_used,
          inUse,
        },
      ];
    }),
  );
}

export function containersOfRows(
  rows: readonly NodeContainerRow[],
): ReadonlyMap<ContainerId, ContainerRecord> {
  return new Map(
    rows.map((row): [ContainerId, ContainerRecord] => [
      row.id as ContainerId,
      {
        id: row.id as ContainerId,
        podUid: row.pod_uid,
        podNamespace: row.pod_namespace,
        podName: row.pod_name,
        name: row.name,
        attempt: row.attempt,
        state: row.state as ContainerState,
        createdAt: row.created_at,
        exitedAt: row.exited_at,
      },
    ]),
  );
}

/** Rows of images that have changed or gone, each as the JSON list that the statement takes. */
export function changedImages(
  before: ImageRecords,
  after: ImageRecords,
  removed: ReadonlyMap<ImageKey, RemovalReason>,
  now: Millis,
): string[] {
  const rows: string[] = [];
  for (const record of after.values()) {
    const known = before.get(record.key);
    if (known === undefined || !sameRow(known, record)) rows.push(imageRow(record, null, null));
  }
  for (const record of before.values()) {
    if (!after.has(record.key)) rows.push(imageRow(record, now, removed.get(record.key) ?? null));
  }
  return rows;
}

/** A row cannot hold more than two million bytes. Of an image with names beyond all measure only the first are kept. */
const MOST_NAMES = 200_000;

function imageRow(record: ImageRecord, goneAt: Millis | null, goneBy: RemovalReason | null): string {
  const { key, id, handler, size, pinned, firstDetected, lastUsed, inUse } = record;
  return JSON.stringify([
    key,
    id,
    handler,
    firstNames(record.tags),
    firstNames(record.digests),
    size,
    Number(pinned),
    firstDetected,
    lastUsed,
    Number(inUse && goneAt === null),
    goneAt,
    goneBy,
  ]);
}

function firstNames(names: readonly string[]): readonly string[] {
  let length = 0;
  return names.filter((name) => {
    length += name.length;
    return length <= MOST_NAMES;
  });
}

function sameRow(a: ImageRecord, b: ImageRecord): boolean {
  return (
    a.inUse === b.inUse &&
    (a.inUse || a.lastUsed === b.lastUsed) &&
    a.firstDetected === b.firstDetected &&
    a.size === b.size &&
    a.pinned === b.pinned &&
    sameNames(a.tags, b.tags) &&
    sameNames(a.digests, b.digests)
  );
}

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((name, i) => name === b[i]));

/** Rows of containers that have changed or gone. What has not changed is the same value. */
export function changedContainers(
  before: ReadonlyMap<ContainerId, ContainerRecord>,
  after: ReadonlyMap<ContainerId, ContainerRecord>,
  now: Millis,
): string[] {
  const rows: string[] = [];
  for (const record of after.values()) {
    if (before.get(record.id) !== record) rows.push(containerRow(record, null));
  }
  for (const record of before.values()) {
    if (!after.has(record.id)) rows.push(containerRow(record, now));
  }
  return rows;
}

const containerRow = (record: ContainerRecord, goneAt: Millis | null): string => {
  const { id, podUid, podNamespace, podName, name, attempt, state, createdAt, exitedAt } = record;
  return JSON.stringify([
    id,
    podUid,
    podNamespace,
    podName,
    name,
    attempt,
    state,
    createdAt,
    exitedAt,
    goneAt,
  ]);
};
