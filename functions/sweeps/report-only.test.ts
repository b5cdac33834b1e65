import { describe, expect, test } from "vitest";
import { type Decision, keep, referenceTo, remove, SWEEP_NAMES, skip } from "./decision.ts";
import { permitted } from "./report-only.ts";
import { policy, stored, T0 } from "./sweeps.fixture.ts";

const object = stored("configmaps", "c");
const patch = { next: object, subresource: undefined };
const deleted = remove(object, "ttl", "a test");

const CHANGES: Decision[] = [
  deleted,
  { act: "patch", patch, reason: "a test", next: null, events: [] },
  { act: "patch-then-delete", patch, deletion: deleted.deletion },
  { act: "ask", question: { ask: "delete-volume", url: "https://hooks.example/", volume: object } },
  { act: "ask", question: { ask: "recycle-volume", url: "https://hooks.example/", volume: object } },
];

const HARMLESS: Decision[] = [
  keep("lives", T0),
  skip("unreadable"),
  {
    act: "ask",
    question: { ask: "instance-exists", url: "https://hooks.example/", node: "n1", providerID: "" },
  },
  {
    act: "ask",
    question: { ask: "instance-shutdown", url: "https://hooks.example/", node: "n1", providerID: "" },
  },
];

describe.each(SWEEP_NAMES)("%s in report-only mode", (name) => {
  test("changes nothing, and says what it would", () => {
    for (const settings of [policy({ [name]: { reportOnly: true } }), policy({}, { reportOnly: true })]) {
      for (const would of CHANGES) expect(permitted(would, name, settings)).toEqual({ act: "report", would });
      for (const decision of HARMLESS) expect(permitted(decision, name, settings)).toEqual(decision);
    }
  });

  test("leaves the others to delete", () => {
    const settings = policy({ [name]: { reportOnly: true } });
    for (const other of SWEEP_NAMES.filter((each) => each !== name)) {
      expect(permitted(deleted, other, settings)).toBe(deleted);
    }
  });
});

test("in report-only mode not even an Event is written", () => {
  const about = referenceTo(object);
  const noted: Decision = {
    ...keep("in use"),
    events: [{ when: "done", type: "Normal", reason: "VolumeDelete", message: "", component: "c", about }],
  };
  expect(permitted(noted, "persistentvolumes", policy({}, { reportOnly: true }))).toEqual(keep("in use"));
  expect(permitted(noted, "persistentvolumes", policy())).toBe(noted);
});
