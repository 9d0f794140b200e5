/** Messages straight into the engine, by the same statements and without HTTP: what the suite `messages` is held against. */
import { pino } from 'pino';
import { createAgent } from '../packages/server/src/agents/store.ts';
import { readConfig } from '../packages/server/src/config.ts';
import { migrate } from '../packages/server/src/db/migrate.ts';
import { openDatabase } from '../packages/server/src/db/open.ts';
import { createMessages, listMessages, requireMessage } from '../packages/server/src/messages/store.ts';
import { createSession, type SessionPlace } from '../packages/server/src/sessions/store.ts';
import { createUser } from '../packages/server/src/users/store.ts';
import { createWorkspace } from '../packages/server/src/workspaces/store.ts';
import { CONNECTIONS, type Measure, measureOf } from './measure.ts';

const message = { role: 'user', content: 'I would like an aisle seat near the front, and a vegetarian meal, please.', meta: {} } as const;

/** By the name of what is done, with as many callers as the suite has connections, each in a session of its own. */
export async function measureEngine(
  environment: Readonly<Record<string, string>>,
  batch: number,
  seconds: number,
): Promise<Map<string, Measure>> {
  const db = await openDatabase(readConfig(environment), pino({ level: 'silent' }));
  await migrate(db);
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
  const [first] = await createMessages(db, places[0] as SessionPlace, [message], false, Date.now());
  const many = Array.from({ length: batch }, () => message);
  const page = { limit: 50, offset: 0 };
  const work: Record<string, (place: SessionPlace) => Promise<unknown>> = {
    'one by one': (place) => createMessages(db, place, [message], false, Date.now()),
    'read by id': () => requireMessage(db, places[0] as SessionPlace, first?.id ?? ''),
    'a page of 50': () => listMessages(db, places[0] as SessionPlace, page),
    [`in batches of ${batch}`]: (place) => createMessages(db, place, many, false, Date.now()),
  };
  const measured = new Map<string, Measure>();
  for (const [name, run] of Object.entries(work)) measured.set(name, await together(places, run, seconds));
  await db.close();
  return measured;
}

async function together(
  places: readonly SessionPlace[],
  run: (place: SessionPlace) => Promise<unknown>,
  seconds: number,
): Promise<Measure> {
  const times: number[] = [];
  const endMs = performance.now() + seconds * 1000;
  await Promise.all(
    places.map(async (place) => {
      while (performance.now() < endMs) {
        const start = performance.now();
        await run(place);
        times.push(performance.now() - start);
      }
    }),
  );
  return measureOf(times, seconds);
}
