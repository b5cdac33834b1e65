/** What a database was asked, in D1's own counts. */
export interface Costs {
  /** Round trips. */
  calls: number;
  statements: number;
  rowsRead: number;
  rowsWritten: number;
}

export type Send = () => Promise<D1Result[]>;

/**
 * A D1 database that counts what it is asked, and that a test can get in front of: `around` is called with the SQL of a
 * query or a batch and what sends it, and decides whether, when and how often it is sent and what the caller is told.
 */
export class WatchedDatabase {
  readonly #db: D1Database;
  costs: Costs = { calls: 0, statements: 0, rowsRead: 0, rowsWritten: 0 };
  /** The rows each statement has read and written, most first. */
  readonly bySql = new Map<string, { rowsRead: number; rowsWritten: number; times: number }>();
  around: (sql: readonly string[], send: Send) => Promise<D1Result[]> = (_, send) => send();

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** To be handed to what expects a database. */
  get asD1(): D1Database {
    return this as unknown as D1Database;
  }

  reset(): void {
    this.costs = { calls: 0, statements: 0, rowsRead: 0, rowsWritten: 0 };
    this.bySql.clear();
  }

  prepare(text: string): WatchedStatement {
    return new WatchedStatement(this, text, this.#db.prepare(text));
  }

  batch(statements: WatchedStatement[]): Promise<D1Result[]> {
    return this.send(
      statements,
      () => this.#db.batch(statements.map((statement) => statement.inner)) as Promise<D1Result[]>,
    );
  }

  async send(statements: readonly WatchedStatement[], send: Send): Promise<D1Result[]> {
    this.costs.calls++;
    this.costs.statements += statements.length;
    const sql = statements.map((statement) => statement.text);
    const results = await this.around(sql, send);
    for (const [i, result] of results.entries()) {
      const { rows_read, rows_written } = result.meta;
      this.costs.rowsRead += rows_read;
      this.costs.rowsWritten += rows_written;
      const text = sql[i] ?? "";
      const known = this.bySql.get(text) ?? { rowsRead: 0, rowsWritten: 0, times: 0 };
      this.bySql.set(text, {
        rowsRead: known.rowsRead + rows_read,
        rowsWritten: known.rowsWritten + rows_written,
        times: known.times + 1,
      });
    }
    return results;
  }
}

class WatchedStatement {
  readonly #database: WatchedDatabase;
  readonly text: string;
  readonly inner: D1PreparedStatement;

  constructor(database: WatchedDatabase, text: string, inner: D1PreparedStatement) {
    this.#database = database;
    this.text = text;
    this.inner = inner;
  }

  bind(...values: unknown[]): WatchedStatement {
    return new WatchedStatement(this.#database, this.text, this.inner.bind(...values));
  }

  async all(): Promise<D1Result> {
    const [result] = await this.#database.send([this], async () => [await this.inner.all()]);
    if (result === undefined) throw new Error("no result");
    return result;
  }

  run(): Promise<D1Result> {
    return this.all();
  }

  async first(): Promise<unknown> {
    return (await this.all()).results[0] ?? null;
  }
}
