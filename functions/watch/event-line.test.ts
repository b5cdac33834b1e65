import { describe, expect, it } from "vitest";
import type { JsonObject } from "../objects/json.ts";
import { bookmark, type EventLine, errorEvent, objectEvent, plainTable } from "./event-line.ts";
import { kindNamed, watchSpec } from "./watch-spec.fixture.ts";
import { formOf, type Representation, type WatchSpec } from "./watch-spec.ts";
import { tooOld } from "./watch-status.ts";

const stored =
  '{"metadata":{"name":"web","creationTimestamp":"2026-11-20T16:20:03Z"},"spec":{"replicas":  1}}';
const deployments = { kind: kindNamed("deployments"), version: "v1" };
const text = (line: EventLine) => new TextDecoder().decode(line.bytes);
const parsed = (line: EventLine) => JSON.parse(text(line)) as JsonObject;

function event(representation: Representation, differences: Partial<WatchSpec> = {}, headers = true) {
  const form = formOf(watchSpec({ ...deployments, representation, ...differences }));
  return objectEvent("ADDED", stored, form, { now: 0, resourceVersion: 7, headers }, plainTable);
}

describe("an event's line", () => {
  it("carries the stored text untouched behind its kind, version and resourceVersion", () => {
    expect(text(event("object"))).toBe(
      '{"type":"ADDED","object":{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"resourceVersion":"7",' +
        '"name":"web","creationTimestamp":"2026-11-20T16:20:03Z"},"spec":{"replicas":  1}}}\n',
    );
  });

  it("carries the metadata alone when that was asked for", () => {
    expect(parsed(event("partial", { metaVersion: "v1beta1" }))).toEqual({
      type: "ADDED",
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1beta1",
        metadata: { resourceVersion: "7", name: "web", creationTimestamp: "2026-11-20T16:20:03Z" },
      },
    });
  });

  it("carries a Table, with column definitions only when they are due", () => {
    expect(parsed(event("table")).object).toMatchObject({
      kind: "Table",
      metadata: { resourceVersion: "7" },
      columnDefinitions: [{ name: "Name" }, { name: "Created At" }],
      rows: [{ cells: ["web", "2026-11-20T16:20:03Z"], object: { kind: "PartialObjectMetadata" } }],
    });
    expect(parsed(event("table", {}, false)).object).toMatchObject({ columnDefinitions: [] });
  });

  it.each([
    ["object", "Deployment", "apps/v1"],
    ["partial", "PartialObjectMetadata", "meta.k8s.io/v1"],
    ["table", "Table", "meta.k8s.io/v1"],
  ] as const)("that bookmarks a watch of kind %s names %s", (representation, kind, apiVersion) => {
    const line = bookmark(formOf(watchSpec({ ...deployments, representation })), 12);
    expect(parsed(line)).toMatchObject({
      type: "BOOKMARK",
      object: { kind, apiVersion, metadata: { resourceVersion: "12", creationTimestamp: null } },
    });
    expect(text(line)).not.toContain("annotations");
  });

  it("that ends the initial events says so in an annotation", () => {
    expect(parsed(bookmark(formOf(watchSpec()), 12, true))).toMatchObject({
      object: { metadata: { annotations: { "k8s.io/initial-events-end": "true" } } },
    });
  });

  it("that tells of a lost past is upstream's Status", () => {
    expect(parsed(errorEvent(tooOld(5, 12)))).toEqual({
      type: "ERROR",
      object: {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "too old resource version: 5 (12)",
        reason: "Expired",
        code: 410,
      },
    });
  });
});
