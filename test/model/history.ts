import fc from "fast-check";
import { MODEL_KINDS, type Policy } from "./collector.ts";

/** A place for an object. Histories speak of places, not of uids, so that they shrink and can be run again. */
export interface Place {
  kind: string;
  namespace: string;
  name: string;
}

export interface Claim {
  owner: Place;
  /** How the reference is wrong, if it is. */
  as: "right" | "wrong kind" | "wrong name" | "unknown kind" | "never was";
  blocking: boolean;
}

export type Step =
  | { do: "create"; place: Place; owners: Claim[]; finalizers: string[] }
  | { do: "delete"; place: Place; policy: Policy | undefined }
  | { do: "finalizers"; place: Place; finalizers: string[] }
  | { do: "owners"; place: Place; owners: Claim[] };

export const NAMESPACES = ["a", "b"];

const namespaced = (kind: string, names: string[], namespaces = NAMESPACES): Place[] =>
  namespaces.flatMap((namespace) => names.map((name) => ({ kind, namespace, name })));

/** Few enough that steps meet each other, most of them in one namespace. */
const PLACES: Place[] = [
  ...namespaced("ConfigMap", ["c1", "c2", "c3", "c4"], ["a"]),
  ...namespaced("ConfigMap", ["c1", "c2"], ["b"]),
  ...namespaced("ReplicationController", ["r1"], ["a"]),
  { kind: "Node", namespace: "", name: "n1" },
  { kind: "Node", namespace: "", name: "n2" },
];

const place = fc.constantFrom(...PLACES);
const foreign = fc.constantFrom<string[]>([], [], [], ["x/a"], ["x/a", "x/b"]);
const byHand = fc.constantFrom<string[]>([], [], [], [], ["orphan"], ["foregroundDeletion"]);

const claims: fc.Arbitrary<Claim[]> = fc.uniqueArray(
  fc.record({
    owner: place,
    as: fc.oneof(
      { arbitrary: fc.constant("right" as const), weight: 8 },
      {
        arbitrary: fc.constantFrom(
          "wrong kind" as const,
          "wrong name" as const,
          "unknown kind" as const,
          "never was" as const,
        ),
        weight: 1,
      },
    ),
    blocking: fc.boolean(),
  }),
  { maxLength: 3, selector: ({ owner, as }) => `${owner.kind} ${owner.namespace} ${owner.name} ${as}` },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(place, claims, foreign, byHand).map(
      ([at, owners, others, hand]): Step => ({
        do: "create",
        place: at,
        owners,
        finalizers: [...others, ...hand],
      }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("delete" as const),
      place,
      policy: fc.constantFrom<(Policy | undefined)[]>(undefined, "Background", "Foreground", "Orphan"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("finalizers" as const), place, finalizers: foreign }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("owners" as const), place, owners: claims }) },
);

export const histories = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(step, { minLength: 2, maxLength, size: "max" });

/** The kind that a reference claims. */
export function claimedKind({ owner, as }: Claim): string {
  if (as === "unknown kind") return "Ghost";
  if (as !== "wrong kind") return owner.kind;
  const others = Object.keys(MODEL_KINDS).filter((kind) => kind !== owner.kind);
  return others[0] ?? "Ghost";
}
