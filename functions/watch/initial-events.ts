import type { KeyedObjectRow } from "../../db/changes.ts";
import { Change } from "./change.ts";
import type { Selection } from "./selection.ts";

/** Where an object stands in the order of a list. */
export interface Key {
  namespace: string;
  name: string;
}

interface Page {
  /** Its last object; undefined for the page that ends the list. */
  last: Key | undefined;
  /** The cluster's newest resourceVersion when it was read. */
  version: number;
}

/**
 * The existing objects that a watch begins with. They are read in pages, each a consistent look at a later moment, so
 * the list as a whole is of no one moment. It becomes exact by what follows: the changes since the first page are
 * replayed, but for those of an object which its own page already showed. So for each object the client sees states in
 * order and none twice, and once the replay has passed the version of the last page, it holds the state of that
 * version.
 */
export class InitialEvents {
  readonly #pages: Page[] = [];
  readonly #selection: Selection;
  complete = false;

  constructor(selection: Selection) {
    this.#selection = selection;
  }

  /** What to read next: objects after this key. */
  get after(): Key {
    return this.#pages.at(-1)?.last ?? { namespace: this.#selection.namespace ?? "", name: "" };
  }

  /** Changes after this version are to be replayed. */
  get since(): number {
    return this.#pages[0]?.version ?? 0;
  }

  /** When the replay has come this far, the client's state is exact. */
  get until(): number {
    return this.#pages.at(-1)?.version ?? 0;
  }

  /** @param last the page's last object that was sent; undefined when the list is at its end. */
  pageSent(last: Key | undefined, version: number): void {
    this.#pages.push({ last, version });
    this.complete = last === undefined;
  }

  /** Whether the client already knows the outcome of a change from the object's page. */
  showed(change: Key & { version: number }): boolean {
    const page = this.#pages.find(({ last }) => last === undefined || compareKeys(change, last) <= 0);
    return page !== undefined && change.version <= page.version;
  }
}

/** An existing object as the change that a watcher is told of. */
export function existing(row: KeyedObjectRow, resource: string): Change {
  return new Change({ ...row, type: "ADDED", resource, previous_body: null });
}

/** As SQLite compares: names are ASCII, where code units and bytes have one order. */
function compareKeys(a: Key, b: Key): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name === b.name ? 0 : a.name < b.name ? -1 : 1;
}
