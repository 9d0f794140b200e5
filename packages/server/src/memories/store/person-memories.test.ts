/** What a change of a topic leaves behind is what all of its assertions together come to, and it costs no more where the topic is long. */
import { expect, inject } from 'vitest';
import { type TestApi, test } from '../../../test/api.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { newIdAt } from '../../db/ids.ts';
import { rows, Sql, sql } from '../../db/sql.ts';
import { createMessages, deleteMessages } from '../../messages/store.ts';
import { forkSession } from '../../sessions/forks.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import { fingerprintDigestOf, topicIdOf } from '../extraction/assertions.ts';
import { fingerprintOf } from '../extraction/fingerprint.ts';
import { type Assertion, comparePositions, RunGraph, runsOf } from '../topics.ts';
import { assertionColumns } from './assertions.ts';
import { forgetSession } from './forgetting.ts';
import { memoryHistory } from './history.ts';
import { deleteMemory, updateMemory } from './memories.ts';
import { recordPerson } from './people.ts';
import { changeAssertions } from './person-memories.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const BEGIN_MS = Date.parse('2026-01-01T12:00:00.000Z');

interface Person {
  readonly workspaceId: string;
  readonly personId: string;
  readonly sessions: readonly SessionPlace[];
}

async function newPerson(api: TestApi, sessions: number): Promise<Person> {
  const agent = await api.newAgent();
  const workspaceId = agent.workspace.id;
  const places: SessionPlace[] = [];
  for (let index = 0; index < sessions; index++) {
    const { id: sessionId } = await api.newSession(agent, `id=talk-${index}`);
    places.push({ workspaceId, agentId: agent.id, sessionId });
  }
  return { workspaceId, personId: newIdAt(BEGIN_MS), sessions: places };
}

function said({ personId }: Person, { sessionId }: SessionPlace, atMs: number, content: string, more: Partial<Assertion> = {}): Assertion {
  const fingerprintDigest = fingerprintDigestOf(fingerprintOf(content));
  const slot = more.slot === undefined ? 'home' : more.slot;
  const messageId = more.messageId ?? newIdAt(atMs);
  return {
    id: newIdAt(atMs),
    sessionId,
    personId,
    topicId: topicIdOf(slot, fingerprintDigest),
    messageId,
    ordinal: 0,
    saidAt: new Date(atMs).toISOString(),
    fingerprintDigest,
    kind: 'long_lived',
    content,
    slot,
    extractor: 'test',
    successorId: null,
    successorTopicId: null,
    sources: [{ sessionId, messageId }],
    expiresAt: null,
    forgotten: false,
    overridden: false,
    ...more,
  };
}

/** In the same message as what stands in the place, if anything does. */
function ended(person: Person, place: SessionPlace, atMs: number, target: Assertion, successor?: Assertion): Assertion {
  return {
    ...said(person, place, atMs, '', { slot: target.slot, ...(successor && { messageId: successor.messageId }) }),
    topicId: target.topicId,
    fingerprintDigest: target.fingerprintDigest,
    ordinal: 1,
    kind: null,
    content: null,
    slot: null,
    extractor: null,
    successorId: successor?.id ?? null,
    successorTopicId: successor?.topicId ?? null,
  };
}

/** All from all assertions, without a look at what is kept of runs. */
async function expectWhole(api: TestApi, { workspaceId, personId }: Person, step: string): Promise<void> {
  const assertions = await api.db.query(sql<Assertion>`
    select ${assertionColumns} from assertions where workspace_id = ${workspaceId} and person_id = ${personId}`);
  const stored = await api.db.query(sql<Record<string, unknown>>`
    select id, session_id as "sessionId", source, content, created_at as "createdAt", expires_at as "expiresAt", superseded_at as "supersededAt",
      superseded_by as "supersededBy", meta from memories where workspace_id = ${workspaceId} order by id`);
  const kept = new Set(stored.filter(({ source }) => source === 'written').map(({ id }) => id));
  const byTopic = Map.groupBy(assertions, ({ topicId }) => topicId);
  const runs = [...byTopic.values()].flatMap((ofTopic) => runsOf(ofTopic));
  const runIds = new Map(
    assertions.map((assertion) => [
      assertion.id,
      runs
        .filter(({ first }) => first.topicId === assertion.topicId && comparePositions(first, assertion) <= 0)
        .toSorted((a, b) => comparePositions(a.first, b.first))
        .at(-1)?.first.id,
    ]),
  );
  const graph = new RunGraph(
    runs,
    (id) => runIds.get(id),
    (id) => kept.has(id),
  );
  const expected = runs.flatMap((run) => {
    const memory = graph.memoryOf(run);
    if (!memory) return [];
    const { id, sessionId, content, createdAt, expiresAt, supersededAt, supersededBy, history } = memory;
    return [{ id, sessionId, content, createdAt, expiresAt, supersededAt, supersededBy, history }];
  });
  const found = stored
    .filter(({ source }) => source === 'extracted')
    .map(({ source, meta, ...memory }) => ({ ...memory, history: (JSON.parse(String(meta)) as { history?: unknown }).history ?? [] }));
  const byId = (a: object, b: object) => (String((a as { id: string }).id) < String((b as { id: string }).id) ? -1 : 1);
  expect(found.sort(byId), step).toEqual(expected.sort(byId));
}

test('after every change, in whatever order, the memories are those that all assertions come to', async ({ api }) => {
  let seed = 20_261_115;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T;
  for (let round = 0; round < 3; round++) {
    const person = await newPerson(api, 3);
    const { workspaceId } = person;
    let held: Assertion[] = [];
    const newOnes = (): Assertion[] => {
      const place = pick(person.sessions);
      const atMs = BEGIN_MS + random(400) * (DAY_MS / 4);
      const what = random(10);
      if (what < 5) return [said(person, place, atMs, `User lives in ${pick(['Lisbon', 'Porto', 'Vigo'])}`)];
      if (what < 7) {
        const expiresAt = new Date(atMs + 7 * DAY_MS).toISOString();
        return [said(person, place, atMs, 'User paints the fence', { slot: null, kind: 'short_lived', expiresAt })];
      }
      const target = held.filter(({ content }) => content).at(random(held.length));
      const city = pick(['Lisbon', 'Porto', 'Vigo']);
      const food = pick(['meat', 'fish']);
      const isHome = random(2) === 0;
      const one = isHome
        ? said(person, place, atMs, `User lives in ${city}`)
        : said(person, place, atMs, `User eats ${food}`, { slot: null });
      if (!target) return [one];
      if (what === 7) return [ended(person, place, atMs, target)];
      return target.topicId === one.topicId ? [one] : [one, ended(person, place, atMs, target, one)];
    };
    for (let step = 0; step < 50; step++) {
      const what = random(10);
      const memories = await api.db.query(sql<{ id: string; sessionId: string }>`
        select id, session_id as "sessionId" from memories where workspace_id = ${workspaceId} order by id`);
      if (what === 0 && memories.length > 0) {
        const { id, sessionId } = pick(memories);
        const place = person.sessions.find((one) => one.sessionId === sessionId) as SessionPlace;
        const isDeleted = random(3) > 0;
        if (isDeleted) await deleteMemory(api.db, place, id, api.clock.nowMs());
        else await updateMemory(api.db, place, id, { content: `By hand ${step}`, meta: {} }, api.clock.nowMs());
      } else {
        const added = Array.from({ length: random(4) }, newOnes).flat();
        const removed = held.filter(() => random(what > 7 ? 6 : 20) === 0);
        const stored = await api.db.query(sql<Assertion>`select ${assertionColumns} from assertions where workspace_id = ${workspaceId}`);
        const change = { added, removed: stored.filter(({ id }) => removed.some((one) => one.id === id)) };
        await api.db.transaction((tx) => changeAssertions(tx, workspaceId, change, api.clock.nowMs()));
        held = [...held.filter((one) => !removed.includes(one)), ...added];
      }
      await expectWhole(api, person, `round ${round}, step ${step}`);
    }
  }
});

const MANY = 20_000;

/** As changes one by one would have left them. */
async function insertMany(api: TestApi, person: Person, contentOf: (index: number) => string): Promise<Assertion[]> {
  const all = Array.from({ length: MANY }, (_, index) =>
    said(person, person.sessions[index % person.sessions.length] as SessionPlace, BEGIN_MS + index * 60_000, contentOf(index)),
  );
  const runs = new Map(runsOf(all).map((run) => [run.first.id, run]));
  const values = all.map((one) => {
    const { id, sessionId, personId, topicId, messageId, ordinal, saidAt, fingerprintDigest, kind, content, slot, sources } = one;
    const run = runs.get(id);
    return [
      ...[person.workspaceId, id, sessionId, personId, topicId, messageId, ordinal, saidAt, fingerprintDigest, kind, content, slot],
      ...[JSON.stringify(sources), false, run !== undefined, run?.endedAt ?? null, run?.endedIn ?? null, run?.endedBy ?? null],
    ];
  });
  for (let start = 0; start < values.length; start += 1_000)
    await api.db.run(sql`
      insert into assertions (workspace_id, id, session_id, person_id, topic_id, message_id, ordinal, said_at, fingerprint_digest, kind, content,
        slot, sources, overridden, is_first, ended_at, ended_in, ended_by)
      values ${rows(values.slice(start, start + 1_000))}`);
  return all;
}

/** With how many rows come from the database, whatever for. */
function counting(db: Database): { db: Database; rowsRead: () => number; statements: Sql[] } {
  let read = 0;
  const statements: Sql[] = [];
  const counted = <Target extends Queryable>(target: Target): Target =>
    new Proxy(target, {
      get: (of, name) => {
        const value = Reflect.get(of, name) as unknown;
        if (typeof value !== 'function') return value;
        if (name === 'transaction') return (work: (tx: Queryable) => unknown) => value.call(of, (tx: Queryable) => work(counted(tx)));
        return async (...given: unknown[]) => {
          if (given[0] instanceof Sql) statements.push(given[0]);
          const found = await value.apply(of, given);
          read += Array.isArray(found) ? found.length : 1;
          return found;
        };
      },
    });
  return { db: counted(db), rowsRead: () => read, statements };
}

test.for([
  ['has very many values', (index: number) => `User lives in ${['Lisbon', 'Porto', 'Vigo'][index % 3]}`],
  ['is said over and over', () => 'User lives in Lisbon'],
] as const)('a change costs no more where the topic %s', { timeout: 120_000 }, async ([, contentOf], { api }) => {
  const person = await newPerson(api, 2);
  const { workspaceId } = person;
  const all = await insertMany(api, person, contentOf);
  const [place, other] = person.sessions as [SessionPlace, SessionPlace];
  const nowMs = api.clock.nowMs();
  if (inject('engine') === 'postgres') await api.db.run(sql`analyze assertions`);
  const asked = new Map<string, Sql>();
  const cost = async (work: (db: Database) => Promise<unknown>) => {
    const { db, rowsRead, statements } = counting(api.db);
    await work(db);
    for (const statement of statements) if (statement.reads) asked.set(statement.text('sqlite'), statement);
    return rowsRead();
  };
  const change = (assertions: { added?: Assertion[]; removed?: Assertion[] }) =>
    cost((db) => db.transaction((tx) => changeAssertions(tx, workspaceId, assertions, nowMs)));
  const middle = MANY / 2;
  const newest = said(person, place, BEGIN_MS + MANY * 60_000, 'User lives in Faro');
  expect(await change({ added: [newest] })).toBeLessThan(300);
  expect(await change({ added: [said(person, place, BEGIN_MS + middle * 60_000 + 1, 'User lives in Faro')] })).toBeLessThan(300);
  expect(await change({ removed: [all[middle - 500] as Assertion] })).toBeLessThan(300);
  expect(await change({ removed: [all[0] as Assertion] })).toBeLessThan(300);
  expect(await cost((db) => memoryHistory(db, place, newest.id, nowMs))).toBeLessThan(1_000);
  // Nor does the database itself look at more.
  for (const [text, statement] of asked) {
    if (!text.includes('from assertions')) continue;
    if (inject('engine') === 'sqlite') {
      const steps = await api.db.query(sql<{ detail: string }>`explain query plan ${statement}`);
      for (const { detail } of steps) {
        expect(detail, text).not.toMatch(/SCAN (assertions|a|s)\b|TEMP B-TREE/);
        expect(detail, text).not.toMatch(/INDEX assertions_\w+ \(workspace_id=\?( AND person_id=\?)?( AND topic_id=\?)?\)/);
      }
    } else {
      const steps = await api.db.query(sql<{ 'QUERY PLAN': string }>`explain ${statement}`);
      expect(steps.map((step) => step['QUERY PLAN']).join('\n'), text).not.toMatch(/Seq Scan on assertions/);
    }
  }
  // Far apart, each where it is.
  expect(await change({ removed: all.filter((_, index) => index % 1_000 === 499) })).toBeLessThan(20 * 300);
  expect(await cost((db) => deleteMemory(db, place, newest.id, nowMs))).toBeLessThan(300);
  // Half of them, in order: so much at a time as a transaction may take.
  expect(await cost((db) => db.transaction((tx) => forgetSession(tx, other, nowMs)))).toBeLessThan(10_000);
  const { left } = await api.db.one(sql<{ left: number }>`
    select count(*) as left from assertions where workspace_id = ${workspaceId} and session_id = ${other.sessionId}`);
  expect(Number(left)).toBeGreaterThan(MANY / 2 - 600);
});

test('a copy up to a message reads what was said by then', async ({ api }) => {
  const person = await newPerson(api, 1);
  const [place] = person.sessions as [SessionPlace];
  const nowMs = api.clock.nowMs();
  const first = { role: 'user' as const, content: 'I live in Lisbon.', meta: {}, createdAt: new Date(BEGIN_MS - DAY_MS).toISOString() };
  const [message] = await createMessages(api.db, place, [first], false, nowMs);
  const messageId = (message as { id: string }).id;
  await insertMany(api, person, (index) => `User lives in ${index % 2 ? 'Porto' : 'Vigo'}`);
  const lisbon = said(person, place, BEGIN_MS - DAY_MS, 'User lives in Lisbon', { messageId });
  await api.db.transaction((tx) => changeAssertions(tx, person.workspaceId, { added: [lisbon] }, nowMs));
  await api.db.run(recordPerson(place, person.personId, nowMs));
  await expect(forkSession(api.db, place, {}, nowMs)).rejects.toThrow('A copy says at most 5,000 things about a person');
  const { db, rowsRead } = counting(api.db);
  const copy = await forkSession(db, place, { messageId }, nowMs);
  expect(rowsRead()).toBeLessThan(300);
  const copied = await api.db.query(sql<{ content: string }>`
    select content from assertions where workspace_id = ${person.workspaceId} and session_id = ${copy.id}`);
  expect(copied).toEqual([{ content: 'User lives in Lisbon' }]);
});

test('whoever deletes a message takes all people whom that touches before the session', async ({ api }) => {
  const person = await newPerson(api, 2);
  const [place, other] = person.sessions as [SessionPlace, SessionPlace];
  const nowMs = api.clock.nowMs();
  const [message] = await createMessages(api.db, place, [{ role: 'user', content: 'I work at Acme.', meta: {} }], false, nowMs);
  const messageId = (message as { id: string }).id;
  // Said elsewhere, and not to be understood without the message, whose session is somebody else's by now.
  const sources = [{ sessionId: place.sessionId, messageId }];
  const resting = said(person, other, nowMs, 'User no longer works at Acme', { sources });
  await api.db.transaction((tx) => changeAssertions(tx, person.workspaceId, { added: [resting] }, nowMs));
  await api.db.run(recordPerson(place, newIdAt(BEGIN_MS), nowMs));
  const { db, statements } = counting(api.db);
  await deleteMessages(db, place, [messageId], nowMs);
  const texts = statements.map((statement) => statement.text('sqlite'));
  const session = texts.findIndex((text) => text.includes('update sessions'));
  const locked = (some: readonly Sql[]) =>
    new Set(some.filter((one) => one.text('sqlite').includes('as locked')).map(({ params }) => params[0]));
  expect(locked(statements.slice(0, session)).size).toBe(2);
  expect(locked(statements).size).toBe(2);
  expect(await api.countRows('assertions', person.workspaceId)).toBe(0);
});
