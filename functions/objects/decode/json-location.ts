/** Steps from the root of a JSON text: field names and list positions. */
export type JsonPath = readonly (string | number)[];

/**
 * Where the value at a path stands: the offsets of its first character and behind its last. The text is JSON and the
 * path exists in it; of fields with the same name the last counts, as it does for `JSON.parse`. Does not recurse.
 */
export function locateJson(text: string, path: JsonPath): { start: number; end: number } {
  let start = skipSpace(text, 0);
  for (const step of path) {
    const found = typeof step === "number" ? itemAt(text, start, step) : fieldAt(text, start, step);
    if (found === undefined) break;
    start = found;
  }
  return { start, end: skipValue(text, start) };
}

function itemAt(text: string, list: number, index: number): number | undefined {
  let at = skipSpace(text, list + 1);
  for (let i = 0; i < index; i++) {
    at = skipSpace(text, skipValue(text, at));
    if (text[at] !== ",") return undefined;
    at = skipSpace(text, at + 1);
  }
  return at;
}

function fieldAt(text: string, object: number, name: string): number | undefined {
  let found: number | undefined;
  let at = skipSpace(text, object + 1);
  while (text[at] === '"') {
    const end = skipValue(text, at);
    const isIt = JSON.parse(text.slice(at, end)) === name;
    const value = skipSpace(text, skipSpace(text, end) + 1);
    if (isIt) found = value;
    at = skipSpace(text, skipValue(text, value));
    if (text[at] !== ",") break;
    at = skipSpace(text, at + 1);
  }
  return found;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at++;
  return at;
}

function skipValue(text: string, from: number): number {
  let open = 0;
  let at = from;
  do {
    const char = text[at];
    if (char === '"') at = skipString(text, at);
    else if (char === "{" || char === "[") {
      open++;
      at++;
    } else if (char === "}" || char === "]") {
      open--;
      at++;
    } else if (open > 0) at++;
    else while (at < text.length && !",]} \t\r\n".includes(text.charAt(at))) at++;
  } while (open > 0 && at < text.length);
  return at;
}

function skipString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}
