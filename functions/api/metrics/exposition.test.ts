import { expect, test } from "vitest";
import { exposition, histogram } from "./exposition.ts";

test("a family is its help, its type and a line for each sample", () => {
  const text = exposition([
    {
      name: "things_total",
      help: "Things.",
      type: "counter",
      samples: [
        { labels: { kind: "a", place: "b" }, value: 1 },
        { labels: { kind: "c" }, value: 2.5 },
      ],
    },
    { name: "things", help: "None.", type: "gauge", samples: [] },
    { name: "up", help: "One.", type: "gauge", samples: [{ value: 1 }] },
  ]);
  expect(text).toBe(
    [
      "# HELP things_total Things.",
      "# TYPE things_total counter",
      'things_total{kind="a",place="b"} 1',
      'things_total{kind="c"} 2.5',
      "# HELP things None.",
      "# TYPE things gauge",
      "# HELP up One.",
      "# TYPE up gauge",
      "up 1",
      "",
    ].join("\n"),
  );
});

test("what would end a line or a value is escaped", () => {
  const samples = [{ labels: { text: 'a "quote", a \\ and\na line' }, value: 1 }];
  expect(exposition([{ name: "x", help: "one \\ and\nmore", type: "gauge", samples }])).toBe(
    [
      "# HELP x one \\\\ and\\nmore",
      "# TYPE x gauge",
      'x{text="a \\"quote\\", a \\\\ and\\na line"} 1',
      "",
    ].join("\n"),
  );
});

test("a histogram adds its buckets up", () => {
  const family = histogram("took_seconds", "Took.", { bounds: [0.1, 1], counts: [1, 2, 3], sum: 12.5 });
  expect(exposition([family])).toBe(
    [
      "# HELP took_seconds Took.",
      "# TYPE took_seconds histogram",
      'took_seconds_bucket{le="0.1"} 1',
      'took_seconds_bucket{le="1"} 3',
      'took_seconds_bucket{le="+Inf"} 6',
      "took_seconds_sum 12.5",
      "took_seconds_count 6",
      "",
    ].join("\n"),
  );
});
