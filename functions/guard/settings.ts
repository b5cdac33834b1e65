import { z } from "zod";
import { type FieldError, forbiddenValue, invalidValue, requiredValue } from "../objects/failure.ts";

/** Where DeletionGuards are stored. */
export const DELETION_GUARDS = "deletionguards.gc.kubegc.dev";

/** A limit on how much may go: as a number, as a share of all objects of the cluster, or both. */
const limit = z
  .strictObject({
    count: z.int().min(0).optional().describe("So many objects."),
    percent: z.number().min(0).max(100).optional().describe("So much of all objects of the cluster."),
  })
  .refine(({ count, percent }) => count !== undefined || percent !== undefined, {
    message: "must have a count, a percent or both",
  });

const names = z.array(z.string().min(1)).max(1000).default([]);

/** `spec` of a DeletionGuard, `gc.kubegc.dev/v1alpha1`. */
export const GUARD_SPEC = z.strictObject({
  freeze: z
    .boolean()
    .default(false)
    .describe("Nothing at all is deleted while this is set, not by requests and not by sweeps."),
  cascade: limit.optional().describe("The most that one request may make go, dependents included."),
  hour: limit.optional().describe("The most that may go within an hour, this deletion included."),
  sweep: limit.optional().describe("The most that one sweep may make go in a run, dependents included."),
  protect: z
    .strictObject({
      labels: names.describe("Labels by key, or by key=value."),
      annotations: names.describe("Annotations by key, or by key=value."),
      kinds: names.describe("Kinds, or plurals with their group: PersistentVolume, widgets.example.com."),
      namespaces: names.describe("Namespaces, with all that is in them."),
    })
    .prefault({})
    .describe("What never goes, neither by itself nor with something else."),
  requirePreview: z
    .strictObject({
      above: z.int().min(0).optional().describe("Those that make more than this go."),
      kinds: names.describe("Those of these kinds, or plurals with their group."),
    })
    .prefault({})
    .describe("Which deletions must carry the hash of a preview."),
});

export type GuardSettings = z.output<typeof GUARD_SPEC>;
export type Limit = z.output<typeof limit>;

/** A DeletionGuard as it counts: by its name, so that a refusal can say which one it was. */
export interface Guard extends GuardSettings {
  name: string;
  uid: string;
}

/** A DeletionGuard as far as it counts here. */
export interface GuardBody {
  metadata: { name: string; uid?: string };
  spec?: unknown;
}

export type GuardReading = { settings: GuardSettings } | { errors: FieldError[] };

/** Reads the `spec` of a DeletionGuard; says everything that is wrong with it. */
export function readGuard(spec: unknown): GuardReading {
  const result = GUARD_SPEC.safeParse(spec ?? {}, { reportInput: true });
  return result.success ? { settings: result.data } : { errors: result.error.issues.flatMap(fieldErrors) };
}

/** As it is stored. One that cannot be read freezes everything: when in doubt nothing is deleted. */
export function guardOf({ metadata, spec }: GuardBody): Guard {
  const reading = readGuard(spec);
  const settings = "settings" in reading ? reading.settings : { ...GUARD_SPEC.parse({}), freeze: true };
  return { name: metadata.name, uid: metadata.uid ?? "", ...settings };
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const field = issue.path.reduce<string>(
    (path, part) => (typeof part === "number" ? `${path}[${part}]` : `${path}.${String(part)}`),
    "spec",
  );
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => forbiddenValue(`${field}.${key}`, "is not a setting"));
  }
  const { input } = issue;
  if (issue.code === "invalid_type" && input === undefined) return [requiredValue(field, "")];
  return [invalidValue(field, typeof input === "object" ? JSON.stringify(input) : input, issue.message)];
}
