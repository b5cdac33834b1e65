import type { Interest } from "./change-reader.ts";
import type { Watcher } from "./watcher.ts";

interface Watched {
  /** By namespace; under null those of all namespaces. */
  byNamespace: Map<string | null, Set<Watcher>>;
  /** How many of them need to know the state before an update. */
  byContent: number;
}

/** Open watches by what they watch, so that a change is offered only to those it can concern. */
export class WatcherIndex {
  readonly #byResource = new Map<string, Watched>();

  add(watcher: Watcher): void {
    const { namespace, byContent } = watcher.selection;
    const resource = watcher.spec.kind.storedAs;
    const watched = this.#byResource.get(resource) ?? { byNamespace: new Map(), byContent: 0 };
    const watchers = watched.byNamespace.get(namespace) ?? new Set();
    watched.byNamespace.set(namespace, watchers.add(watcher));
    if (byContent) watched.byContent++;
    this.#byResource.set(resource, watched);
  }

  /** May be called again for one that is not there. */
  remove(watcher: Watcher): void {
    const { namespace, byContent } = watcher.selection;
    const resource = watcher.spec.kind.storedAs;
    const watched = this.#byResource.get(resource);
    const watchers = watched?.byNamespace.get(namespace);
    if (watched === undefined || !watchers?.delete(watcher)) return;
    if (byContent) watched.byContent--;
    if (watchers.size === 0) watched.byNamespace.delete(namespace);
    if (watched.byNamespace.size === 0) this.#byResource.delete(resource);
  }

  /** Those of one namespace and those of all. */
  *concerned(resource: string, namespace: string): Iterable<Watcher> {
    const byNamespace = this.#byResource.get(resource)?.byNamespace;
    yield* byNamespace?.get(namespace) ?? [];
    yield* byNamespace?.get(null) ?? [];
  }

  /** What to read for all of them together. */
  get interest(): Interest {
    const watched = [...this.#byResource];
    return {
      resources: watched.map(([resource]) => resource),
      resourcesByContent: watched.filter(([, { byContent }]) => byContent > 0).map(([resource]) => resource),
      namespace: null,
      name: null,
    };
  }
}
