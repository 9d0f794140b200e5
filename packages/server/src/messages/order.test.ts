/** The order of messages, where nodes with other clocks write them. */
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { type Answer, Client, made, type TestApi, type TestSession, test, walk } from '../../test/api.ts';
import { createApp } from '../app.ts';
import type { Clock } from '../clock.ts';
import type { Transactable } from '../db/database.ts';
import { insideTransaction } from '../db/nested.ts';
import type { Sql } from '../db/sql.ts';
import { createMessages } from './store.ts';

/** Numbers from 0 to 1 that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Another node on the same database, whose clock is off. */
async function nodeWithClock(api: TestApi, session: TestSession, aheadMs: number): Promise<Client> {
  const clock: Clock = { nowMs: () => api.clock.nowMs() + aheadMs, monotonicMs: () => api.clock.monotonicMs() };
  const app = await createApp(api.app.context.config, api.db, pino({ level: 'silent' }), clock);
  onTestFinished(() => app.close());
  return new Client(app.server, session.runtime.headers);
}

const said = (content: string, createdAt?: string) => ({ role: 'user', content, ...(createdAt && { createdAt }) });

test('what is written after another message was acknowledged sorts after it, whatever the clocks of the nodes', async ({ api }) => {
  const session = await api.newSession();
  const nodes = await Promise.all([0, 120_000, -120_000, 7].map((aheadMs) => nodeWithClock(api, session, aheadMs)));
  const random = seeded(11);
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const rounds: string[][] = [];
  const past: string[] = [];
  for (let round = 0; round < 60; round++) {
    const writes = Array.from({ length: random() < 0.3 ? 4 : 1 }, async (_, index): Promise<Answer[]> => {
      const node = pick(nodes);
      const headers = random() < 0.5 ? { 'idempotency-key': `${session.id}-${round}-${index}` } : {};
      const contents = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, place) => `${round} ${index} ${place}`);
      if (contents.length === 1) return [made(await node.post(`${session.url}/messages`, said(contents[0] as string), headers))];
      const old = random() < 0.5 ? [said(`past ${round} ${index}`, '2020-01-01T00:00:00.000Z')] : [];
      const messages = [...old, ...contents.map((content) => said(content))];
      return made(await node.post(`${session.url}/messages/batch`, { messages }, headers)).messages;
    });
    const written = (await Promise.all(writes)).flat() as unknown as {
      id: string;
      content: string;
      createdAt: string;
      updatedAt: string;
    }[];
    for (const { content, createdAt, updatedAt } of written) {
      expect(content.startsWith('past') ? '2020-01-01T00:00:00.000Z' : updatedAt).toBe(createdAt);
    }
    past.push(...written.filter(({ content }) => content.startsWith('past')).map(({ id }) => id));
    const fresh = written.filter(({ content }) => !content.startsWith('past')).map(({ id }) => id);
    // Sometimes the newest is deleted again: what follows still comes after where it was.
    if (round % 7 === 3) expect((await pick(nodes).delete(`${session.url}/messages/${fresh.pop()}`)).status).toBe(204);
    rounds.push(fresh);
  }
  const { rows } = await walk(session.runtime, `${session.url}/messages`, 'messages', 50);
  const placeOf = new Map(rows.map(({ id }: { id: string }, place: number) => [id, place]));
  expect(rows.length).toBe(past.length + rounds.flat().length);
  expect(
    rows
      .slice(0, past.length)
      .map(({ id }: { id: string }) => id)
      .sort(),
  ).toEqual(past.sort());
  let last = past.length - 1;
  for (const round of rounds) {
    const places = round.map((id) => placeOf.get(id) as number);
    expect(Math.min(...places, Number.POSITIVE_INFINITY)).toBeGreaterThan(last);
    last = Math.max(last, ...places);
  }
  expect(rows.map(({ content }: { content: string }) => content.startsWith('past') || content.split(' ').length === 3)).not.toContain(
    false,
  );
});

test('a message behind a newer one is written once, and looks for nothing among those that wait', async ({ api }) => {
  const session = await api.newSession();
  const place = { workspaceId: session.agent.workspace.id, agentId: session.agent.id, sessionId: session.id };
  const nowMs = api.clock.nowMs();
  const write = (db: Transactable, atMs: number) => createMessages(db, place, [{ role: 'user', content: 'Hello', meta: {} }], false, atMs);
  await write(api.db, nowMs + 60_000);
  const statements: string[] = [];
  const texts = (sent: Sql | readonly Sql[]) => statements.push(...[sent].flat().map((statement) => (statement as Sql).text('sqlite')));
  const noted = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (of, name) => {
        const member = Reflect.get(of, name);
        if (typeof member !== 'function') return member;
        return (...args: [Sql | readonly Sql[]]) => {
          texts(args[0]);
          return member.apply(of, args);
        };
      },
    });
  await api.db.transaction((tx) => write(insideTransaction(noted(tx)), nowMs));
  const about = (what: string) => statements.filter((text) => text.includes(what));
  expect(about('insert into messages')).toHaveLength(1);
  expect(about('delete from')).toEqual([]);
  expect(await api.countRows('messages', place.workspaceId)).toBe(2);
});

test('a batch keeps its order where it is written behind a newer message', async ({ api }) => {
  const session = await api.newSession();
  const ahead = await nodeWithClock(api, session, 60_000);
  const first = made(await ahead.post(`${session.url}/messages`, said('from the future')));
  const contents = Array.from({ length: 100 }, (_, index) => `number ${index}`);
  const batch = made(await session.runtime.post(`${session.url}/messages/batch`, { messages: contents.map((text) => said(text)) }));
  expect(Date.parse(batch.messages[0].createdAt)).toBe(Date.parse(first.createdAt) + 1);
  const { rows } = await walk(session.runtime, `${session.url}/messages`, 'messages', 100);
  expect(rows.map(({ content }: { content: string }) => content)).toEqual(['from the future', ...contents]);
  expect((await session.runtime.get(session.url)).body.lastActivityAt).toBe(batch.messages[0].createdAt);
});

test('what is said in a copy of a session comes after what was copied', async ({ api }) => {
  const session = await api.newSession();
  const ahead = await nodeWithClock(api, session, 60_000);
  made(await ahead.post(`${session.url}/messages`, said('from the future')));
  const copy = made(await session.runtime.post(`${session.url}/fork`, {}));
  const url = `${session.agent.url}/sessions/${copy.id}/messages`;
  made(await session.runtime.post(url, said('later')));
  const { rows } = await walk(session.runtime, url, 'messages', 100);
  expect(rows.map(({ content }: { content: string }) => content)).toEqual(['from the future', 'later']);
});

test('nothing is left behind of a message that had to be moved: it is counted and embedded once', async ({ api }) => {
  const session = await api.newSession();
  const ahead = await nodeWithClock(api, session, 60_000);
  made(await ahead.post(`${session.url}/messages`, said('one')));
  made(await session.runtime.post(`${session.url}/messages`, said('two'), { 'idempotency-key': `${session.id}-two` }));
  const { body } = await session.runtime.get(`${session.url}/messages`);
  expect(body._meta.total).toBe(2);
  expect(body.messages.map(({ content }: { content: string }) => content)).toEqual(['one', 'two']);
  await api.app.outbox.distribute();
  expect(await api.countRows('embedding_queue', session.agent.workspace.id)).toBe(2);
});

test('an unknown session is not found, with a key for repetition and without', async ({ api }) => {
  const session = await api.newSession();
  const url = `${session.agent.url}/sessions/00000000-0000-7000-8000-000000000000/messages`;
  for (const headers of [{}, { 'idempotency-key': `${session.id}-unknown` }])
    expect((await session.runtime.post(url, said('lost'), headers)).status).toBe(404);
});
