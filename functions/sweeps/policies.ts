import { isJsonObject } from "../objects/json.ts";
import { SWEEP_NAMES } from "./decision.ts";
import { DEFAULT_SETTINGS, readSettings, type SweepSettings } from "./settings.ts";

/** Where SweepPolicies are stored. */
export const SWEEP_POLICIES = "sweeppolicies.gc.kubegc.dev";

/** A SweepPolicy as far as it counts here. */
export interface PolicyBody {
  metadata: { name: string };
  spec?: unknown;
}

/**
 * The settings of a cluster from all its SweepPolicies. Each sweep is set, as a whole, by the first policy in the order of
 * names that has it under `spec.sweeps`, and by the defaults when none has. `spec.reportOnly: true` in any of them holds
 * for the whole cluster, and so does a policy that cannot be read: when in doubt nothing is deleted.
 */
export function clusterSettings(policies: readonly PolicyBody[]): SweepSettings {
  if (policies.length === 0) return DEFAULT_SETTINGS;
  const settings: SweepSettings = { reportOnly: false, sweeps: { ...DEFAULT_SETTINGS.sweeps } };
  const byName = [...policies].sort((a, b) => (a.metadata.name < b.metadata.name ? 1 : -1));
  // The last one first, so that an earlier one has the last word.
  for (const { spec } of byName) {
    const reading = readSettings(spec);
    if ("errors" in reading) {
      settings.reportOnly = true;
      continue;
    }
    settings.reportOnly ||= reading.settings.reportOnly;
    const said = isJsonObject(spec) && isJsonObject(spec.sweeps) ? spec.sweeps : {};
    for (const name of SWEEP_NAMES) {
      if (Object.hasOwn(said, name))
        Object.assign(settings.sweeps, { [name]: reading.settings.sweeps[name] });
    }
  }
  return settings;
}
