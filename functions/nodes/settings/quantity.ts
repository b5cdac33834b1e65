const SUFFIXES: ReadonlyMap<string, number> = new Map([
  ["n", 1e-9],
  ["u", 1e-6],
  ["m", 1e-3],
  ["", 1],
  ["k", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["T", 1e12],
  ["P", 1e15],
  ["E", 1e18],
  ["Ki", 2 ** 10],
  ["Mi", 2 ** 20],
  ["Gi", 2 ** 30],
  ["Ti", 2 ** 40],
  ["Pi", 2 ** 50],
  ["Ei", 2 ** 60],
]);

/**
 * A Kubernetes quantity such as `80Gi`, `1.5G` or `1e9`, rounded up to a whole number; undefined when it is none.
 *
 * Source: k8s.io/apimachinery `api/resource`. Precision is that of a double, which is enough for sizes of disks.
 */
export function readQuantity(text: string): number | undefined {
  const match = /^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:[eE]([+-]?[0-9]{1,3})|([a-zA-Z]{0,2}))$/.exec(text);
  if (match === null) return undefined;
  const [, number = "", exponent, suffix = ""] = match;
  const scale = exponent === undefined ? SUFFIXES.get(suffix) : 10 ** Number(exponent);
  if (scale === undefined) return undefined;
  const value = Number(number) * scale;
  return Number.isFinite(value) ? Math.ceil(value) : undefined;
}
