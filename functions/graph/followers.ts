import { graphName } from "./graph-name.ts";
import type { GraphEnv } from "./namespace-graph.ts";

/** Graph objects that are woken at the same time. */
const WOKEN_TOGETHER = 50;
/** Between two pokes while nobody watches, in ms: for so long the first event of a new watch may be late. */
const UNWATCHED = 50;

/**
 * Who is told of a commit, by one graph object: the cluster's feed, and graphs of other namespaces that have work now. What
 * is lost here is found by their polls, so nobody waits for it.
 */
export class Followers {
  readonly #env: GraphEnv;
  readonly #cluster: number;
  #newest = 0;
  #poking: Promise<void> | undefined;

  constructor(env: GraphEnv, cluster: number) {
    this.#env = env;
    this.#cluster = cluster;
  }

  /** Pokes the feed, one poke at a time: commits that happen meanwhile share the next one. */
  poke(resourceVersion: number): void {
    this.#newest = Math.max(this.#newest, resourceVersion);
    this.#poking ??= this.#poke().finally(() => {
      this.#poking = undefined;
    });
  }

  async #poke(): Promise<void> {
    for (let sent = 0; sent < this.#newest; ) {
      sent = this.#newest;
      const watched = await this.#env.CLUSTER_FEED.getByName(String(this.#cluster))
        .poke(sent)
        .catch(() => false);
      if (!watched) await new Promise((resolve) => setTimeout(resolve, UNWATCHED));
    }
  }

  /** A cluster-scoped owner may have dependents in thousands of namespaces: so many at a time. */
  async wake(namespaces: readonly string[]): Promise<void> {
    for (let i = 0; i < namespaces.length; i += WOKEN_TOGETHER) {
      await Promise.allSettled(
        namespaces
          .slice(i, i + WOKEN_TOGETHER)
          .map((namespace) =>
            this.#env.NAMESPACE_GRAPH.getByName(graphName(this.#cluster, namespace)).wake(),
          ),
      );
    }
  }
}
