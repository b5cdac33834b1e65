import { stringify } from "yaml";
import type { Acquaintances } from "./acquaintances.ts";
import { contentPatch, metadataOf, type Sent, validObject } from "./bodies.ts";
import type { Dice } from "./dice.ts";
import type { Place } from "./places.ts";

export interface Patch {
  contentType: string;
  body: string;
}

/** A patch of one of the four types, as somebody would mean it. */
export function patchOf(dice: Dice, place: Place, known: Acquaintances): Patch {
  switch (dice.below(4)) {
    case 0:
      return {
        contentType: "application/json-patch+json",
        body: JSON.stringify(jsonPatch(dice, place, known)),
      };
    case 1:
      return {
        contentType: "application/merge-patch+json",
        body: JSON.stringify(mergePatch(dice, place, known)),
      };
    case 2:
      return {
        contentType: "application/strategic-merge-patch+json",
        body: JSON.stringify(strategicPatch(dice, place, known)),
      };
    default:
      return { contentType: "application/apply-patch+yaml", body: applied(dice, place, known) };
  }
}

function mergePatch(dice: Dice, place: Place, known: Acquaintances): Sent {
  const { labels, annotations, ownerReferences, finalizers, managedFields } = metadataOf(dice, place, known);
  const metadata = dice.one<Sent>([
    { finalizers: null },
    { finalizers: [] },
    { ownerReferences: null },
    { labels: { app: null, tier: "t" } },
    { labels, annotations, ownerReferences, finalizers, managedFields },
    { ownerReferences },
  ]);
  return { ...(dice.percent(75) ? { metadata } : {}), ...(dice.percent(40) ? contentPatch(dice) : {}) };
}

function strategicPatch(dice: Dice, place: Place, known: Acquaintances): Sent {
  const patch = mergePatch(dice, place, known);
  if (dice.percent(60)) return patch;
  const uid = known.one(dice)?.metadata.uid ?? "x";
  return {
    ...patch,
    ...dice.one<Sent>([
      { $patch: dice.one(["delete", "replace", "merge", "nope"]) },
      { metadata: { ownerReferences: [{ uid, $patch: "delete" }] } },
      { metadata: { finalizers: ["example.com/hold"], "$setElementOrder/finalizers": ["example.com/hold"] } },
      { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/hold"] } },
      { spec: { containers: [{ name: "c", image: "y" }, { image: "nameless" }] } },
      { spec: { containers: [{ name: "c", $patch: "delete" }] } },
      { spec: { $retainKeys: ["x"], x: 1 } },
      { spec: { ports: [{ port: 80, $patch: "replace" }, 5] } },
      { $retainKeys: "x", "$setElementOrder/spec": 5 },
    ]),
  };
}

const POINTERS = [
  "/metadata/labels/app",
  "/metadata/finalizers",
  "/metadata/finalizers/0",
  "/metadata/finalizers/-",
  "/metadata/ownerReferences",
  "/metadata/ownerReferences/0",
  "/metadata/ownerReferences/-",
  "/metadata",
  "/metadata/name",
  "/metadata/uid",
  "/metadata/resourceVersion",
  "/metadata/deletionTimestamp",
  "/kind",
  "/apiVersion",
  "/spec",
  "/spec/x",
  "/data/k",
  "/data/a~1b",
  "/data/~2",
  "",
  "/",
  "x",
  "/spec/containers/99999999999",
  "/spec/containers/-1",
  "/__proto__/x",
  "/metadata/annotations/example.com~1a",
];

function jsonPatch(dice: Dice, place: Place, known: Acquaintances): unknown {
  const { ownerReferences, finalizers } = metadataOf(dice, place, known);
  const value = () =>
    dice.one<unknown>([
      1,
      null,
      "x",
      [],
      {},
      ["example.com/hold"],
      finalizers,
      ownerReferences,
      { app: "x" },
    ]);
  const operation = () => {
    const path = dice.one(POINTERS);
    switch (dice.below(8)) {
      case 0:
        return { op: "remove", path };
      case 1:
        return { op: "replace", path, value: value() };
      case 2:
        return { op: "test", path, value: value() };
      case 3:
        return { op: dice.one(["move", "copy"]), from: dice.one(POINTERS), path };
      case 4:
        return dice.one<unknown>([
          { op: "nope", path },
          { path },
          { op: "add" },
          null,
          5,
          [],
          { op: "add", path: 5, value: 1 },
        ]);
      default:
        return { op: "add", path, value: value() };
    }
  };
  return Array.from({ length: dice.below(4) }, operation);
}

function applied(dice: Dice, place: Place, known: Acquaintances): string {
  const { metadata, ...object } = validObject(dice, place, known);
  const { managedFields: _, ...kept } = metadata as Sent;
  const sent = { ...object, metadata: { ...kept, name: place.name } };
  return dice.percent(50) ? stringify(sent) : JSON.stringify(sent);
}
