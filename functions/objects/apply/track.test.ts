import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { timestamp } from "../object.ts";
import { History, kindNamed, START } from "./apply.fixture.ts";

const configMap = () => new History(kindNamed("ConfigMap"));
const entriesOf = ({ object }: History) => (object?.metadata.managedFields ?? []) as JsonObject[];

describe("a create", () => {
  test("makes its writer the owner of all there is", () => {
    const made = configMap().write("kubectl", {
      metadata: { labels: { app: "web" }, finalizers: ["x/y"] },
      data: { a: "1" },
      immutable: true,
    });
    expect(entriesOf(made)).toEqual([
      {
        manager: "kubectl",
        operation: "Update",
        apiVersion: "v1",
        time: timestamp(START + 1000),
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:data": { ".": {}, "f:a": {} },
          "f:immutable": {},
          "f:metadata": {
            "f:finalizers": { ".": {}, 'v:"x/y"': {} },
            "f:labels": { ".": {}, "f:app": {} },
          },
        },
      },
    ]);
  });

  test("does not make anybody the owner of what the server sets", () => {
    const pod = new History(kindNamed("Pod")).write("kubectl", {
      metadata: { uid: "u", creationTimestamp: "2026-11-20T16:20:00Z", generation: 1, generateName: "p-" },
      spec: { restartPolicy: "Always" },
      status: { phase: "Pending" },
    });
    expect(pod.owners).toEqual({
      "kubectl (Update)": { "f:metadata": { "f:generateName": {} }, "f:spec": { "f:restartPolicy": {} } },
    });
  });

  test("by somebody who does not say who they are is by unknown", () => {
    expect(Object.keys(configMap().write("", { data: { a: "1" } }).owners)).toEqual(["unknown (Update)"]);
  });

  test("without a field of its own has no owner", () => {
    expect(entriesOf(configMap().write("kubectl", {}))).toEqual([]);
  });
});

describe("an update", () => {
  const existing = () => configMap().write("one", { data: { a: "1", b: "2" } });

  test("takes the fields that it changes", () => {
    const after = existing().write("two", { data: { a: "1", b: "3" } });
    expect(after.owners).toEqual({
      "one (Update)": { "f:data": { ".": {}, "f:a": {} } },
      "two (Update)": { "f:data": { "f:b": {} } },
    });
  });

  test("takes fields from somebody who applied them", () => {
    const after = configMap()
      .apply("flux", { data: { a: "1" } })
      .write("kubectl-edit", { data: { a: "2" } });
    expect(after.owners).toEqual({ "kubectl-edit (Update)": { "f:data": { "f:a": {} } } });
  });

  test("that removes a field leaves it without an owner", () => {
    const after = existing().write("two", { data: { a: "1" } });
    expect(after.owners).toEqual({ "one (Update)": { "f:data": { ".": {}, "f:a": {} } } });
  });

  test("that removes all somebody owns removes their entry", () => {
    expect(entriesOf(existing().write("two", {}))).toEqual([]);
  });

  test("that changes nothing leaves the entries and their times", () => {
    const history = existing();
    const entries = structuredClone(entriesOf(history));
    expect(entriesOf(history.write("two", { data: { a: "1", b: "2" } }))).toEqual(entries);
  });

  test("of one's own fields keeps them and moves the time", () => {
    const after = existing().write("one", { data: { a: "1", b: "3" } });
    expect(entriesOf(after)).toMatchObject([{ manager: "one", time: timestamp(START + 2000) }]);
    expect(after.owners).toEqual({ "one (Update)": { "f:data": { ".": {}, "f:a": {}, "f:b": {} } } });
  });

  test("through a subresource is told apart", () => {
    const after = new History(kindNamed("Deployment"))
      .write("kubectl", { spec: { replicas: 1 } })
      .write("kubectl", { spec: { replicas: 2 } }, "scale");
    expect(after.owners).toEqual({ "kubectl (Update of scale)": { "f:spec": { "f:replicas": {} } } });
  });

  test("of an object that nobody keeps account of begins none", () => {
    const history = existing();
    if (history.object) history.object.metadata.managedFields = [];
    expect(entriesOf(history.write("two", { data: { a: "9" } }))).toEqual([]);
  });

  test("by many makes the oldest ones one", () => {
    const history = configMap().write("m00", { data: { k00: "1" } });
    const data: JsonObject = { k00: "1" };
    for (let i = 1; i < 13; i++) {
      const number = String(i).padStart(2, "0");
      data[`k${number}`] = "1";
      history.write(`m${number}`, { data: { ...data } });
    }
    const managers = entriesOf(history).map(({ manager }) => manager);
    expect(managers).toHaveLength(10);
    expect(managers).toContain("ancient-changes");
    expect(history.owners["ancient-changes (Update)"]).toEqual({
      "f:data": { ".": {}, "f:k00": {}, "f:k01": {}, "f:k02": {}, "f:k03": {} },
    });
  });
});

describe("managedFields that are sent", () => {
  const existing = () => configMap().write("one", { data: { a: "1" } });
  const entry = (manager: string, fieldsV1: JsonObject, more: JsonObject = {}): JsonObject => ({
    manager,
    operation: "Apply",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1,
    ...more,
  });
  const withEntries = (managedFields: JsonObject[]) =>
    existing().write("two", { metadata: { managedFields }, data: { a: "1" } });

  test("replace the stored ones", () => {
    expect(withEntries([entry("flux", { "f:data": { "f:a": {} } })]).owners).toEqual({
      flux: { "f:data": { "f:a": {} } },
    });
  });

  test.each([
    ["an empty list", []],
    ["one empty entry", [{}]],
  ])("clear them: %s", (_, entries) => {
    expect(entriesOf(withEntries(entries))).toEqual([]);
  });

  test.each([
    ["of another format", entry("flux", {}, { fieldsType: "FieldsV2" })],
    ["of no operation", entry("flux", {}, { operation: "" })],
    ["with fields nobody can read", entry("flux", { "k:{": {} })],
  ])("are ignored: %s", (_, invalid) => {
    expect(Object.keys(withEntries([invalid]).owners)).toEqual(["one (Update)"]);
  });

  test("are ignored where a subresource is written", () => {
    const entries = [entry("flux", { "f:data": { "f:a": {} } })];
    const after = existing().write(
      "two",
      { metadata: { managedFields: entries }, data: { a: "1" } },
      "status",
    );
    expect(Object.keys(after.owners)).toEqual(["one (Update)"]);
  });
});
