import type { JsonObject } from "../../objects/json.ts";
import { type Millis, timestamp } from "../../objects/object.ts";
import type { EventMemory } from "../record/node-record.ts";
import type { NodeWarning } from "./image-run.ts";

/** The same warning is written again only after so long, with a count of how often it was due. */
const REPEATED: Millis = 600_000;
/** Reasons are few, messages hold figures. */
const REMEMBERED = 16;

/** Which of the warnings are written now, and what is remembered of them. */
export function eventsToWrite(
  memory: readonly EventMemory[],
  warnings: readonly NodeWarning[],
  now: Millis,
): { readonly memory: readonly EventMemory[]; readonly written: readonly EventMemory[] } {
  const written: EventMemory[] = [];
  let known = memory;
  for (const { reason, message } of warnings) {
    const before = known.find((event) => event.reason === reason && event.message === message);
    const due = before === undefined || now - before.writtenAt >= REPEATED;
    const event: EventMemory = {
      reason,
      message,
      firstAt: before?.firstAt ?? now,
      writtenAt: due ? now : before.writtenAt,
      count: (before?.count ?? 0) + 1,
    };
    if (due) written.push(event);
    known = [event, ...known.filter((each) => each !== before)].slice(0, REMEMBERED);
  }
  return { memory: known, written };
}

/**
 * A Warning about a Node, as the kubelet writes it: in namespace `default`, with the Node's name for its uid, which is all
 * that a kubelet knows of it.
 *
 * Source: kubernetes pkg/kubelet/kubelet.go (nodeRef); the name is that of client-go's event recorder,
 * `<object>.<nanoseconds in hex>`. The clock has milliseconds; `position` tells those of one moment apart.
 */
export function nodeEvent(node: string, event: EventMemory, position: number): JsonObject {
  const nanoseconds = BigInt(Math.trunc(event.writtenAt)) * 1_000_000n + BigInt(position);
  return {
    metadata: { name: `${node}.${nanoseconds.toString(16)}` },
    involvedObject: { kind: "Node", name: node, uid: node },
    reason: event.reason,
    message: event.message,
    source: { component: "kubelet", host: node },
    firstTimestamp: timestamp(event.firstAt),
    lastTimestamp: timestamp(event.writtenAt),
    count: event.count,
    type: "Warning",
    eventTime: null,
    reportingComponent: "kubelet",
    reportingInstance: node,
  };
}
