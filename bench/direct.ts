/** The same statements with no HTTP: 32 callers straight on an engine, in a process of their own. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { pino } from 'pino';
import type { Actor } from '../packages/server/src/auth/callers.ts';
import type { BatchRows, Queryable } from '../packages/server/src/db/database.ts';
import { newId } from '../packages/server/src/db/ids.ts';
import { type MigratableDatabase, migrate } from '../packages/server/src/db/migrate.ts';
import { openDatabase } from '../packages/server/src/db/open.ts';
import type { Sql } from '../packages/server/src/db/sql.ts';
import { createUser } from '../packages/server/src/users/store.ts';
import { createWorkspace } from '../packages/server/src/workspaces/store.ts';
import { CONNECTIONS, type Measure, measureOf } from './measure.ts';
import { type Resource, type ResourceName, ROWS, resources } from './resources.ts';

/** `ours`: through the Database interface. `plain`: as one would write it with the driver alone. */
export type Way = 'ours' | 'plain';

export interface Direct {
  readonly operation: 'read' | 'write';
  readonly seconds: number;
}

export const POOL_SIZE = 20;

/** What the store functions of the benchmark ask of a database. */
type Engine = Pick<Queryable, 'maybeOne' | 'batch'>;

/** One synchronous connection, every write a commit of its own, every commit synced. */
function plainSqlite(dataDir: string): Engine {
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
function plainPostgres(url: string): Engine {
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

async function newWorkspace(db: MigratableDatabase, resource: Resource): Promise<{ by: Actor; workspaceId: string; ids: string[] }> {
  await migrate(db);
  const origin = { address: '127.0.0.1', requestId: newId() };
  const user = await createUser(db, origin, { email: `${newId()}@example.com`, name: 'Bench', passwordHash: null }, 'user', Date.now());
  const by: Actor = { type: 'user', id: user.id, name: user.name, ...origin };
  const { id: workspaceId } = await createWorkspace(db, by, { name: 'Bench' }, Date.now());
  const ids: string[] = [];
  while (ids.length < ROWS) ids.push((await resource.create(db, by, workspaceId, ids.length)).id);
  return { by, workspaceId, ids };
}

async function repeat(seconds: number, work: (turn: number) => Promise<unknown>): Promise<Measure> {
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  let turn = 0;
  const caller = async () => {
    for (let beforeMs = startMs; beforeMs < endMs; ) {
      await work(turn++);
      const nowMs = performance.now();
      latenciesMs.push(nowMs - beforeMs);
      beforeMs = nowMs;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  return measureOf(latenciesMs, (performance.now() - startMs) / 1000);
}

async function serve(way: Way, place: string, resource: Resource): Promise<void> {
  const url = place.startsWith('postgres') ? place : undefined;
  const db = await openDatabase({ databaseUrl: url, databasePoolSize: POOL_SIZE, dataDir: place }, pino({ level: 'error' }));
  const { by, workspaceId, ids } = await newWorkspace(db, resource);
  let engine: Engine = db;
  if (way === 'plain') {
    await db.close();
    engine = url ? plainPostgres(url) : plainSqlite(place);
  }
  const operations = {
    read: (turn: number) => resource.read(engine as Queryable, workspaceId, ids[turn % ids.length] as string),
    write: (turn: number) => resource.create(engine as Queryable, by, workspaceId, turn),
  };
  process.on('message', async ({ operation, seconds }: Direct) => process.send?.(await repeat(seconds, operations[operation])));
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

await serve(process.argv[2] as Way, process.argv[3] as string, resources[process.argv[4] as ResourceName]);
