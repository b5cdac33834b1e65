import type { Millis } from "../../objects/object.ts";
import type { ContainerId, Listing, ReportedContainer } from "../report/report.ts";
import type { ContainerRecord } from "./node-record.ts";

type Records = ReadonlyMap<ContainerId, ContainerRecord>;

/** The containers after a look at a node; when one ended is when it was first seen to have. */
export function detectContainers(known: Records, listing: Listing<ReportedContainer>, now: Millis): Records {
  const records = new Map<ContainerId, ContainerRecord>(listing.complete ? [] : known);
  for (const container of listing.items) {
    const before = known.get(container.id);
    const exitedAt = container.state === "EXITED" ? (before?.exitedAt ?? now) : null;
    // What has not changed stays the same value, so that it is not written again.
    const same = before !== undefined && before.state === container.state && before.exitedAt === exitedAt;
    records.set(container.id, same ? before : recordOf(container, exitedAt));
  }
  return records;
}

const recordOf = (
  { id, podUid, podNamespace, podName, name, attempt, state, createdAt }: ReportedContainer,
  exitedAt: Millis | null,
): ContainerRecord => ({ id, podUid, podNamespace, podName, name, attempt, state, createdAt, exitedAt });
