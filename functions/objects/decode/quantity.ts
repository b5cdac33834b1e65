const SHAPE = /^(?<number>[+-]?[0-9]*\.?[0-9]*)(?<suffix>[eEinumkKMGTP]*[-+]?[0-9]*)$/;
const SUFFIX = /^(?:[numkMGTPE]?|[KMGTPE]i|[eE][-+]?[0-9]+)$/;

/** Suffixes that need a digit in front: their scale is beyond what is counted in an int64. */
const NEEDS_DIGITS = /^(?:[PE]i|[eE]-[0-9]*[1-9][0-9]+)$/;

/**
 * What is wrong with a text as an amount such as `500m` or `1Gi`; undefined when it is one. Digits may be missing, as
 * upstream has it: `Gi` is none of them.
 *
 * Source: k8s.io/apimachinery `api/resource/quantity.go` (ParseQuantity).
 */
export function quantityFault(text: string): string | undefined {
  const { number = "", suffix = "" } = SHAPE.exec(text.trim())?.groups ?? {};
  if (number === "" && suffix === "") {
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  }
  if (!SUFFIX.test(suffix)) return "unable to parse quantity's suffix";
  const hasDigits = /[0-9]/.test(number);
  return hasDigits || !NEEDS_DIGITS.test(suffix) ? undefined : "unable to parse numeric part of quantity";
}
