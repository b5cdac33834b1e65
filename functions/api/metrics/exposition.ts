/** A metric with all of its samples. */
export interface Family {
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram";
  samples: readonly Sample[];
}

export interface Sample {
  /** Of a histogram. */
  suffix?: "_bucket" | "_sum" | "_count";
  labels?: Readonly<Record<string, string>>;
  value: number;
}

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Families as text. Source: Prometheus, "Exposition formats", text-based format 0.0.4. */
export function exposition(families: readonly Family[]): string {
  return families.map(familyText).join("");
}

function familyText({ name, help, type, samples }: Family): string {
  const lines = samples.map(
    ({ suffix = "", labels = {}, value }) => `${name}${suffix}${labelsText(labels)} ${numberText(value)}\n`,
  );
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([key, value]) => `${key}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");

const numberText = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);

/**
 * A histogram from what fell into each bucket by itself. `counts` has one more than there are upper bounds, for what is
 * above them all.
 */
export function histogram(
  name: string,
  help: string,
  { bounds, counts, sum }: { bounds: readonly number[]; counts: readonly number[]; sum: number },
): Family {
  return { name, help, type: "histogram", samples: histogramSamples({}, { bounds, counts, sum }) };
}

/** The samples of one histogram of a family that has several, by these labels. */
export function histogramSamples(
  labels: Readonly<Record<string, string>>,
  { bounds, counts, sum }: { bounds: readonly number[]; counts: readonly number[]; sum: number },
): Sample[] {
  let total = 0;
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, i): Sample => {
    total += counts[i] ?? 0;
    return { suffix: "_bucket", labels: { ...labels, le: numberText(bound) }, value: total };
  });
  return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: total }];
}
