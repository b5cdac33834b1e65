import { type FieldError, invalidValue } from "../../objects/failure.ts";
import { matchesLabels } from "../../objects/selectors/label-selector.ts";
import { thresholdFault } from "./collection-policy.ts";
import { DEFAULT_EVICTION_HARD } from "./eviction.ts";
import {
  DEFAULT_HIGH_THRESHOLD,
  DEFAULT_LOW_THRESHOLD,
  DEFAULT_MINIMUM_AGE,
  DEFAULT_TRANSITION_PERIOD,
} from "./kubelet-configuration.ts";
import type { NodePolicy } from "./node-policy.ts";
import type { PolicyFields } from "./policy-fields.ts";
import type { NodeSettings } from "./settings.ts";

export interface EffectiveSettings {
  readonly settings: NodeSettings;
  /** Names of the policies that count for the node, in the order in which they were laid over each other. */
  readonly policies: readonly string[];
  /** Policies that are right each by itself but not together. The settings are report-only then. */
  readonly faults: readonly FieldError[];
}

/**
 * What counts for a node: the defaults, over them the policies without a selector, over them those whose selector matches
 * its labels, each of both in the order of their names. A later policy replaces single settings of an earlier one;
 * only the lists of images that are kept or protected add up, so that a policy for some nodes cannot lose what the
 * cluster keeps.
 */
export function settingsOf(
  policies: readonly NodePolicy[],
  nodeLabels: Record<string, string> | undefined,
): EffectiveSettings {
  const byName = [...policies].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const base = byName.filter(({ selector }) => selector === undefined);
  const matching = byName.filter(
    ({ selector }) => selector !== undefined && matchesLabels(selector, nodeLabels),
  );
  const chosen = [...base, ...matching];
  const merged = chosen.reduce<PolicyFields>((below, { fields }) => layOver(below, fields), {});
  const faults = faultsTogether(merged);
  const settings = complete(merged);
  return {
    settings: faults.length > 0 ? { ...settings, reportOnly: true } : settings,
    policies: chosen.map(({ name }) => name),
    faults,
  };
}

/** A cluster without a NodePolicy. */
export const DEFAULT_NODE_SETTINGS: NodeSettings = complete({});

function layOver(below: PolicyFields, above: PolicyFields): PolicyFields {
  return {
    ...below,
    ...above,
    ...(below.keep && above.keep && { keep: [...below.keep, ...above.keep] }),
    ...(below.protect && above.protect && { protect: [...below.protect, ...above.protect] }),
  };
}

function faultsTogether(fields: PolicyFields): FieldError[] {
  const high = fields.highThresholdPercent ?? DEFAULT_HIGH_THRESHOLD;
  const low = fields.lowThresholdPercent ?? DEFAULT_LOW_THRESHOLD;
  const { maximumAge = 0, minimumAge = DEFAULT_MINIMUM_AGE } = fields;
  const fault = thresholdFault(high, low);
  return [
    ...(fault ? [invalidValue(`spec.${fault.field}`, low, fault.message)] : []),
    ...(maximumAge > 0 && maximumAge <= minimumAge
      ? [
          invalidValue(
            "spec.kubeletConfiguration.imageMaximumGCAge",
            `${maximumAge}ms`,
            "must be greater than imageMinimumGCAge",
          ),
        ]
      : []),
  ];
}

function complete(fields: PolicyFields): NodeSettings {
  return {
    images: {
      highThresholdPercent: fields.highThresholdPercent ?? DEFAULT_HIGH_THRESHOLD,
      lowThresholdPercent: fields.lowThresholdPercent ?? DEFAULT_LOW_THRESHOLD,
      thresholdBytes: fields.thresholdBytes,
      minimumAge: fields.minimumAge ?? DEFAULT_MINIMUM_AGE,
      maximumAge: fields.maximumAge ?? 0,
      restartResetsAge: fields.restartResetsAge ?? false,
      keep: fields.keep ?? [],
      protect: fields.protect ?? [],
      registries: fields.registries ?? undefined,
    },
    containers: {
      minAge: fields.minAge ?? 0,
      maxPerPodContainer: fields.maxPerPodContainer ?? 1,
      maxContainers: fields.maxContainers ?? -1,
    },
    eviction: {
      hard: fields.evictionHard ?? DEFAULT_EVICTION_HARD,
      minimumReclaim: fields.minimumReclaim ?? {},
      pressureTransitionPeriod: fields.pressureTransitionPeriod ?? DEFAULT_TRANSITION_PERIOD,
    },
    reportOnly: fields.reportOnly ?? false,
    imagePeriod: fields.imagePeriod ?? 300_000,
    containerPeriod: fields.containerPeriod ?? 60_000,
  };
}
