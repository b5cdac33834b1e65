/** The SQL of what is counted as it happens. A batch counts what it writes, so the counts are as true as the rows. */

/** ?2: [[name, label, how many more]]. */
export const COUNT = `
INSERT INTO counters (cluster, name, label, value)
SELECT ?1, e.value ->> 0, e.value ->> 1, e.value ->> 2 FROM json_each(?2) e WHERE true
ON CONFLICT (cluster, name, label) DO UPDATE SET value = value + excluded.value`;

/** ?2: uids of objects that are removed, and whose records began before: the rule is in them. */
export const COUNT_RECORDED = `
INSERT INTO counters (cluster, name, label, value)
SELECT ?1, 'deletions', d.rule, count(*)
FROM json_each(?2) e CROSS JOIN deletions d ON d.cluster = ?1 AND d.uid = e.value WHERE true GROUP BY d.rule
ON CONFLICT (cluster, name, label) DO UPDATE SET value = value + excluded.value`;

/** Removals are counted by the moment, in so many ms. */
export const REMOVED_BUCKET = 600_000;

/** How many objects there are, and how many went since the bucket ?2. */
export const READ_TOTALS = `
SELECT coalesce(sum(value) FILTER (WHERE name = 'objects'), 0) AS objects,
  coalesce(sum(value) FILTER (WHERE name = 'removed' AND CAST(label AS INTEGER) >= ?2), 0) AS removed
FROM counters WHERE cluster = ?1 AND name IN ('objects', 'removed')`;

/** Buckets before ?1. */
export const FORGET_REMOVED = "DELETE FROM counters WHERE name = 'removed' AND CAST(label AS INTEGER) < ?1";

/** All counters of a cluster: a row for each resource and each rule that it ever had. */
export const READ_COUNTERS =
  "SELECT name, label, value FROM counters WHERE cluster = ?1 ORDER BY name, label";

/** The outbox by task, as far as it is counted. */
export const COUNT_WORK = `
SELECT task, count(*) AS count FROM (SELECT task FROM work WHERE cluster = ?1 LIMIT 10000) GROUP BY task`;

/** What sweeps did: by namespace for Pods, for all namespaces together otherwise. */
export const SUM_SWEEP_TOTALS = `
SELECT iif(sweep = 'pods', namespace, '') AS namespace, sweep, rule, sum(deleted) AS deleted, sum(failed) AS failed
FROM sweep_totals WHERE cluster = ?1 GROUP BY 1, 2, 3 ORDER BY 2, 3, 1`;

/** The newest run of each sweep. Goes from sweep to sweep in the index. */
export const LAST_SWEEP_RUNS = `
WITH RECURSIVE named(sweep) AS (
  SELECT min(sweep) FROM sweep_runs WHERE cluster = ?1
  UNION ALL
  SELECT (SELECT min(r.sweep) FROM sweep_runs r WHERE r.cluster = ?1 AND r.sweep > n.sweep)
  FROM named n WHERE n.sweep IS NOT NULL)
SELECT r.sweep, r.started_at, r.found, r.deleted, r.skipped, r.failed
FROM named n CROSS JOIN sweep_runs r ON r.cluster = ?1 AND r.name = (
  SELECT l.name FROM sweep_runs l WHERE l.cluster = ?1 AND l.sweep = n.sweep ORDER BY l.started_at DESC LIMIT 1)
WHERE n.sweep IS NOT NULL ORDER BY r.sweep`;
