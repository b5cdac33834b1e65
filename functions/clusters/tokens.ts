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

const INSERT_TOKEN =
  "INSERT INTO tokens (sha256, cluster, user, role, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";

/** Makes a token of a cluster. The result is the only copy of it in clear. */
export async function issueToken(
  db: D1Database,
  { cluster, user, role, now }: { cluster: number; user: string; role: Role; now: number },
): Promise<string> {
  const token = newToken();
  await db
    .prepare(INSERT_TOKEN)
    .bind(await sha256(token), cluster, user, role, now)
    .run();
  return token;
}
