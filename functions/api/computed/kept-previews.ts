import { FORGET_PREVIEWS, INSERT_PREVIEW, READ_PREVIEW } from "../../../db/previews.ts";
import type { Preview } from "../../graph/preview/preview.ts";
import type { Node } from "../../graph/preview/world.ts";
import type { Millis } from "../../objects/object.ts";
import type { ApiContext } from "../context.ts";

/** How long a preview is remembered, for the difference to what would happen now. */
const KEPT: Millis = 24 * 3600 * 1000;
/** A row of D1 is capped at 2 MB. One that is larger is not kept: then only the fact that something changed is told. */
const MOST_CHARACTERS = 1_500_000;

type Fate = "goes" | "goes later" | "is orphaned" | "lives on" | "holds up";
/** `ConfigMap team/a` by uid, with its fate. */
type Fates = Record<string, [Fate, string]>;

export async function keepPreview({ db, cluster, clock }: ApiContext, preview: Preview): Promise<void> {
  const fates = JSON.stringify(fatesOf(preview));
  const now = clock();
  const statements = [db.prepare(FORGET_PREVIEWS).bind(cluster, now - KEPT)];
  if (fates.length <= MOST_CHARACTERS) {
    statements.push(db.prepare(INSERT_PREVIEW).bind(cluster, preview.hash, now, fates));
  }
  await db.batch(statements);
}

/**
 * What is different from the preview with that hash, in words; undefined when it is not known any more. At most
 * `most` differences are named.
 */
export async function differenceFrom(
  { db, cluster }: ApiContext,
  hash: string,
  now: Preview,
  most = 10,
): Promise<string | undefined> {
  const row = await db.prepare(READ_PREVIEW).bind(cluster, hash).first<{ fates: string }>();
  if (row === null) return undefined;
  const before = new Map(Object.entries(JSON.parse(row.fates) as Fates));
  const told: string[] = [];
  for (const [uid, [fate, what]] of Object.entries(fatesOf(now))) {
    const known = before.get(uid);
    before.delete(uid);
    if (known === undefined) told.push(`${what} now ${fate}`);
    else if (known[0] !== fate) told.push(`${what} now ${fate}, and then ${known[0]}`);
  }
  for (const [, what] of before.values()) told.push(`${what} is not reached any more`);
  if (told.length === 0) return "what holds it up is different";
  const more = told.length > most ? `; and ${told.length - most} more` : "";
  return `${told.slice(0, most).join("; ")}${more}`;
}

function fatesOf(preview: Preview): Fates {
  const fates: Fates = {};
  const add = (fate: Fate, nodes: readonly Node[]) => {
    for (const node of nodes) fates[node.uid] ??= [fate, titleOf(node)];
  };
  add("goes", preview.deletes);
  add(
    "holds up",
    preview.blockers.map(({ node }) => node),
  );
  add("goes later", preview.deletesOnceUnblocked);
  add("is orphaned", preview.orphans);
  add("lives on", preview.keeps);
  return fates;
}

/** `ConfigMap team/a`. */
export function titleOf({ object, resource }: Node): string {
  const { kind, metadata } = object;
  const { name, namespace } = metadata;
  return `${kind || resource} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
