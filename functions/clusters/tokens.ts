import type { Role } from "../objects/roles.ts";

/** A new bearer token, 256 bits. It is shown once, and only its hash is kept. */
function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Lower-case hex. A token is random, so an unsalted hash gives nothing away. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The token of `Authorization: Bearer …`; undefined when the header is absent or of another scheme. */
export function bearerToken(authorization: string | null | undefined): string | undefined {
  const match = /^Bearer +([^ ]+)$/i.exec(authorization?.trim() ?? "");
  return match?.[1];
}

const INSERT_TOKEN = `
INSERT INTO tokens (sha256, cluster, user, role, created_at, expires_at, account_uid, bound_uid)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`;

/** Whoever issues tokens that end takes away some that have ended. */
const DELETE_EXPIRED = `
DELETE FROM tokens WHERE sha256 IN (SELECT sha256 FROM tokens WHERE expires_at <= ?1 LIMIT 100)`;

/** Without them a token passes for ever. */
interface TokenLimits {
  /** In ms. */
  expiresAt: number;
  /** Of the ServiceAccount it belongs to. */
  accountUid: string;
  /** Of another object that it is bound to. */
  boundUid: string | undefined;
}

interface NewToken {
  cluster: number;
  user: string;
  role: Role;
  now: number;
  limits?: TokenLimits;
}

/** Makes a token of a cluster. The result is the only copy of it in clear. */
export async function issueToken(
  db: D1Database,
  { cluster, user, role, now, limits }: NewToken,
): Promise<string> {
  const token = newToken();
  const { expiresAt, accountUid, boundUid } = limits ?? {};
  const insert = db
    .prepare(INSERT_TOKEN)
    .bind(
      await sha256(token),
      cluster,
      user,
      role,
      now,
      expiresAt ?? null,
      accountUid ?? null,
      boundUid ?? null,
    );
  await db.batch(limits === undefined ? [insert] : [db.prepare(DELETE_EXPIRED).bind(now), insert]);
  return token;
}
