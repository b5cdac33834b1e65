const KUBERNETES_VERSION = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;
const STABILITY = { alpha: 0, beta: 1, stable: 2 } as const;

/**
 * Orders version names, the preferred one first: stable before beta before alpha, each by number descending, then
 * names of any other form in alphabetical order.
 * Source: Kubernetes, "Versions in CustomResourceDefinitions", version priority.
 */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [rank(a), rank(b)];
  if (first === undefined || second === undefined) {
    if (first !== undefined) return -1;
    if (second !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return second.stability - first.stability || second.major - first.major || second.minor - first.minor;
}

function rank(version: string): { stability: number; major: number; minor: number } | undefined {
  const parts = KUBERNETES_VERSION.exec(version);
  if (!parts) return undefined;
  const stability = parts[2] === "alpha" || parts[2] === "beta" ? parts[2] : "stable";
  return { stability: STABILITY[stability], major: Number(parts[1]), minor: Number(parts[3] ?? 0) };
}
