import type { NodeSettingsRow } from "../../../db/nodes.ts";
import type { Json } from "../../objects/json.ts";
import { readNodePolicy } from "../settings/node-policy.ts";
import type { NodeSettings } from "../settings/settings.ts";
import { settingsOf } from "../settings/settings-of.ts";

/**
 * What counts for a node, from what is stored. A policy is checked when it is written; one that cannot be read all the
 * same may have been meant to keep something, so nothing is removed until it is put right.
 */
export function settingsOfRow({ labels, policies }: NodeSettingsRow): NodeSettings {
  const readings = (JSON.parse(policies) as [string, Json | null][]).map(([name, spec]) =>
    readNodePolicy(name, spec ?? undefined),
  );
  const read = readings.flatMap((reading) => ("policy" in reading ? [reading.policy] : []));
  const nodeLabels = labels === null ? undefined : (JSON.parse(labels) as Record<string, string>);
  const { settings } = settingsOf(read, nodeLabels ?? undefined);
  return read.length < readings.length ? { ...settings, reportOnly: true } : settings;
}
