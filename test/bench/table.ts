import type { Measured, Result } from "./result.ts";

const HEAD = ["", "median", "best", "target", "", "of the ceiling", "the ceiling"];

/** One table of all rows, then what there is to say about them. */
export function tableOf(results: readonly Result[]): string {
  const lines = results.map((result) => ("error" in result ? [result.title, result.error] : cellsOf(result)));
  const widths = HEAD.map((head, column) =>
    Math.max(
      head.length,
      ...lines.filter((cells) => cells.length > 2).map((cells) => cells[column]?.length ?? 0),
    ),
  );
  const titles = Math.max(...results.map(({ title }) => title.length));
  widths[0] = titles;
  const notes = results.flatMap((result) =>
    "error" in result || result.note === undefined ? [] : [`${result.title}: ${result.note}`],
  );
  return [HEAD, ...lines]
    .map((cells) => cells.map((cell, column) => aligned(cell, column, widths[column] ?? 0)).join("  "))
    .concat("", notes)
    .map((line) => line.trimEnd())
    .join("\n");
}

function cellsOf(result: Measured): string[] {
  const { unit, title, target, shareWanted, share, met, ceiling } = result;
  const wanted = `${unit === "ms" ? "<" : ">"} ${figure(target, unit)}`;
  return [
    title,
    figure(result.median, unit),
    figure(result.best, unit),
    shareWanted === undefined ? wanted : `${wanted}, ${percent(shareWanted)}`,
    met ? "met" : "MISSED",
    percent(share),
    `${figure(ceiling.median, unit)}  ${ceiling.what}`,
  ];
}

/** Figures to the right, words to the left. */
function aligned(cell: string, column: number, width: number): string {
  return [1, 2, 3, 5].includes(column) && !/[a-z]{4}/.test(cell) ? cell.padStart(width) : cell.padEnd(width);
}

/** `17,230/s`, `103 ms`, `4.7 ms` */
export function figure(value: number, unit: Measured["unit"]): string {
  if (unit !== "ms") return `${Math.round(value).toLocaleString("en")}/s`;
  return `${value < 100 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value)} ms`;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
