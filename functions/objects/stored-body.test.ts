import { describe, expect, test } from "vitest";
import type { KubeObject } from "./object.ts";
import { parseStored, servedBody, toStoredBody } from "./stored-body.ts";

const object: KubeObject = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "a", uid: "u", creationTimestamp: "2026-11-20T00:00:00Z", resourceVersion: "7" },
  spec: { replicas: 3 },
};

describe("a stored body", () => {
  test("has neither apiVersion nor kind nor resourceVersion, and begins with its metadata", () => {
    expect(toStoredBody(object)).toBe(
      '{"metadata":{"name":"a","uid":"u","creationTimestamp":"2026-11-20T00:00:00Z"},"spec":{"replicas":3}}',
    );
  });

  test("begins with its metadata also when another field is named like a number", () => {
    expect(toStoredBody({ ...object, 1: "x" })).toMatch(/^\{"metadata":\{"name"/);
  });

  test("is served in the version and with the resourceVersion that the reader knows", () => {
    const head = { apiVersion: "extensions/v1beta1", kind: "ReplicaSet", resourceVersion: 9 };
    expect(JSON.parse(servedBody(toStoredBody(object), head))).toEqual({
      ...object,
      apiVersion: "extensions/v1beta1",
      metadata: { ...object.metadata, resourceVersion: "9" },
    });
  });

  test("of an object with nothing but metadata is served whole", () => {
    const { spec: _, ...bare } = object;
    const head = { apiVersion: "apps/v1", kind: "ReplicaSet", resourceVersion: 7 };
    expect(parseStored(toStoredBody(bare as KubeObject), head)).toEqual(bare);
  });
});

describe("an event", () => {
  const event: KubeObject = {
    ...object,
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    regarding: { kind: "Pod", name: "p" },
    note: "hello",
    deprecatedCount: 2,
    reportingController: "c",
  };
  const core = { apiVersion: "v1", kind: "Event", resourceVersion: 7 };

  test("written in the newer group is read in the core group under the core group's names", () => {
    const read = parseStored(toStoredBody(event), core);
    expect(read).toMatchObject({
      involvedObject: { name: "p" },
      message: "hello",
      count: 2,
      reportingComponent: "c",
    });
    expect(read).not.toHaveProperty("note");
  });

  test("comes back as it was written in its own group", () => {
    expect(parseStored(toStoredBody(event), { ...core, apiVersion: "events.k8s.io/v1" })).toEqual(event);
  });
});
