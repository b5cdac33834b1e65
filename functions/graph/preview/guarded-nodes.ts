import { type MarksRow, READ_MARKS } from "../../../db/guard.ts";
import { type GuardedObject, isNamed } from "../../guard/decide-guard.ts";
import { MARKS } from "../../guard/marks.ts";
import type { Guard } from "../../guard/settings.ts";
import type { Node } from "./node.ts";

/** Uids in one query. */
const ASKED = 5_000;

/** Something that would go, as guards look at it. */
export interface GuardedNode {
  node: Node;
  object: GuardedObject;
}

/** Of what would go, everything that a guard or a mark of its own could protect. */
export async function guardedAmong(
  nodes: readonly Node[],
  guards: readonly Guard[],
  db: D1Database,
  cluster: number,
): Promise<GuardedNode[]> {
  const keys = new Set(MARKS);
  for (const { protect } of guards) {
    for (const mark of [...protect.labels, ...protect.annotations]) keys.add(mark.split("=", 1)[0] ?? mark);
  }
  const marked = new Map<string, string>();
  for (let i = 0; i < nodes.length; i += ASKED) {
    const uids = JSON.stringify(nodes.slice(i, i + ASKED).map((node) => node.uid));
    const { results } = await db
      .prepare(READ_MARKS)
      .bind(cluster, uids, JSON.stringify([...keys]))
      .all<MarksRow>();
    for (const { uid, marks } of results) marked.set(uid, marks);
  }
  const isProtectedKind = (node: Node) =>
    guards.some(({ protect }) => protect.kinds.some((name) => isNamed(node.kind, name)));
  const isProtectedPlace = ({ kind, namespace, name }: Node) => {
    const place = kind.traits.deletion === "namespace" ? name : namespace;
    return guards.some(({ protect }) => protect.namespaces.includes(place));
  };
  return nodes
    .filter((node) => marked.has(node.uid) || isProtectedKind(node) || isProtectedPlace(node))
    .map((node) => ({ node, object: guarded(node, marked.get(node.uid)) }));
}

/** @param marks its labels and annotations, when they are known to matter */
export function guarded({ kind, namespace, name }: Node, marks?: string): GuardedObject {
  return { kind, namespace, name, ...marksOf(marks ?? "[null,null]") };
}

export function marksOf(marks: string): Pick<GuardedObject, "labels" | "annotations"> {
  const [labels, annotations] = JSON.parse(marks) as [
    Record<string, string> | null,
    Record<string, string> | null,
  ];
  return { labels: labels ?? {}, annotations: annotations ?? {} };
}
