/** Previews that a DELETE may be held to. */

export const INSERT_PREVIEW = `
INSERT INTO previews (cluster, hash, taken_at, fates) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (cluster, hash) DO UPDATE SET taken_at = excluded.taken_at`;

export const READ_PREVIEW = "SELECT fates FROM previews WHERE cluster = ?1 AND hash = ?2";

/** Those taken before ?2. */
export const FORGET_PREVIEWS = "DELETE FROM previews WHERE cluster = ?1 AND taken_at < ?2";
