import type { Family } from "./exposition.ts";

/**
 * One query, and the metrics that come of its rows. `?1` is the cluster. A scrape is one batch of all of them, so each has
 * to cost little, however much the cluster holds.
 */
export interface MetricSource {
  sql: string;
  families(rows: readonly Record<string, unknown>[]): Family[];
}

/** A source whose rows have a type. */
export const metricSource = <Row>(
  sql: string,
  families: (rows: readonly Row[]) => Family[],
): MetricSource => ({
  sql,
  families: (rows) => families(rows as readonly Row[]),
});
