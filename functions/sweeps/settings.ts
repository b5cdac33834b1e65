import { z } from "zod";
import { durationToMillis, parseDuration } from "../objects/duration.ts";
import { type FieldError, forbiddenValue, invalidValue, requiredValue } from "../objects/failure.ts";
import { labelFaults } from "../objects/metadata/names.ts";
import type { Millis } from "../objects/object.ts";
import { SWEEP_NAMES, type SweepName } from "./decision.ts";

/** What every sweep has. */
export interface SweepSwitch {
  enabled: boolean;
  /** Say what would be deleted, and delete nothing. */
  reportOnly: boolean;
}

export type SweepSettings = z.output<typeof SWEEP_POLICY_SPEC>;
export type SettingsOf<Name extends SweepName> = SweepSettings["sweeps"][Name];

const INT32_MAX = 2 ** 31 - 1;

/** A duration in Go's notation, as it is written to a manifest, read as milliseconds. */
function duration({ zero = false } = {}) {
  return z.string().transform((text, context): Millis => {
    const reading = parseDuration(text);
    const least = zero ? 0 : 1;
    if ("duration" in reading && durationToMillis(reading.duration) >= least) {
      return durationToMillis(reading.duration);
    }
    const message =
      "fault" in reading ? reading.fault : `must be ${zero ? "zero or more" : "at least a millisecond"}`;
    context.addIssue({ code: "custom", message, input: text });
    return z.NEVER;
  });
}

/** What a cluster lets us call. The address is checked again, as an address, when it is called. */
const endpoint = z.string().superRefine((text, context) => {
  const url = URL.parse(text);
  const fault =
    url === null
      ? "must be an absolute URL"
      : url.protocol !== "https:" && url.protocol !== "http:"
        ? "must be an http or https URL"
        : url.username !== "" || url.password !== ""
          ? "must not hold credentials"
          : url.hash !== ""
            ? "must not have a fragment"
            : undefined;
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault, input: text });
});

const namespaceName = z.string().superRefine((text, context) => {
  for (const fault of labelFaults(text)) context.addIssue({ code: "custom", message: fault, input: text });
});

const nonEmpty = z.string().min(1, "must not be empty");

/** `0` turns a count off, and so does a negative one, as on kube-controller-manager's command line. */
const threshold = (most: number) =>
  z
    .int()
    .min(-(2 ** 31))
    .max(INT32_MAX)
    .default(most);

const sweep = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .strictObject({ enabled: z.boolean().default(true), reportOnly: z.boolean().default(false), ...shape })
    .prefault({} as never);

/**
 * `spec` of a SweepPolicy, `gc.kubegc.dev/v1alpha1`. Names and defaults are upstream's where upstream has the setting:
 * flags of kube-controller-manager, kube-apiserver and cloud-controller-manager, or the constants of their sources.
 */
export const SWEEP_POLICY_SPEC = z.strictObject({
  reportOnly: z
    .boolean()
    .default(false)
    .describe("For all sweeps at once; a sweep's own reportOnly can only add to it."),
  sweeps: z
    .strictObject({
      orphans: sweep({
        resyncPeriod: duration()
          .prefault("24h")
          .describe("How often a whole cluster is gone through for what the graph did not see."),
      }),
      certificatesigningrequests: sweep({
        approvedExpiration: duration().prefault("1h").describe("Approved and issued."),
        deniedExpiration: duration().prefault("1h").describe("Denied, and failed."),
        pendingExpiration: duration().prefault("24h").describe("No condition at all."),
        unissuedExpiration: duration()
          .nullable()
          .default(null)
          .describe(
            "Approved, never issued and never failed: upstream keeps these for ever, and so does null.",
          ),
      }),
      leases: sweep({
        ownerlessNodeLeaseGracePeriod: duration({ zero: true })
          .prefault("5m")
          .describe("After a Node Lease ran out, with no Node of its name and no owner."),
        ownedNodeLeaseGracePeriod: duration({ zero: true })
          .prefault("1h")
          .describe("The same for one that names an owner, which the collector should have dealt with."),
        leaseCandidateValidDuration: duration()
          .prefault("30m")
          .describe("LeaseCandidates that were not renewed for so long."),
      }),
      jobs: sweep({}),
      cronjobs: sweep({}),
      pods: sweep({
        terminatedPodGCThreshold: threshold(12500),
        terminatedPodGCThresholdPerNamespace: threshold(0).describe(
          "The same for each namespace by itself; upstream has no such count.",
        ),
        orphanQuarantine: duration()
          .prefault("40s")
          .describe("How long a Node must be gone before its Pods go."),
      }),
      persistentvolumes: sweep({
        storageObjectInUseProtection: z
          .boolean()
          .default(true)
          .describe("Adds protection finalizers. They are taken off either way, as upstream does."),
        /** Frees the storage behind a volume. Without it a volume with policy Delete fails, as without a plugin. */
        deleter: z
          .strictObject({
            url: endpoint,
            provisioners: z
              .array(nonEmpty)
              .max(100)
              .default([])
              .describe("Also for volumes of these provisioners, which are somebody else's otherwise."),
          })
          .nullable()
          .default(null),
      }),
      nodes: sweep({
        nodeMonitorPeriod: duration().prefault("5s"),
        instanceProvider: z
          .strictObject({ url: endpoint })
          .nullable()
          .default(null)
          .describe("Knows which machines exist. Without it no Node is ever deleted."),
      }),
      events: sweep({ eventTTL: duration().prefault("1h") }),
      secrets: sweep({
        tokenCleaner: z
          .boolean()
          .default(true)
          .describe(
            "Bootstrap tokens past their expiration. kubeadm turns upstream's controller on, which is off by itself.",
          ),
        legacyServiceAccountTokenCleanUpPeriod: duration().prefault("8760h"),
      }),
      revisions: sweep({}),
      ttl: sweep({
        excludeNamespaces: z
          .array(namespaceName)
          .max(1000)
          .default(["kube-system"])
          .describe("kube-janitor's defaults."),
        excludeResources: z
          .array(nonEmpty)
          .max(1000)
          .default(["events", "controllerrevisions"])
          .describe("Plurals, or plurals with their group: controllerrevisions, widgets.example.com."),
      }),
    })
    .prefault({}),
});

/** A cluster without a SweepPolicy. */
export const DEFAULT_SETTINGS: SweepSettings = SWEEP_POLICY_SPEC.parse({});

export type SettingsReading = { settings: SweepSettings } | { errors: FieldError[] };

/** Reads the `spec` of a SweepPolicy; says everything that is wrong with it. An absent spec is the defaults. */
export function readSettings(spec: unknown): SettingsReading {
  const result = SWEEP_POLICY_SPEC.safeParse(spec ?? {}, { reportInput: true });
  return result.success ? { settings: result.data } : { errors: result.error.issues.flatMap(fieldErrors) };
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const field = issue.path.reduce<string>(
    (path, part) => (typeof part === "number" ? `${path}[${part}]` : `${path}.${String(part)}`),
    "spec",
  );
  if (issue.code === "unrecognized_keys") {
    const detail =
      field === "spec.sweeps"
        ? `is not a sweep; the sweeps are ${SWEEP_NAMES.join(", ")}`
        : "is not a setting";
    return issue.keys.map((key) => forbiddenValue(`${field}.${key}`, detail));
  }
  const { input } = issue;
  if (issue.code === "invalid_type" && input === undefined) return [requiredValue(field, "")];
  const shown = typeof input === "object" ? JSON.stringify(input) : input;
  return [invalidValue(field, shown, detailOf(issue))];
}

function detailOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be of type ${issue.expected === "int" ? "integer" : issue.expected}`;
    case "too_big":
      return `must be less than or equal to ${issue.maximum}${issue.origin === "array" ? " items" : ""}`;
    case "too_small":
      return issue.origin === "string" ? issue.message : `must be greater than or equal to ${issue.minimum}`;
    default:
      return issue.message;
  }
}
