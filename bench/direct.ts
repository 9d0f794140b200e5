/** The same statements with no HTTP: 32 callers straight on an engine, in a process of their own. */
import { pino } from 'pino';
import type { Actor } from '../packages/server/src/auth/callers.ts';
import type { Queryable } from '../packages/server/src/db/database.ts';
import { newId } from '../packages/server/src/db/ids.ts';
import { type MigratableDatabase, migrate } from '../packages/server/src/db/migrate.ts';
import { openDatabase } from '../packages/server/src/db/open.ts';
import { createUser } from '../packages/server/src/users/store.ts';
import { createWorkspace } from '../packages/server/src/workspaces/store.ts';
import { repeat } from './callers.ts';
import { type Engine, POOL_SIZE, plainPostgres, plainSqlite, type Way } from './plain.ts';
import { type Resource, type ResourceName, ROWS, resources } from './resources.ts';

export interface Direct {
  readonly operation: 'read' | 'write';
  readonly seconds: number;
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
