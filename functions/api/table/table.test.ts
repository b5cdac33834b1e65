import { describe, expect, test } from "vitest";
import type { Kind } from "../../objects/kind.ts";
import { kindRegistry } from "../../objects/kinds/registry.ts";
import type { KubeObject } from "../../objects/object.ts";
import { partialListOf, partialOf } from "./partial.ts";
import { type TableOptions, tableOf } from "./table.ts";

const now = Date.parse("2026-11-20T16:00:00Z");

function kind(resource: string): Kind {
  const found = kindRegistry([]).served("", "v1", resource);
  if (found === undefined) throw new Error(`no ${resource}`);
  return found;
}

const configmap: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "settings",
    namespace: "shop",
    uid: "11111111-2222-3333-4444-555555555555",
    resourceVersion: "7",
    creationTimestamp: "2026-11-20T15:55:00Z",
    labels: { app: "shop" },
  },
  data: { a: "1", b: "2" },
};

const options = (also: Partial<TableOptions> = {}): TableOptions => ({
  now,
  includeObject: "Metadata",
  listMeta: { resourceVersion: "9" },
  ...also,
});

describe("tableOf", () => {
  test("is a Table with a row of cells and the metadata of each object", () => {
    expect(tableOf(kind("configmaps"), [configmap], options())).toEqual({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "9" },
      columnDefinitions: [
        expect.objectContaining({ name: "Name", type: "string", format: "name", priority: 0 }),
        expect.objectContaining({ name: "Data", type: "string", format: "", priority: 0 }),
        expect.objectContaining({ name: "Age", type: "string", format: "", priority: 0 }),
      ],
      rows: [
        {
          cells: ["settings", 2, "5m"],
          object: {
            kind: "PartialObjectMetadata",
            apiVersion: "meta.k8s.io/v1",
            metadata: configmap.metadata,
          },
        },
      ],
    });
  });

  test("an empty list has its columns and no rows", () => {
    const table = tableOf(kind("configmaps"), [], options());
    expect(table.columnDefinitions).toHaveLength(3);
    expect(table.rows).toEqual([]);
  });

  test("a page says where the list goes on", () => {
    const listMeta = { resourceVersion: "9", continue: "next", remainingItemCount: 3 };
    expect(tableOf(kind("configmaps"), [], options({ listMeta })).metadata).toEqual(listMeta);
  });

  test.each<[includeObject: TableOptions["includeObject"], object: unknown]>([
    ["None", null],
    ["Metadata", partialOf(configmap)],
    ["Object", configmap],
  ])("with includeObject=%s", (includeObject, object) => {
    const table = tableOf(kind("configmaps"), [configmap], options({ includeObject }));
    expect(table.rows).toEqual([expect.objectContaining({ object })]);
  });

  test("comes in version v1beta1 when asked for", () => {
    const table = tableOf(kind("configmaps"), [configmap], options({ version: "v1beta1" }));
    expect(table).toMatchObject({
      apiVersion: "meta.k8s.io/v1beta1",
      rows: [{ object: { apiVersion: "meta.k8s.io/v1beta1" } }],
    });
  });

  test("later events of a watch leave the column definitions out", () => {
    const table = tableOf(kind("configmaps"), [configmap], options({ headers: false }));
    expect(table.columnDefinitions).toEqual([]);
    expect(table.rows).toHaveLength(1);
  });

  test("the row of a finished pod is marked as completed", () => {
    const pod = (phase: string): KubeObject => ({ ...configmap, kind: "Pod", status: { phase } });
    const table = tableOf(kind("pods"), [pod("Succeeded"), pod("Failed"), pod("Running")], options());
    expect(table.rows).toEqual([
      expect.objectContaining({
        conditions: [
          {
            type: "Completed",
            status: "True",
            reason: "Succeeded",
            message: "The pod has completed successfully.",
          },
        ],
      }),
      expect.objectContaining({
        conditions: [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }],
      }),
      expect.not.objectContaining({ conditions: expect.anything() }),
    ]);
  });

  test("objects with fields of unexpected types still print", () => {
    const odd: KubeObject = { ...configmap, spec: [1], status: "x", data: 5, subsets: {} };
    for (const kind of kindRegistry([]).all()) {
      const table = tableOf(kind, [odd], options());
      expect(JSON.stringify(table.rows)).toContain("settings");
    }
  });
});

describe("the table of a custom kind", () => {
  const widgets: Kind = {
    ...kind("configmaps"),
    group: "example.com",
    kind: "Widget",
    resource: "widgets",
    traits: { ...kind("configmaps").traits, custom: true },
  };
  const widget: KubeObject = {
    ...configmap,
    spec: { size: 3, ratio: 0.5, owner: { team: "a" }, on: true, names: ["x", "y"] },
    status: {
      checkedAt: "2026-11-20T14:00:00Z",
      broken: "x",
      conditions: [{ type: "Ready", status: "True" }],
    },
  };

  test("shows name and age when its definition names no columns", () => {
    const table = tableOf(widgets, [widget], options());
    expect(table.columnDefinitions).toEqual([
      expect.objectContaining({ name: "Name", type: "string", format: "name" }),
      expect.objectContaining({ name: "Age", type: "date" }),
    ]);
    expect(table.rows).toEqual([expect.objectContaining({ cells: ["settings", "5m"] })]);
  });

  test.each<[type: string, jsonPath: string, cell: unknown]>([
    ["string", ".spec.owner.team", "a"],
    ["string", ".spec.size", "3"],
    ["string", ".spec.on", "true"],
    ["string", ".spec.owner", '{"team":"a"}'],
    ["string", ".spec.names[1]", "y"],
    ["string", '.status.conditions[?(@.type=="Ready")].status', "True"],
    ["string", ".spec.missing", null],
    ["string", "spec.owner", null],
    ["integer", ".spec.size", 3],
    ["integer", ".spec.ratio", 0],
    ["integer", ".spec.on", null],
    ["number", ".spec.ratio", 0.5],
    ["boolean", ".spec.on", true],
    ["boolean", ".spec.size", null],
    ["date", ".status.checkedAt", "120m"],
    ["date", ".status.broken", "<invalid>"],
    ["date", ".status.missing", null],
  ])("a %s column at %s shows %j", (type, jsonPath, cell) => {
    const columns = [{ name: "X", type, jsonPath }];
    expect(tableOf(widgets, [widget], options({ columns }))).toMatchObject({
      columnDefinitions: [{ name: "Name" }, { name: "X", type, priority: 0, format: "" }],
      rows: [{ cells: ["settings", cell] }],
    });
  });

  test("a column keeps its description, format and priority", () => {
    const column = {
      name: "Size",
      type: "integer",
      jsonPath: ".spec.size",
      description: "How large.",
      format: "int32",
      priority: 1,
    };
    const { jsonPath: _, ...definition } = column;
    expect(tableOf(widgets, [], options({ columns: [column] })).columnDefinitions).toContainEqual(definition);
  });

  test("a column without a description names its path", () => {
    const columns = [{ name: "Size", type: "integer", jsonPath: ".spec.size" }];
    expect(tableOf(widgets, [], options({ columns })).columnDefinitions).toContainEqual(
      expect.objectContaining({
        description: "Custom resource definition column (in JSONPath format): .spec.size",
      }),
    );
  });
});

describe("PartialObjectMetadata", () => {
  test("is the object without anything but its metadata", () => {
    expect(partialOf(configmap)).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: configmap.metadata,
    });
  });

  test("a list of them has the list's own metadata", () => {
    const listMeta = { resourceVersion: "9", continue: "next", remainingItemCount: 1 };
    expect(partialListOf([configmap], listMeta, "v1beta1")).toEqual({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1beta1",
      metadata: listMeta,
      items: [partialOf(configmap, "v1beta1")],
    });
  });
});
