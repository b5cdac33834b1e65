const DIGIT = /[A-Za-z0-9+/]/;

/**
 * Where a text stops being standard base64, as a count of bytes, or undefined when it is. Line ends do not count, padding
 * must be there, and the position is the one Go's `encoding/base64` reports.
 */
export function base64Fault(text: string): number | undefined {
  const isLineEnd = (at: number) => text[at] === "\n" || text[at] === "\r";
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (isLineEnd(at)) continue;
    if (DIGIT.test(char)) {
      digits = (digits + 1) % 4;
      continue;
    }
    if (char !== "=" || digits < 2) return at;
    let next = at + 1;
    while (isLineEnd(next)) next++;
    if (digits === 2) {
      if (next === text.length) return text.length;
      if (text[next] !== "=") return next;
      next++;
      while (isLineEnd(next)) next++;
    }
    return next < text.length ? next : undefined;
  }
  return digits === 0 ? undefined : text.length - digits;
}
