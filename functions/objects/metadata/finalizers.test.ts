import { describe, expect, test } from "vitest";
import {
  unqualifiedFinalizerWarnings,
  validateFinalizers,
  validateNoNewFinalizers,
  validateStandardFinalizers,
} from "./finalizers.ts";

describe("finalizers of a built-in kind", () => {
  test.each([
    [["example.com/foo"]],
    [["kubernetes"]],
    [["orphan"]],
    [["foregroundDeletion"]],
    [["a/b", "a/b"]],
  ])("%j are accepted", (finalizers) => {
    expect(validateFinalizers(finalizers)).toEqual([]);
    expect(validateStandardFinalizers(finalizers)).toEqual([]);
  });

  test("a name that is neither standard nor qualified is refused at its place", () => {
    expect(validateStandardFinalizers(["a/b", "foo"])).toEqual([
      {
        field: "metadata.finalizers[1]",
        type: "FieldValueInvalid",
        message: 'Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified',
      },
    ]);
  });
});

test("an empty name has the faults of a qualified name", () => {
  expect(validateFinalizers([""]).map(({ message }) => message.slice(0, 50))).toEqual([
    'Invalid value: "": name part must be non-empty',
    'Invalid value: "": name part must consist of alpha',
  ]);
});

test("orphan and foregroundDeletion exclude each other in any order", () => {
  expect(validateFinalizers(["foregroundDeletion", "a/b", "orphan"])).toEqual([
    {
      field: "metadata.finalizers",
      type: "FieldValueInvalid",
      message:
        'Invalid value: []string{"foregroundDeletion", "a/b", "orphan"}: finalizer orphan and foregroundDeletion cannot be both set',
    },
  ]);
});

test("a custom resource is warned about a name without a domain", () => {
  expect(unqualifiedFinalizerWarnings(["a/b", "orphan", "foo"])).toEqual([
    'metadata.finalizers: "foo": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
  ]);
});

describe("on a terminating object", () => {
  test.each([
    ["the same", ["x/a"], ["x/a"]],
    ["one taken off", ["x/b"], ["x/a", "x/b"]],
    ["all taken off", [], ["x/a"]],
    ["another order", ["x/b", "x/a"], ["x/a", "x/b"]],
    ["one repeated", ["x/a", "x/a"], ["x/a"]],
  ])("%s is allowed", (_, next, stored) => {
    expect(validateNoNewFinalizers(next, stored)).toEqual([]);
  });

  test.each([
    ["one added", ["x/a", "x/b"], ["x/a"], '"x/b"'],
    ["one replaced by another", ["x/c"], ["x/a"], '"x/c"'],
    ["two added, told in order", ["x/c", "x/b", "x/c"], [], '"x/b", "x/c"'],
  ])("%s is forbidden", (_, next, stored, told) => {
    expect(validateNoNewFinalizers(next, stored)).toEqual([
      {
        field: "metadata.finalizers",
        type: "FieldValueForbidden",
        message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${told}}`,
      },
    ]);
  });
});
