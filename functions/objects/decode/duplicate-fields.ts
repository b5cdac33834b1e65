/** Faults that are told of one body. */
const MOST = 50;

/** What of an object or a list has been read. */
interface Level {
  path: string;
  /** The fields so far; undefined for a list. */
  fields: Set<string> | undefined;
  /** Of a list: how many items have begun. */
  items: number;
  /** The field or item whose value comes next. */
  place: string;
}

/**
 * The paths of fields that come twice in an object of a JSON text; of them the parser kept the last. The text is valid
 * JSON. Goes through it once, without recursion.
 */
export function duplicateFields(json: string): string[] {
  const found = new Set<string>();
  const open: Level[] = [];
  let at = 0;
  const begin = (isObject: boolean) => {
    const outer = open.at(-1);
    open.push({ path: outer?.place ?? "", fields: isObject ? new Set() : undefined, items: 0, place: "" });
    enter(open.at(-1));
  };
  for (; at < json.length && found.size < MOST; at++) {
    const level = open.at(-1);
    switch (json[at]) {
      case "{":
        begin(true);
        break;
      case "[":
        begin(false);
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        enter(level);
        break;
      case '"': {
        const end = endOfString(json, at);
        // A string is a field's name when a colon follows it.
        if (level?.fields && isName(json, end + 1)) {
          const name = JSON.parse(json.slice(at, end + 1)) as string;
          level.place = level.path === "" ? name : `${level.path}.${name}`;
          if (level.fields.has(name)) found.add(level.place);
          level.fields.add(name);
        }
        at = end;
        break;
      }
    }
  }
  return [...found];
}

function enter(level: Level | undefined): void {
  if (level && level.fields === undefined) level.place = `${level.path}[${level.items++}]`;
}

function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end < 0 ? json.length : end;
}

/** Whether an odd number of backslashes stands before it. */
function isEscaped(json: string, at: number): boolean {
  let slashes = 0;
  while (json[at - slashes - 1] === "\\") slashes++;
  return at >= 0 && slashes % 2 === 1;
}

function isName(json: string, from: number): boolean {
  let at = from;
  while (json[at] === " " || json[at] === "\n" || json[at] === "\t" || json[at] === "\r") at++;
  return json[at] === ":";
}
