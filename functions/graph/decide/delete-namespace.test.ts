import { describe, expect, it, test } from "vitest";
import type { DeleteOptions } from "../../objects/metadata/delete-options.ts";
import { timestamp } from "../../objects/object.ts";
import { deletion, EARLIER, kindOf, NOW, outcome, phaseOf, stored } from "./decide.fixture.ts";

const namespace = kindOf("namespaces");
const now = timestamp(NOW);

type Options = Partial<DeleteOptions>;

describe("a DELETE of a Namespace", () => {
  const active = (finalizers: string[] = []) =>
    stored(namespace, {
      metadata: finalizers.length > 0 ? { finalizers } : {},
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });

  const options: [string, Options][] = [
    ["nothing said", {}],
    ["Background", { propagationPolicy: "Background" }],
    ["Foreground", { propagationPolicy: "Foreground" }],
    ["Orphan", { propagationPolicy: "Orphan" }],
    ["orphanDependents=true", { orphanDependents: true }],
    ["orphanDependents=false", { orphanDependents: false }],
  ];
  const after: Record<string, string | undefined> = {
    Background: "",
    Foreground: "foregroundDeletion",
    Orphan: "orphan",
    "orphanDependents=true": "orphan",
    "orphanDependents=false": "foregroundDeletion",
  };
  const cases = options.flatMap(([option, sent]) =>
    ["", "orphan", "foregroundDeletion"].map((before) => ({ option, sent, before })),
  );
  test.each(cases)("#147 marks it, $option on [$before]", ({ option, sent, before }) => {
    const decision = deletion(active(before === "" ? [] : [before]), sent, namespace);
    const wanted = after[option] ?? before;
    expect(outcome(decision)).toEqual({
      deletionTimestamp: now,
      ...(wanted === "" ? {} : { finalizers: [wanted] }),
    });
    expect(decision.outcome === "keep" && phaseOf(decision.next)).toBe("Terminating");
  });

  it("#147 marks it even when nothing has to be finalized", () => {
    expect(deletion(stored(namespace), {}, namespace).outcome).toBe("keep");
  });

  const terminating = (specFinalizers: string[], finalizers: string[] = []) =>
    stored(namespace, {
      metadata: { deletionTimestamp: EARLIER, ...(finalizers.length > 0 ? { finalizers } : {}) },
      spec: { finalizers: specFinalizers },
      status: { phase: "Terminating" },
    });

  it("#148 a second time writes nothing while its spec has finalizers, whatever the policy", () => {
    const object = terminating(["kubernetes"]);
    for (const [, sent] of options) {
      expect(deletion(object, sent, namespace)).toEqual({ outcome: "keep", next: object, changed: false });
    }
  });

  it("#149 whose spec has none left keeps it for the finalizers of its metadata", () => {
    expect(deletion(terminating([], ["x/a"]), {}, namespace).outcome).toBe("keep");
    expect(deletion(terminating([]), {}, namespace).outcome).toBe("remove");
  });
});
