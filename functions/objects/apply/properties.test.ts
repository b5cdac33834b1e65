import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { asJson } from "../object.ts";
import { History, kindNamed } from "./apply.fixture.ts";

const deployment = () => new History(kindNamed("Deployment"));

const word = fc.constantFrom("a", "b", "c");
const map = (names: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names), word, { maxKeys: 3, noNullPrototype: true });
const containers = (names: readonly string[]) =>
  fc.uniqueArray(
    fc.record(
      {
        name: fc.constantFrom(...names),
        image: word,
        env: fc.uniqueArray(fc.record({ name: word, value: word }), {
          selector: ({ name }) => name,
          minLength: 1,
        }),
        command: fc.array(word, { maxLength: 2 }),
      },
      { requiredKeys: ["name"] },
    ),
    { selector: ({ name }) => name, minLength: 1, maxLength: 3 },
  );

/**
 * Configurations that speak of fields with these names only; `scalar` is a field of the spec. No list is empty: an empty
 * one has no owner.
 */
const configuration = (names: readonly string[], scalar: string): fc.Arbitrary<JsonObject> =>
  fc.record(
    {
      metadata: fc.record({ labels: map(names) }),
      spec: fc.record(
        {
          [scalar]: word,
          template: fc.record({ spec: fc.record({ containers: containers(names) }) }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;

const ONE = configuration(["a", "b", "c"], "one");
const TWO = configuration(["x", "y", "z"], "two");

/** Without containers that hold nothing: nobody owns them, so nothing says whether they are there. */
function filled(value: Json): Json {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, item]) => [name, filled(item)] as const);
  return Object.fromEntries(
    fields.filter(([, item]) => typeof item !== "object" || Object.keys(item ?? {}).length > 0),
  );
}

const objectOf = ({ object }: History): Json =>
  object === undefined ? null : structuredClone(asJson(object));

describe("apply", () => {
  test("the second time changes nothing, and nobody's account", () => {
    fc.assert(
      fc.property(ONE, ONE, TWO, (first, second, others) => {
        const history = deployment().write("somebody", others).apply("flux", first, { force: true });
        history.apply("flux", second, { force: true });
        const once = history.fields;
        const owners = history.owners;
        history.apply("flux", second);
        expect(history.fields).toEqual(once);
        expect(history.owners).toEqual(owners);
      }),
    );
  });

  test("by two who speak of different fields never conflicts, in whatever order", () => {
    fc.assert(
      fc.property(ONE, ONE, TWO, TWO, (one, oneLater, two, twoLater) => {
        const history = deployment()
          .apply("one", one)
          .apply("two", two)
          .apply("one", oneLater)
          .apply("two", twoLater);
        const expected = deployment().apply("one", oneLater).apply("two", twoLater);
        expect(history.owners).toEqual(expected.owners);
      }),
    );
  });

  test("of nothing takes away all that the applier brought, and leaves what others brought", () => {
    fc.assert(
      fc.property(ONE, TWO, (one, two) => {
        const history = deployment().apply("one", one).apply("two", two).apply("one", {});
        expect(filled(history.fields)).toEqual(filled(deployment().apply("two", two).fields));
      }),
    );
  });

  test("with force succeeds whoever owns what, and then nobody who wants the same is in conflict", () => {
    fc.assert(
      fc.property(ONE, ONE, ONE, (written, applied, forced) => {
        const history = deployment().write("somebody", written).apply("one", applied, { force: true });
        history.apply("two", forced, { force: true });
        const { fields } = history;
        expect(history.apply("three", forced).fields).toEqual(fields);
      }),
    );
  });

  test("leaves its arguments alone", () => {
    fc.assert(
      fc.property(ONE, ONE, (written, applied) => {
        const history = deployment().write("somebody", written);
        const earlier = objectOf(history);
        const config = structuredClone(applied);
        history.tryApply("flux", config, { force: true });
        expect(objectOf(history)).toEqual(earlier);
        expect(config).toEqual(applied);
      }),
    );
  });
});
