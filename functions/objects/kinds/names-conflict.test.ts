import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { establish, isEstablished } from "./custom-resource.ts";
import { freesNames, nameClaim } from "./names-conflict.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

const crd = (plural: string, kind: string, more: JsonObject = {}, group = "example.com"): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural, kind, ...more },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

const established = (definition: JsonObject, ...others: JsonObject[]) =>
  establish(definition, NOW, others.map(nameClaim));

function conditions(definition: JsonObject): Record<string, string> {
  const { status } = definition as { status: { conditions: Record<string, string>[] } };
  return Object.fromEntries(
    status.conditions.map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]),
  );
}

const widgets = established(crd("widgets", "Widget", { shortNames: ["wi", "w"] }));

describe("the names of a definition", () => {
  test("are granted when nobody in the group has them", () => {
    const other = established(crd("gadgets", "Gadget", { shortNames: ["g"] }), widgets);
    expect(conditions(other)).toEqual({
      NamesAccepted: "True NoConflicts: no conflicts found",
      Established: "True InitialNamesAccepted: the initial names have been accepted",
    });
  });

  test.each<[string, JsonObject, string]>([
    ["a plural that is a short name", crd("wi", "Wiz"), 'PluralConflict: "wi" is already in use'],
    [
      "a singular that is a plural",
      crd("gadgets", "Gadget", { singular: "widgets" }),
      'SingularConflict: "widgets" is already in use',
    ],
    [
      "a short name",
      crd("gadgets", "Gadget", { shortNames: ["g", "w"] }),
      'ShortNamesConflict: "w" is already in use',
    ],
    [
      "two short names",
      crd("gadgets", "Gadget", { shortNames: ["wi", "w"] }),
      'ShortNamesConflict: ["wi" is already in use, "w" is already in use]',
    ],
    [
      "a kind, and the list kind and the singular that follow from it",
      crd("gadgets", "Widget"),
      'ListKindConflict: "WidgetList" is already in use',
    ],
  ])("are not when somebody has %s", (_, asking, conflict) => {
    const refused = established(asking, widgets);
    expect(conditions(refused)).toEqual({
      NamesAccepted: `False ${conflict}`,
      Established: "False NotAccepted: not all names are accepted",
    });
    expect(isEstablished(refused)).toBe(false);
  });

  test("of another group, and its own, are no conflict", () => {
    expect(isEstablished(established(crd("widgets", "Widget", {}, "other.com"), widgets))).toBe(true);
    expect(conditions(established(widgets, widgets))).toEqual(conditions(widgets));
  });

  test("are granted later, when they became free", () => {
    const waiting = established(crd("gadgets", "Widget"), widgets);
    expect(isEstablished(establish(waiting, NOW, []))).toBe(true);
  });

  test("stay granted, and the kind served, when an update asks for one that is taken", () => {
    const gadgets = established(crd("gadgets", "Gadget", { shortNames: ["g"] }), widgets);
    const greedy = crd("gadgets", "Gadget", { shortNames: ["g", "w"] });
    const refused = established({ ...greedy, status: gadgets.status ?? {} }, widgets);
    expect(conditions(refused)).toEqual({
      NamesAccepted: 'False ShortNamesConflict: "w" is already in use',
      Established: "True InitialNamesAccepted: the initial names have been accepted",
    });
    expect(refused).toMatchObject({ status: { acceptedNames: { shortNames: ["g"] } } });
  });

  test("become free when they are given up", () => {
    const claim = nameClaim(widgets);
    const fewer = nameClaim(established(crd("widgets", "Widget", { shortNames: ["wi"] })));
    expect(freesNames(claim, fewer)).toBe(true);
    expect(freesNames(fewer, claim)).toBe(false);
    expect(freesNames(claim, undefined)).toBe(true);
  });
});
