import type { ObjectRow } from "../../../../db/reads.ts";
import { CLAIM_USERS, READ_ACTIVE_CLAIMS, READ_CLAIM_USERS, READ_CLAIMS } from "../../../../db/sweeps.ts";
import { isTerminating } from "../../../sweeps/object-fields.ts";
import { type ClaimFacts, decideClaim } from "../../../sweeps/persistentvolumeclaims.ts";
import { decideVolume } from "../../../sweeps/persistentvolumes.ts";
import { claimOf, reclaimPolicyOf } from "../../../sweeps/volume-fields.ts";
import type { ClaimWitness } from "../../../sweeps/volume-reclaim.ts";
import type { SweptObject } from "../swept-objects.ts";
import { objectOfRow, type SweepView, type Verdict, verdict } from "../view.ts";

export async function lookAtVolumes(objects: readonly SweptObject[], view: SweepView): Promise<Verdict[]> {
  const volumes = objects.filter(({ stored }) => stored.resource === "persistentvolumes");
  const claims = objects.filter(({ stored }) => stored.resource !== "persistentvolumes");
  return [...(await lookAtClaims(claims, view)), ...(await lookAtOnlyVolumes(volumes, view))];
}

async function lookAtClaims(objects: readonly SweptObject[], view: SweepView): Promise<Verdict[]> {
  const { settings, now } = view;
  const names = objects
    .filter(({ object }) => isTerminating(object))
    .map(({ object }) => object.metadata.name);
  const pods = await readUsers(names, view);
  return objects.map((swept) =>
    verdict("persistentvolumes", swept, view, () =>
      decideClaim(swept.object, { pods }, settings.sweeps.persistentvolumes, now),
    ),
  );
}

async function readUsers(names: readonly string[], { store, kinds }: SweepView): Promise<ClaimFacts["pods"]> {
  if (names.length === 0) return { found: [] };
  const { results } = await store.db
    .prepare(READ_CLAIM_USERS)
    .bind(store.cluster, store.namespace, JSON.stringify(names))
    .all<ObjectRow>();
  if (results.length > CLAIM_USERS) return { problem: `more than ${CLAIM_USERS} Pods may use it` };
  return { found: results.map((row) => objectOfRow(row, kinds)) };
}

async function lookAtOnlyVolumes(objects: readonly SweptObject[], view: SweepView): Promise<Verdict[]> {
  const { settings, asks, now } = view;
  const claims = await readClaims(objects, view);
  const active = await readActiveClaims(objects, view);
  return objects.map((swept) => {
    const { object, stored } = swept;
    const key = keyOf(swept);
    const order = reclaimPolicyOf(object) === "Recycle" ? "recycle-volume" : "delete-volume";
    const answer = asks.volumeAnswer(stored.uid, order);
    const pod = active.get(key);
    const facts = {
      claim: claims.get(key) ?? ({ found: "absent" } as const),
      activePods: pod === undefined ? [] : [pod],
      failures: asks.failures(stored.uid),
      ...(answer === undefined ? {} : { answer }),
    };
    return verdict("persistentvolumes", swept, view, () =>
      decideVolume(object, facts, settings.sweeps.persistentvolumes, now),
    );
  });
}

function keyOf({ object }: SweptObject): string {
  const claim = claimOf(object);
  return JSON.stringify([claim?.namespace ?? "", claim?.name ?? ""]);
}

const keysOf = (objects: readonly SweptObject[]): string => `[${[...new Set(objects.map(keyOf))].join(",")}]`;

async function readClaims(
  objects: readonly SweptObject[],
  { store }: SweepView,
): Promise<Map<string, ClaimWitness>> {
  if (objects.length === 0) return new Map();
  const { results } = await store.db
    .prepare(READ_CLAIMS)
    .bind(store.cluster, keysOf(objects))
    .all<{ namespace: string; name: string; uid: string; volume: string }>();
  return new Map(
    results.map(({ namespace, name, uid, volume }) => [
      JSON.stringify([namespace, name]),
      { found: "present", uid, volumeName: volume },
    ]),
  );
}

/** The name of a Pod for each claim that is in use. */
async function readActiveClaims(
  objects: readonly SweptObject[],
  { store }: SweepView,
): Promise<Map<string, string>> {
  const recycled = objects.filter(({ object }) => reclaimPolicyOf(object) === "Recycle");
  if (recycled.length === 0) return new Map();
  const { results } = await store.db
    .prepare(READ_ACTIVE_CLAIMS)
    .bind(store.cluster, keysOf(recycled))
    .all<{ namespace: string; name: string; pod: string }>();
  return new Map(results.map(({ namespace, name, pod }) => [JSON.stringify([namespace, name]), pod]));
}
