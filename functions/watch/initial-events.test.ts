import { describe, expect, it } from "vitest";
import { InitialEvents } from "./initial-events.ts";
import { selectionOf } from "./selection.ts";
import { watchSpec } from "./watch-spec.fixture.ts";

describe("existing objects sent in pages", () => {
  const initial = new InitialEvents(selectionOf(watchSpec({ namespace: "team" })));

  it("begin at the start of the namespace and go on after the last object sent", () => {
    expect(initial.after).toEqual({ namespace: "team", name: "" });
    initial.pageSent({ namespace: "team", name: "m" }, 10);
    expect(initial.after).toEqual({ namespace: "team", name: "m" });
    expect(initial.complete).toBe(false);
  });

  it("are exact once the changes up to the last page have followed, each unless its object's page showed it", () => {
    initial.pageSent(undefined, 14);
    expect(initial).toMatchObject({ complete: true, since: 10, until: 14 });
    const showed = (name: string, version: number) => initial.showed({ namespace: "team", name, version });
    expect(showed("a", 10)).toBe(true);
    expect(showed("m", 11)).toBe(false);
    expect(showed("n", 14)).toBe(true);
    expect(showed("n", 15)).toBe(false);
  });
});
