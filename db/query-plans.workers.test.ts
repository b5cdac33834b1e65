import { env } from "cloudflare:workers";
import { describe, expect, it, test } from "vitest";
import * as changes from "./changes.ts";
import type { Databases } from "./database.ts";
import * as lists from "./lists.ts";
import * as nodes from "./nodes.ts";
import * as reads from "./reads.ts";
import * as sql from "./sql.ts";
import * as sweeps from "./sweeps.ts";

const { DB } = env as unknown as Databases;

const constants = [sql, reads, lists, nodes, changes, sweeps, sweeps.MADE_DUE].flatMap((module) =>
  Object.entries(module).flatMap(([name, text]) =>
    typeof text === "string" ? [[name, text] as [string, string]] : [],
  ),
);
const scopes: lists.ListScope[] = ["everywhere", "namespace", "object"];
const built = scopes.flatMap((scope): [string, string][] => [
  [`a list, ${scope}`, lists.listPage(scope, false)],
  [`a list by label, ${scope}`, lists.listPage(scope, true)],
  [`a count, ${scope}`, lists.countObjects(scope)],
]);
const statements = [...constants, ...built];

async function planOf(text: string): Promise<string[]> {
  const parameters = [...text.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number));
  const { results } = await DB.prepare(`EXPLAIN QUERY PLAN ${text}`)
    .bind(...Array.from({ length: Math.max(0, ...parameters) }, () => 0))
    .all<{ detail: string }>();
  return results.map((row) => row.detail);
}

const TABLES = [
  "objects",
  "owner_refs",
  "labels",
  "changes",
  "work",
  "deletions",
  "namespaces_owner",
  "clusters",
  "sweep_runs",
  "sweep_totals",
  "cron_leases",
  "nodes",
  "node_images",
  "node_containers",
];

/** Tables and the names that the statement gives them. */
function tableNames(text: string): Set<string> {
  const names = new Set(TABLES);
  for (const [, table, alias] of text.matchAll(
    /\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?/g,
  )) {
    if (alias !== undefined && TABLES.includes(table ?? "")) names.add(alias);
  }
  return names;
}

describe("no statement goes through a whole table", () => {
  test.each(statements)("%s", async (_, text) => {
    const names = tableNames(text);
    // Sets and recursive steps are gone through; a table, or an index of one, is searched.
    const scans = (await planOf(text)).filter((step) => {
      const scanned = /^SCAN (\w+)(?! VIRTUAL TABLE)/.exec(step)?.[1];
      return scanned !== undefined && !step.includes("VIRTUAL TABLE") && names.has(scanned);
    });
    expect(scans).toEqual([]);
  });

  it("and the test sees one that does", async () => {
    const text = "SELECT o.name FROM objects o WHERE o.body LIKE ?1";
    expect(tableNames(text)).toContain("o");
    expect(await planOf(text)).toEqual(["SCAN o"]);
  });

  it("namespaces with work are found by the next key, not by looking at all work of a cluster", async () => {
    expect(await planOf(reads.READ_DUE_NAMESPACES)).toContainEqual(
      expect.stringContaining("(cluster,namespace)>(?,?)"),
    );
  });
});

describe("the order in which a cascade is gone through is that of list and index, without a sort", () => {
  test.each([
    ["dependents", reads.READ_DEPENDENTS, "SEARCH r USING PRIMARY KEY"],
    ["content", reads.READ_CONTENT, "SEARCH o USING INDEX objects_key"],
  ])("%s", async (_, text, search) => {
    const plan = await planOf(text);
    const outer = plan.findIndex((step) => step.startsWith("SCAN") && step.includes("VIRTUAL TABLE"));
    expect(plan[outer + 1]).toContain(search);
    // What is sorted afterwards is what the limit left.
    const cut = plan.findIndex((step) => step.startsWith("SCAN c"));
    const sorted = plan.findIndex((step) => step.includes("FOR ORDER BY"));
    expect(sorted === -1 || (cut !== -1 && sorted > cut)).toBe(true);
  });
});
