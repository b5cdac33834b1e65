import { z } from "zod";
import { type FieldError, forbiddenValue, invalidValue, requiredValue } from "../objects/failure.ts";

/** A limit on how much may go: as a number, as a share of all objects of the cluster, or both. */
const limit = z
  .strictObject({ count: z.int().min(0).optional(), percent: z.number().min(0).max(100).optional() })
  .refine(({ count, percent }) => count !== undefined || percent !== undefined, {
    message: "must have a count, a percent or both",
  });

const names = z.array(z.string().min(1)).max(1000).default([]);

/** `spec` of a DeletionGuard, `gc.kubegc.dev/v1alpha1`. */
const SPEC = z.strictObject({
  /** Nothing at all is deleted while this is set, not by requests and not by sweeps. */
  freeze: z.boolean().default(false),
  /** The most that one request may make go, dependents included. */
  cascade: limit.optional(),
  /** The most that may go within an hour, this deletion included. */
  hour: limit.optional(),
  /** The most that one sweep may delete in a run. */
  sweep: limit.optional(),
  /** What never goes, neither by itself nor with something else. */
  protect: z
    .strictObject({
      /** Labels by key, or by `key=value`. */
      labels: names,
      /** Annotations by key, or by `key=value`. */
      annotations: names,
      /** Kinds, or plurals with their group: `PersistentVolume`, `widgets.example.com`. */
      kinds: names,
      namespaces: names,
    })
    .prefault({}),
  /** Which deletions must carry the hash of a preview. */
  requirePreview: z
    .strictObject({
      /** Those that make more than this go. */
      above: z.int().min(0).optional(),
      /** Those of these kinds, or plurals with their group. */
      kinds: names,
    })
    .prefault({}),
});

export type GuardSettings = z.output<typeof SPEC>;
export type Limit = z.output<typeof limit>;

/** A DeletionGuard as it counts: by its name, so that a refusal can say which one it was. */
export interface Guard extends GuardSettings {
  name: string;
}

export type GuardReading = { settings: GuardSettings } | { errors: FieldError[] };

/** Reads the `spec` of a DeletionGuard; says everything that is wrong with it. */
export function readGuard(spec: unknown): GuardReading {
  const result = SPEC.safeParse(spec ?? {}, { reportInput: true });
  return result.success ? { settings: result.data } : { errors: result.error.issues.flatMap(fieldErrors) };
}

/** As it is stored. One that cannot be read freezes everything: when in doubt nothing is deleted. */
export function guardOf({ metadata, spec }: { metadata: { name: string }; spec?: unknown }): Guard {
  const reading = readGuard(spec);
  const settings = "settings" in reading ? reading.settings : { ...SPEC.parse({}), freeze: true };
  return { name: metadata.name, ...settings };
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
