/** The engines as one would use them with the driver alone: what ours are held against. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { BatchRows, Queryable } from '../packages/server/src/db/database.ts';
import type { Sql } from '../packages/server/src/db/sql.ts';

/** `ours`: through the Database interface. `plain`: as one would write it with the driver alone. */
export type Way = 'ours' | 'plain';

export const POOL_SIZE = 20;

/** What the store functions of the benchmark ask of a database. */
export type Engine = Pick<Queryable, 'maybeOne' | 'batch'>;

/** One synchronous connection, every write a commit of its own, every commit synced. */
export function plainSqlite(dataDir: string): Engine {
  const db = new DatabaseSync(join(dataDir, 'commonplace.db'));
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
  const prepared = new Map<string, ReturnType<typeof db.prepare>>();
  const prepare = (statement: Sql) => {
    const text = statement.text('sqlite');
    const known = prepared.get(text) ?? db.prepare(text);
    prepared.set(text, known);
    return known;
  };
  const begin = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  return {
    maybeOne: async <Row>(statement: Sql<Row>) => prepare(statement).get(...(statement.params as string[])) as Row | undefined,
    batch: async <Statements extends readonly Sql[]>(statements: Statements) => {
      begin.run();
      for (const statement of statements) prepare(statement).run(...(statement.params as string[]));
      commit.run();
      return statements.map(() => []) as BatchRows<Statements>;
    },
  };
}

/** A pool, and statements prepared under a name: a round trip for each, as the driver's own guide has it. */
export function plainPostgres(url: string): Engine {
  const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE });
  const names = new Map<string, string>();
  const query = (statement: Sql) => {
    const text = statement.text('postgres');
    const name = names.get(text) ?? `statement_${names.size}`;
    names.set(text, name);
    return { name, text, values: statement.params };
  };
  return {
    maybeOne: async <Row>(statement: Sql<Row>) => (await pool.query(query(statement))).rows[0] as Row | undefined,
    batch: async <Statements extends readonly Sql[]>(statements: Statements) => {
      const client = await pool.connect();
      try {
        await client.query('begin');
        for (const statement of statements) await client.query(query(statement));
        await client.query('commit');
        return statements.map(() => []) as BatchRows<Statements>;
      } finally {
        client.release();
      }
    },
  };
}
