import { describe, expect, it } from "vitest";
import type { ChangeRow } from "../../db/changes.ts";
import { parseLabelSelector } from "../objects/selectors/label-selector.ts";
import { Change } from "./change.ts";
import { selectionOf } from "./selection.ts";
import { kindNamed, watchSpec } from "./watch-spec.fixture.ts";
import type { WatchSpec } from "./watch-spec.ts";

const body = (labels: Record<string, string>, phase = "Running") =>
  JSON.stringify({ metadata: { name: "web", namespace: "team", labels }, status: { phase } });

function seen(differences: Partial<WatchSpec>, row: Partial<ChangeRow>) {
  const change = new Change({
    version: 7,
    type: "MODIFIED",
    resource: "pods",
    namespace: "team",
    name: "web",
    body: body({}),
    previous_body: null,
    size: 0,
    ...row,
  });
  const told = change.seenBy(selectionOf(watchSpec({ kind: kindNamed("pods"), ...differences })));
  return told && `${told.type} ${told.state}`;
}

function labels(text: string) {
  const parsed = parseLabelSelector(text);
  if (!parsed.ok) throw new Error(text);
  return { labels: parsed.value };
}

describe("a change seen by a watch", () => {
  it("of another namespace is nothing", () => {
    expect(seen({ namespace: "other" }, {})).toBeUndefined();
    expect(seen({ namespace: "team" }, {})).toBe("MODIFIED current");
  });

  it("by name needs no state before, not even to stay what it is", () => {
    const named = (value: string, operator: "=" | "!=" = "=") =>
      seen({ fields: [{ field: "metadata.name", operator, value }] }, { body: "not read" });
    expect(named("web")).toBe("MODIFIED current");
    expect(named("api")).toBeUndefined();
    expect(named("web", "!=")).toBeUndefined();
  });

  it("by label compares the state before with the one after", () => {
    const selector = labels("app=web");
    const [web, api] = [body({ app: "web" }), body({ app: "api" })];
    expect(seen(selector, { body: web, previous_body: api })).toBe("ADDED current");
    expect(seen(selector, { body: api, previous_body: web })).toBe("DELETED previous");
    expect(seen(selector, { body: web, previous_body: web })).toBe("MODIFIED current");
    expect(seen(selector, { body: api, previous_body: api })).toBeUndefined();
    expect(seen(selector, { body: api, previous_body: null })).toBe("DELETED current");
    expect(seen(selector, { body: api, type: "DELETED" })).toBeUndefined();
    expect(seen(selector, { body: web, type: "DELETED" })).toBe("DELETED current");
  });

  it("by a field of the content does the same", () => {
    const fields = [{ field: "status.phase", operator: "=", value: "Running" }] as const;
    expect(seen({ fields }, { body: body({}, "Failed"), previous_body: body({}) })).toBe("DELETED previous");
  });
});
