import type { Clock } from "../objects/clock.ts";
import type { Principal, Role } from "../objects/roles.ts";
import { sha256 } from "./tokens.ts";

/** How long an answer about a token may be used again: so long a revoked token still works somewhere. */
const FRESH = 5_000;
const REMEMBERED = 10_000;

const READ_PRINCIPAL = `
SELECT c.id AS cluster, t.user, t.role, t.expires_at AS expiresAt, t.account_uid AS accountUid, t.bound_uid AS boundUid
FROM tokens t JOIN clusters c ON c.id = t.cluster
WHERE t.sha256 = ?1 AND c.name = ?2 AND (t.expires_at IS NULL OR t.expires_at > ?3)`;
/** ?1: uids as JSON. */
const COUNT_LIVING = "SELECT COUNT(*) AS living FROM objects WHERE uid IN (SELECT value FROM json_each(?1))";
const DELETE_TOKEN = "DELETE FROM tokens WHERE sha256 = ?1";
const READ_CLUSTER = "SELECT id AS cluster FROM clusters WHERE name = ?1";

export interface Admission {
  cluster: number;
  principal: Principal;
}

interface TokenRow {
  cluster: number;
  user: string;
  role: Role;
  expiresAt: number | null;
  accountUid: string | null;
  boundUid: string | null;
}

interface Found {
  admission: Admission;
  expiresAt: number | null;
}

/**
 * Who a token is, in which cluster. Answers are kept for some seconds under the token's hash, so that a request
 * costs no query of its own; a refusal is never kept, and a new token works at once.
 */
export class Directory {
  readonly #db: D1Database;
  readonly #rootTokenSha256: string;
  readonly #clock: Clock;
  readonly #objectsOf: (cluster: number) => D1Database;
  readonly #known = new Map<string, { admission: Admission; until: number }>();

  constructor(
    db: D1Database,
    rootTokenSha256: string,
    clock: Clock,
    objectsOf: (cluster: number) => D1Database,
  ) {
    this.#db = db;
    this.#objectsOf = objectsOf;
    this.#rootTokenSha256 = rootTokenSha256;
    this.#clock = clock;
  }

  /** Undefined when the token is not one of the cluster, or there is no such cluster: which of both is not said. */
  async admit(clusterName: string, token: string): Promise<Admission | undefined> {
    const hash = await sha256(token);
    const key = `${clusterName} ${hash}`;
    const known = this.#known.get(key);
    if (known && known.until > this.#clock()) return known.admission;
    const found = await this.#look(clusterName, hash);
    if (found === undefined) {
      this.#known.delete(key);
      return undefined;
    }
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    const until = Math.min(this.#clock() + FRESH, found.expiresAt ?? Number.POSITIVE_INFINITY);
    this.#known.set(key, { admission: found.admission, until });
    return found.admission;
  }

  /** Whether it is the token that may make clusters. The hashes are compared, so timing tells nothing. */
  async isRoot(token: string): Promise<boolean> {
    return (await sha256(token)) === this.#rootTokenSha256;
  }

  async #look(clusterName: string, hash: string): Promise<Found | undefined> {
    if (hash === this.#rootTokenSha256) {
      const row = await this.#db.prepare(READ_CLUSTER).bind(clusterName).first<{ cluster: number }>();
      if (row === null) return undefined;
      return {
        admission: { cluster: row.cluster, principal: { user: "root", role: "admin" } },
        expiresAt: null,
      };
    }
    const row = await this.#db
      .prepare(READ_PRINCIPAL)
      .bind(hash, clusterName, this.#clock())
      .first<TokenRow>();
    if (row === null) return undefined;
    const { cluster, user, role, expiresAt } = row;
    if (!(await this.#isBacked(row))) {
      // A uid that is gone never returns, so nothing is lost with it.
      await this.#db.prepare(DELETE_TOKEN).bind(hash).run();
      return undefined;
    }
    return { admission: { cluster, principal: { user, role } }, expiresAt };
  }

  /** Whether the objects that a token is bound to still exist. */
  async #isBacked({ cluster, accountUid, boundUid }: TokenRow): Promise<boolean> {
    const uids = [accountUid, boundUid].filter((uid) => uid !== null);
    if (uids.length === 0) return true;
    const found = await this.#objectsOf(cluster)
      .prepare(COUNT_LIVING)
      .bind(JSON.stringify(uids))
      .first<{ living: number }>();
    return found?.living === uids.length;
  }
}
