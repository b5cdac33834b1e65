import { entriesAt, listAt, textAt, textsAt } from "./reading.ts";

/** Labels as `a=1,b=2` in order of their keys, `<none>` when there are none. As upstream's `labels.FormatLabels`. */
export function labelsText(value: unknown, ...path: readonly string[]): string {
  const labels = entriesAt(value, ...path).map(([key, text]) => `${key}=${text}`);
  return labels.length === 0 ? "<none>" : labels.sort().join(",");
}

/**
 * A LabelSelector object (`matchLabels`, `matchExpressions`) as selector text in order of its keys: `<none>` when it is absent
 * or empty, `<error>` when an operator is unknown. As upstream's `metav1.FormatLabelSelector`.
 */
export function labelSelectorText(value: unknown, ...path: readonly string[]): string {
  const requirements = selectorRequirements(value, path);
  if (requirements === undefined) return "<error>";
  return requirements === "" ? "<none>" : requirements;
}

/** The same in the words that Deployments use: empty and `<invalid>`. */
export function deploymentSelectorText(value: unknown, ...path: readonly string[]): string {
  return selectorRequirements(value, path) ?? "<invalid>";
}

function selectorRequirements(value: unknown, path: readonly string[]): string | undefined {
  const requirements = entriesAt(value, ...path, "matchLabels").map(
    ([key, text]): [string, string | undefined] => [key, `${key}=${text}`],
  );
  for (const expression of listAt(value, ...path, "matchExpressions")) {
    requirements.push([textAt(expression, "key"), expressionText(expression)]);
  }
  requirements.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const texts: string[] = [];
  for (const [, text] of requirements) {
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts.join(",");
}

function expressionText(expression: unknown): string | undefined {
  const key = textAt(expression, "key");
  const values = textsAt(expression, "values").sort().join(",");
  switch (textAt(expression, "operator")) {
    case "In":
      return `${key} in (${values})`;
    case "NotIn":
      return `${key} notin (${values})`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return undefined;
  }
}
