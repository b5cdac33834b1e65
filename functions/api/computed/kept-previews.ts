import { FORGET_PREVIEWS, INSERT_PREVIEW, READ_PREVIEW } from "../../../db/previews.ts";
import type { Node } from "../../graph/preview/node.ts";
import type { Preview } from "../../graph/preview/preview.ts";
import type { Millis } from "../../objects/object.ts";
import type { ApiContext } from "../context.ts";

/** How long a preview is remembered, for the difference to what would happen now. */
const KEPT: Millis = 24 * 3600 * 1000;
/** A row of D1 is capped at 2 MB. One that is larger is not kept: then only the fact that something changed is told. */
const MOST_CHARACTERS = 1_500_000;

type Fate = "goes" | "goes later" | "is orphaned" | "lives on" | "holds up";
/** What has each fate: its uid, and then what it is, `ConfigMap team/a`. */
type Fates = Partial<Record<Fate, string[]>>;
/** A uid and its punctuation. */
const LEAST_CHARACTERS = 60;

export async function keepPreview({ db, cluster, clock }: ApiContext, preview: Preview): Promise<void> {
  const now = clock();
  const statements = [db.prepare(FORGET_PREVIEWS).bind(cluster, now - KEPT)];
  const fates = textOf(preview);
  if (fates !== undefined) {
    statements.push(db.prepare(INSERT_PREVIEW).bind(cluster, preview.hash, now, fates));
  }
  await db.batch(statements);
}

/** Undefined when it is too long to be kept. */
function textOf(preview: Preview): string | undefined {
  const { deletes, deletesOnceUnblocked, orphans, keeps } = preview;
  const count = deletes.length + deletesOnceUnblocked.length + orphans.length + keeps.length;
  if (count * LEAST_CHARACTERS > MOST_CHARACTERS) return undefined;
  const text = JSON.stringify(fatesOf(preview));
  return text.length > MOST_CHARACTERS ? undefined : text;
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
  const before = byUid(JSON.parse(row.fates) as Fates);
  const told: string[] = [];
  for (const [uid, { fate, what }] of byUid(fatesOf(now))) {
    const known = before.get(uid);
    before.delete(uid);
    if (known === undefined) told.push(`${what} now ${fate}`);
    else if (known.fate !== fate) told.push(`${what} now ${fate} (before: ${known.fate})`);
  }
  for (const { what } of before.values()) told.push(`${what} is not reached any more`);
  if (told.length === 0) return "what holds it up is different";
  const more = told.length > most ? `; and ${told.length - most} more` : "";
  return `${told.slice(0, most).join("; ")}${more}`;
}

function fatesOf(preview: Preview): Fates {
  const listed = (nodes: readonly Node[]) => nodes.flatMap((node) => [node.uid, titleOf(node)]);
  return {
    goes: listed(preview.deletes),
    "holds up": listed(preview.blockers.map(({ node }) => node)),
    "goes later": listed(preview.deletesOnceUnblocked),
    "is orphaned": listed(preview.orphans),
    "lives on": listed(preview.keeps),
  };
}

/** What holds things up goes later, too: its first fate is the one that counts. */
function byUid(fates: Fates): Map<string, { fate: Fate; what: string }> {
  const found = new Map<string, { fate: Fate; what: string }>();
  for (const [fate, list] of Object.entries(fates) as [Fate, string[]][]) {
    for (let i = 0; i + 1 < list.length; i += 2) {
      const [uid = "", what = ""] = [list[i], list[i + 1]];
      if (!found.has(uid)) found.set(uid, { fate, what });
    }
  }
  return found;
}

/** `ConfigMap team/a`. */
export function titleOf({ kind, resource, namespace, name }: Node): string {
  return `${kind.kind || resource} ${namespace === "" ? name : `${namespace}/${name}`}`;
}
