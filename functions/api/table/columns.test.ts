import { describe, expect, test } from "vitest";
import recorded from "../../../test/recorded/table-columns-1.20.json" with { type: "json" };
import type { Kind } from "../../objects/kind.ts";
import { kindRegistry } from "../../objects/kinds/registry.ts";
import { groupResource } from "../../objects/object.ts";
import { columnsOf } from "./printers.ts";

const configmaps = kindRegistry([]).served("", "v1", "configmaps");
if (configmaps === undefined) throw new Error("no configmaps");
const ordinary = configmaps;

function kindAt(path: string): Kind {
  const parts = path.split("/");
  const [version = "", resource = ""] = parts.slice(-2);
  const group = parts.length === 3 ? (parts[0] ?? "") : "";
  const served = kindRegistry([]).served(group, version, resource);
  return served ?? { ...ordinary, group, resource, storedAs: groupResource(group, resource) };
}

describe("columns are those of a Kubernetes 1.20 API server", () => {
  test.each(Object.entries(recorded))("%s", (path, columns) => {
    const ours = columnsOf(kindAt(path)).map(({ name, type, format, priority }) => ({
      name,
      type,
      format,
      priority,
    }));
    expect(ours).toEqual(columns);
  });

  test.each(Object.keys(recorded))("%s: every column says what it shows", (path) => {
    for (const { description } of columnsOf(kindAt(path))) expect(description).toMatch(/^[A-Z0-9].*\.$/);
  });
});

test("events print alike in both of their groups", () => {
  expect(columnsOf(kindAt("events.k8s.io/v1/events"))).toBe(columnsOf(kindAt("v1/events")));
});

test("a kind without a printer shows its name and age", () => {
  const kind: Kind = { ...ordinary, resource: "widgets", storedAs: groupResource("", "widgets") };
  expect(columnsOf(kind).map(({ name }) => name)).toEqual(["Name", "Age"]);
});
