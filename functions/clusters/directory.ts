import type { Clock } from "../objects/clock.ts";
import type { Principal, Role } from "../objects/roles.ts";
import { sha256 } from "./tokens.ts";

/** How long an answer about a token may be used again: so long a revoked token still works somewhere. */
const FRESH = 5_000;
const REMEMBERED = 10_000;

const READ_PRINCIPAL = `
SELECT c.id AS cluster, t.user, t.role FROM tokens t JOIN clusters c ON c.id = t.cluster
WHERE t.sha256 = ?1 AND c.name = ?2`;
const READ_CLUSTER = "SELECT id AS cluster FROM clusters WHERE name = ?1";

export interface Admission {
  cluster: number;
  principal: Principal;
}

/**
 * Who a token is, in which cluster. Answers are kept for some seconds under the token's hash, so that a request
 * costs no query of its own; a refusal is never kept, and a new token works at once.
 */
export class Directory {
  readonly #db: D1Database;
  readonly #rootTokenSha256: string;
  readonly #clock: Clock;
  readonly #known = new Map<string, { admission: Admission; until: number }>();

  constructor(db: D1Database, rootTokenSha256: string, clock: Clock) {
    this.#db = db;
    this.#rootTokenSha256 = rootTokenSha256;
    this.#clock = clock;
  }

  /** Undefined when the token is not one of the cluster, or there is no such cluster: which of both is not said. */
  async admit(clusterName: string, token: string): Promise<Admission | undefined> {
    const hash = await sha256(token);
    const key = `${clusterName} ${hash}`;
    const known = this.#known.get(key);
    if (known && known.until > this.#clock()) return known.admission;
    const admission = await this.#look(clusterName, hash);
    if (admission === undefined) {
      this.#known.delete(key);
      return undefined;
    }
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(key, { admission, until: this.#clock() + FRESH });
    return admission;
  }

  /** Whether it is the token that may make clusters. The hashes are compared, so timing tells nothing. */
  async isRoot(token: string): Promise<boolean> {
    return (await sha256(token)) === this.#rootTokenSha256;
  }

  async #look(clusterName: string, hash: string): Promise<Admission | undefined> {
    if (hash === this.#rootTokenSha256) {
      const row = await this.#db.prepare(READ_CLUSTER).bind(clusterName).first<{ cluster: number }>();
      return row ? { cluster: row.cluster, principal: { user: "root", role: "admin" } } : undefined;
    }
    const row = await this.#db
      .prepare(READ_PRINCIPAL)
      .bind(hash, clusterName)
      .first<{ cluster: number; user: string; role: Role }>();
    return row ? { cluster: row.cluster, principal: { user: row.user, role: row.role } } : undefined;
  }
}
