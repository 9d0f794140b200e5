/** Messages straight into an engine, by the same statements and without HTTP: what the suite `messages` is held against. */
import { pino } from 'pino';
import { createAgent } from '../packages/server/src/agents/store.ts';
import { readConfig } from '../packages/server/src/config.ts';
import type { Database } from '../packages/server/src/db/database.ts';
import { migrate } from '../packages/server/src/db/migrate.ts';
import { openDatabase } from '../packages/server/src/db/open.ts';
import { createMessages, listMessages, requireMessage } from '../packages/server/src/messages/store.ts';
import { createSession, type SessionPlace } from '../packages/server/src/sessions/store.ts';
import { createUser } from '../packages/server/src/users/store.ts';
import { createWorkspace } from '../packages/server/src/workspaces/store.ts';
import { repeat } from './callers.ts';
import { CONNECTIONS } from './measure.ts';
import { BATCH, message, type Operation } from './message-work.ts';
import { plainPostgres, plainSqlite, type Way } from './plain.ts';

export interface EngineWork {
  readonly operation: Operation;
  readonly seconds: number;
}

async function newSessions(db: Database): Promise<SessionPlace[]> {
  const origin = { address: 'local', requestId: 'bench' };
  const user = await createUser(db, origin, { email: 'engine@localhost', name: 'Bench', passwordHash: null }, 'admin', Date.now());
  const by = { type: 'user', id: user.id, name: user.name, ...origin } as const;
  const { id: workspaceId } = await createWorkspace(db, by, { name: 'Bench' }, Date.now());
  const { id: agentId } = await createAgent(db, by, workspaceId, { name: 'Bench', description: 'Bench' }, Date.now());
  const places: SessionPlace[] = [];
  while (places.length < CONNECTIONS) {
    const session = await createSession(db, { workspaceId, agentId }, { externalId: undefined, labels: {} }, {}, Date.now());
    places.push({ workspaceId, agentId, sessionId: session.id });
  }
  return places;
}

async function serve(way: Way, place: string): Promise<void> {
  const url = place.startsWith('postgres') ? place : undefined;
  const environment: Record<string, string> = url ? { COMMONPLACE_DATABASE_URL: url } : { COMMONPLACE_DATA_DIR: place };
  const ours = await openDatabase(readConfig(environment), pino({ level: 'silent' }));
  await migrate(ours);
  const places = await newSessions(ours);
  const [shared] = places as [SessionPlace];
  const written = { ...message, meta: {} };
  const [first] = await createMessages(ours, shared, [written], false, Date.now());
  const many = Array.from({ length: BATCH }, () => written);
  let db: Database = ours;
  if (way === 'plain') {
    await ours.close();
    db = (url ? plainPostgres(url) : plainSqlite(place)) as Database;
  }
  const own = (caller: number) => places[caller] as SessionPlace;
  const operations: Record<Operation, (caller: number) => Promise<unknown>> = {
    'one by one': (caller) => createMessages(db, own(caller), [written], false, Date.now()),
    'all into one session': () => createMessages(db, shared, [written], false, Date.now()),
    'read by id': () => requireMessage(db, shared, first?.id ?? ''),
    'a page of 50': () => listMessages(db, shared, { limit: 50, offset: 0 }),
    'in batches': (caller) => createMessages(db, own(caller), many, false, Date.now()),
  };
  process.on('message', async ({ operation, seconds }: EngineWork) =>
    process.send?.(await repeat(seconds, (_, caller) => operations[operation](caller))),
  );
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

await serve(process.argv[2] as Way, process.argv[3] as string);
