/** Many write to one session at once, and what a request asks of the database. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { pino } from 'pino';
import { expect, inject, onTestFinished } from 'vitest';
import { atOnce, Client, made, openApi, type TestApi, type TestSession, test, walk } from '../../test/api.ts';
import { createApp } from '../app.ts';
import { openDatabase } from '../db/open.ts';
import { sql } from '../db/sql.ts';

interface Written {
  readonly id: string;
  readonly content: string;
}

const say = (content: string) => ({ role: 'user', content });

async function listed({ runtime, url }: TestSession): Promise<Written[]> {
  return (await walk(runtime, `${url}/messages`, 'messages', 100)).rows;
}

/** What the session's row counts, beside what is there. */
async function countsOf(api: TestApi, { id, agent }: TestSession) {
  const [counted] = await api.db.query(sql<{ count: number; bytes: number }>`
    select message_count as count, message_bytes as bytes from sessions where workspace_id = ${agent.workspace.id} and id = ${id}`);
  const [there] = await api.db.query(sql<{ count: number; bytes: number }>`
    select count(*) as count, sum(octet_length(content) + octet_length(meta)) as bytes
    from messages where workspace_id = ${agent.workspace.id} and session_id = ${id}`);
  return { counted, there };
}

test('what many write to one session at once is kept whole and counted, and comes after what was there', async ({ api }) => {
  const session = await api.newSession();
  const { runtime, url } = session;
  const rounds: string[][] = [];
  for (let round = 0; round < 3; round++) {
    const { answers, statuses } = await atOnce(32, (index) =>
      index % 4 === 0
        ? runtime.post(`${url}/messages/batch`, { messages: [0, 1, 2].map((place) => say(`${round} ${index} ${place}`)) })
        : runtime.post(`${url}/messages`, say(`${round} ${index}`)),
    );
    expect(statuses).toEqual({ 201: 32 });
    rounds.push(answers.flatMap(({ body }) => ((body.messages ?? [body]) as Written[]).map(({ id }) => id)));
  }
  const messages = await listed(session);
  const placeOf = new Map(messages.map(({ id }, place) => [id, place]));
  let last = -1;
  for (const round of rounds) {
    const places = round.map((id) => placeOf.get(id) as number);
    expect(Math.min(...places)).toBeGreaterThan(last);
    last = Math.max(...places);
  }
  expect(messages).toHaveLength(3 * (24 + 8 * 3));
  // A batch stays together, in its order.
  for (let index = 0; index < 32; index += 4) {
    const places = [0, 1, 2].map((place) => messages.findIndex(({ content }) => content === `1 ${index} ${place}`));
    expect(places).toEqual([0, 1, 2].map((place) => (places[0] as number) + place));
  }
  const { counted, there } = await countsOf(api, session);
  expect(counted).toEqual(there);
});

test('keys for repetition hold among many: what is sent again is written once', async ({ api }) => {
  const session = await api.newSession();
  const { runtime, url } = session;
  const { answers, statuses } = await atOnce(32, (index) =>
    runtime.post(`${url}/messages`, say(`${index % 16}`), index % 2 === 0 ? { 'idempotency-key': `${session.id}-${index % 16}` } : {}),
  );
  expect(statuses).toEqual({ 201: 32 });
  // Of those without a key there are two each.
  expect((await listed(session)).map(({ content }) => Number(content)).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? [index] : [index, index])).flat(),
  );
  for (let index = 0; index < 16; index += 2) expect(answers[index]?.body.id).toBe(answers[index + 16]?.body.id);
});

test('a session that is deleted under many writers is gone for each of them, or has what they wrote', async ({ api }) => {
  const session = await api.newSession();
  const { runtime, url } = session;
  made(await runtime.post(`${url}/messages`, say('first')));
  const [{ statuses }, deleted] = await Promise.all([
    atOnce(32, (index) => runtime.post(`${url}/messages`, say(`${index}`))),
    runtime.delete(url),
  ]);
  expect(deleted.status).toBe(204);
  expect((statuses[201] ?? 0) + (statuses[404] ?? 0)).toBe(32);
  expect((await runtime.get(`${url}/messages`)).status).toBe(404);
});

if (inject('engine') === 'postgres')
  test('two nodes write to one session at once: all is kept, in an order that both see', async ({ api }) => {
    const session = await api.newSession();
    const log = pino({ level: 'silent' });
    const db = await openDatabase(api.app.context.config, log);
    onTestFinished(() => db.close());
    const app = await createApp(api.app.context.config, db, log, api.clock);
    onTestFinished(() => app.close());
    const nodes = [session.runtime, new Client(app.server, session.runtime.headers)];
    const rounds: string[][] = [];
    for (let round = 0; round < 3; round++) {
      const { answers, statuses } = await atOnce(64, (index) =>
        (nodes[index % 2] as Client).post(`${session.url}/messages`, say(`${round} ${index}`)),
      );
      expect(statuses).toEqual({ 201: 64 });
      rounds.push(answers.map(({ body }) => body.id));
    }
    const ids = (await listed(session)).map(({ id }) => id);
    expect(ids).toHaveLength(192);
    // What was acknowledged before another was sent is before it.
    for (const [round, written] of rounds.entries()) expect(ids.slice(round * 64, round * 64 + 64).toSorted()).toEqual(written.toSorted());
    const { counted, there } = await countsOf(api, session);
    expect(counted).toEqual(there);
  });

test('who is known writes with one call of the database and reads with one, and a page takes two at once', async ({ api }) => {
  if ('join' in api.db && typeof api.db.join === 'function') await api.db.join();
  const requests = new AsyncLocalStorage<string[]>();
  const noted = new Proxy(api.db, {
    get: (db, name) => {
      const member = Reflect.get(db, name, db);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        // Timers and what they look after are nobody's.
        if (['query', 'one', 'maybeOne', 'run', 'batch', 'transaction', 'readShort'].includes(String(name)))
          requests.getStore()?.push(String(name));
        return member.apply(db, args);
      };
    },
  });
  const app = await createApp(api.app.context.config, noted, pino({ level: 'silent' }), api.clock);
  onTestFinished(() => app.close());
  const session = await api.newSession();
  const runtime = new Client(app.server, session.runtime.headers);
  const messages = `${session.url}/messages`;
  const callsOf = async (ask: () => Promise<{ status: number }>, status: number) => {
    expect((await ask()).status).toBe(status);
    const calls: string[] = [];
    expect((await requests.run(calls, ask)).status).toBe(status);
    return calls;
  };
  const { id } = made(await runtime.post(messages, say('Hello')));
  expect(await callsOf(() => runtime.post(messages, say('Hello')), 201)).toEqual(['batch']);
  expect(await callsOf(() => runtime.post(`${messages}/batch`, { messages: [say('a'), say('b')] }), 201)).toEqual(['batch']);
  expect(await callsOf(() => runtime.get(`${messages}/${id}`), 200)).toEqual(['maybeOne']);
  const readsPage = inject('engine') === 'sqlite' ? 'readShort' : 'query';
  expect(await callsOf(() => runtime.get(messages), 200)).toEqual([readsPage, 'maybeOne']);
  const owner = new Client(app.server, session.agent.workspace.owner.headers);
  const keys = `${session.agent.workspace.url}/keys`;
  const key = { name: 'Another', permissions: ['CAN_GET_SESSION_MESSAGE'] };
  const { id: keyId } = made(await owner.post(keys, key));
  expect(await callsOf(() => owner.post(keys, key), 201)).toEqual(['batch']);
  expect(await callsOf(() => owner.get(`${keys}/${keyId}`), 200)).toEqual(['maybeOne']);
});

if (inject('engine') === 'postgres')
  test('a request with a key for repetition takes one connection, and waits for no second', async () => {
    const { api, close } = await openApi({ COMMONPLACE_DATABASE_POOL_SIZE: '2' });
    onTestFinished(close);
    const session = await api.newSession();
    const { statuses } = await atOnce(8, (index) =>
      session.runtime.post(`${session.url}/messages`, say('Hello'), { 'idempotency-key': `${index}` }),
    );
    expect(statuses).toEqual({ 201: 8 });
  });
