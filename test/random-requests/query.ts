import type { Acquaintances } from "./acquaintances.ts";
import type { Dice } from "./dice.ts";

const LABEL_SELECTORS = [
  "app=x",
  "app==x,tier",
  "app!=x",
  "!app",
  "app in (x,y)",
  "app notin (x)",
  "tier=",
  "example.com/t",
  "app in ()",
  "app in (x",
  "a=b=c",
  ",",
  "=",
  "!",
  "app>5",
  "app<x",
  "é=x",
  "x".repeat(300),
  "(((",
  "app in (x),app notin (x)",
  " app = x ",
  "\u0000",
];
const FIELD_SELECTORS = [
  "metadata.name=a",
  "metadata.namespace=default",
  "metadata.name!=a",
  "status.phase=Running",
  "spec.nodeName=a",
  "spec.x=1",
  "metadata.name",
  "=",
  ",",
  "metadata.name=a,metadata.name=b",
  "metadata.name=a\\,b",
  "metadata.name==a",
  "involvedObject.kind=Pod",
  "type=Opaque",
  "spec.unschedulable=true",
];
const NUMBERS = [
  "0",
  "1",
  "2",
  "7",
  "500",
  "-1",
  "x",
  "",
  "1.5",
  "1e3",
  "99999999999999999999999",
  " 1",
  "0x10",
  "NaN",
  "4294967296",
];
const MANAGERS = ["kubectl", "", "x".repeat(200), "m\u0000n", "é"];

/** The parameters of a request, as pairs that are still to be encoded. */
export function queryOf(dice: Dice, method: string, known: Acquaintances): [string, string][] {
  const query: [string, string][] = [];
  const maybe = (chance: number, name: string, ...values: (string | undefined)[]) => {
    if (dice.percent(chance)) query.push([name, dice.one(values) ?? ""]);
  };
  if (method === "GET" || method === "HEAD" || method === "DELETE") {
    maybe(12, "labelSelector", ...LABEL_SELECTORS);
    maybe(10, "fieldSelector", ...FIELD_SELECTORS);
  }
  if (method === "GET" || method === "HEAD") {
    maybe(25, "limit", ...NUMBERS);
    maybe(
      15,
      "continue",
      known.continueToken(dice),
      known.continueToken(dice),
      "garbage",
      "",
      "e30",
      "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTUsInN0YXJ0IjoiLi4vIn0",
    );
    maybe(15, "resourceVersion", ...NUMBERS, known.one(dice)?.metadata.resourceVersion);
    maybe(8, "resourceVersionMatch", "Exact", "NotOlderThan", "", "Nope");
    if (dice.percent(4)) {
      query.push(["watch", dice.one(["1", "true", "0", "maybe", ""])]);
      query.push(["timeoutSeconds", dice.one(["1", "1", "1", "0", "-1", "x", "99999999999999999999"])]);
      maybe(30, "allowWatchBookmarks", "true", "x");
      maybe(20, "sendInitialEvents", "true", "false", "x");
    }
  }
  if (method !== "GET" && method !== "HEAD") {
    maybe(6, "dryRun", "All", "All", "", "Nope", "all");
    maybe(12, "fieldManager", ...MANAGERS);
    maybe(10, "fieldValidation", "Strict", "Warn", "Ignore", "", "Nope");
    maybe(8, "force", "true", "false", "x");
  }
  if (method === "PATCH" && dice.percent(70)) query.push(["fieldManager", dice.one(["one", "two"])]);
  if (method === "DELETE") {
    maybe(15, "propagationPolicy", "Background", "Foreground", "Orphan", "", "Nope");
    maybe(10, "gracePeriodSeconds", ...NUMBERS);
    maybe(3, "orphanDependents", "true", "false", "x");
    maybe(3, "uid", known.one(dice)?.metadata.uid, "x");
  }
  maybe(3, "pretty", "true", "1", "x");
  maybe(1, "__proto__", "x");
  return query;
}

/** As it stands in the URL, now and then not quite encoded. */
export function queryText(dice: Dice, query: readonly [string, string][]): string {
  if (query.length === 0) return dice.percent(1) ? dice.one(["?", "?&&=", "?%zz=%", "?a=%ff", "?limit"]) : "";
  const pairs = query.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`);
  if (dice.percent(2))
    pairs.push(dice.one(["limit=%zz", "labelSelector=%ff%fe", "&", "watch", "dryRun=All&dryRun=Nope"]));
  return `?${pairs.join("&")}`;
}
