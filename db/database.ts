/** The databases a Worker is bound to. */
export interface Databases {
  DB: D1Database;
}

/**
 * In which database a cluster lives: everything asks here, so that clusters can be spread over several later.
 * No statement joins rows of two clusters.
 */
export function databaseOf(env: Databases, _cluster: number): D1Database {
  return env.DB;
}

/** Where it is written which clusters and tokens exist. */
export function directoryDatabase(env: Databases): D1Database {
  return env.DB;
}
