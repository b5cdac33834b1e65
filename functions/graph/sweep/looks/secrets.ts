import { READ_MOUNTED_SECRETS, READ_TRACKED_SINCE } from "../../../../db/sweeps.ts";
import type { KubeObject } from "../../../objects/object.ts";
import { isLegacyToken, type LegacyTokenFacts } from "../../../sweeps/legacy-tokens.ts";
import { decideSecret } from "../../../sweeps/secrets.ts";
import type { SweptObject } from "../swept-objects.ts";
import { objectOfRow, type SweepView, type Verdict, verdict } from "../view.ts";
import { readNamed } from "./leases.ts";

const accountOf = ({ metadata }: KubeObject): string =>
  metadata.annotations?.["kubernetes.io/service-account.name"] ?? "";

export async function lookAtSecrets(objects: readonly SweptObject[], view: SweepView): Promise<Verdict[]> {
  const { settings, now } = view;
  const facts = await legacyFacts(
    objects.filter(({ object }) => isLegacyToken(object)),
    view,
  );
  return objects.map((swept) =>
    verdict("secrets", swept, view, () =>
      decideSecret(swept.object, facts.get(swept.object.metadata.name), settings.sweeps.secrets, now),
    ),
  );
}

/** By the name of the Secret. */
async function legacyFacts(
  tokens: readonly SweptObject[],
  { store, kinds }: SweepView,
): Promise<Map<string, LegacyTokenFacts>> {
  if (tokens.length === 0) return new Map();
  const { db, cluster, namespace } = store;
  const names = tokens.map(({ object }) => object.metadata.name);
  const accounts = new Map(
    (
      await readNamed(
        "serviceaccounts",
        namespace,
        tokens.map(({ object }) => accountOf(object)),
        store,
      )
    ).map((row) => [row.name, objectOfRow(row, kinds)]),
  );
  const [tracked, mounted] = await db.batch<{ since: string | null; name: string }>([
    db.prepare(READ_TRACKED_SINCE).bind(cluster),
    db.prepare(READ_MOUNTED_SECRETS).bind(cluster, namespace, JSON.stringify(names)),
  ]);
  const trackedSince = tracked?.results[0]?.since ?? undefined;
  const inUse = new Set(mounted?.results.map(({ name }) => name));
  return new Map(
    tokens.map(({ object }) => [
      object.metadata.name,
      {
        trackedSince,
        serviceAccount: accounts.get(accountOf(object)),
        mounted: inUse.has(object.metadata.name),
      },
    ]),
  );
}
