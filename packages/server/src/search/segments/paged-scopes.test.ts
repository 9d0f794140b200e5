/** Scopes that are too large to be held whole: their words and vectors stay at rest, and searches read what they need of them. */
import { expect, onTestFinished } from 'vitest';
import { made, type TestApi, type TestSession, test } from '../../../test/api.ts';
import { newKnowledge } from '../../../test/documents.ts';
import {
  agentScope,
  embedAll,
  isStored,
  keptSources,
  loadedTotal,
  log,
  MODEL,
  newNode,
  range,
  runJob,
  savedTotal,
  scopeOf,
  vectorOf,
  wordOf,
  write,
} from '../../../test/kept-indexes.ts';
import { raw, type Sql, sql } from '../../db/sql.ts';
import { searchDocuments } from '../../documents/search.ts';
import { keptMessages, rankMessages } from '../../messages/search.ts';
import { purgeWorkspace } from '../../workspaces/purging.ts';
import { quantize } from '../embedding/quantize.ts';
import type { ScopeSource } from '../scope-source.ts';
import { upsertVectors } from '../vectors.ts';
import { WarmStart } from '../warming/warm-start.ts';
import { SegmentClearing } from './clearing.ts';
import { PAGE_KINDS } from './pages.ts';
import { snapshotsOf } from './store.ts';

/** So little that fifty messages are too much. */
const SMALL = { scopeBytes: 20_000 };
const newSmallNode = (api: TestApi) => newNode(api, MODEL, SMALL);
const pagedScopes = async ({ searcher }: ReturnType<typeof newNode>) => (await searcher.gauges()).index_paged_scopes;
const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id);

async function newLarge(api: TestApi, count = 300): Promise<{ session: TestSession; messageIds: string[] }> {
  const session = await api.newSession();
  const messageIds: string[] = [];
  for (let from = 0; from < count; from += 100) messageIds.push(...(await write(session, range(from, Math.min(count, from + 100)))));
  return { session, messageIds };
}

test('a large scope is found from what is at rest, as it would be from memory', async ({ api }) => {
  // No more than the candidates whose vectors are read for a hundred hits.
  const { session } = await newLarge(api, 300);
  await embedAll(api, session);
  const [small, whole] = [newSmallNode(api), newNode(api)];
  for (const query of [wordOf(7), 'the word of all', `${wordOf(250)} ${wordOf(3)}`, 'Ann', 'nothing like it']) {
    for (const scope of [scopeOf(session), agentScope(session)])
      expect(ids(await small.find(scope, query)), query).toEqual(ids(await whole.find(scope, query)));
  }
  expect([await pagedScopes(small), await pagedScopes(whole)]).toEqual([2, 0]);
});

test('it grows: what is written, edited and deleted shows at once, on every node and after a start', async ({ api }) => {
  const { session, messageIds } = await newLarge(api);
  await embedAll(api, session);
  const [one, two] = [newSmallNode(api), newSmallNode(api)];
  for (const node of [one, two]) expect((await node.find(scopeOf(session), wordOf(7)))[0]?.id).toBe(messageIds[7]);
  for (let round = 0; round < 3; round++) {
    const n = 1000 + round * 100;
    const added = await write(session, range(n, n + 60));
    await embedAll(api, session);
    const [edited, deleted] = [messageIds[10 + round] as string, messageIds[20 + round] as string];
    await session.runtime.put(`${session.url}/messages/${edited}`, { role: 'user', content: `edited${round} now` });
    expect((await session.runtime.delete(`${session.url}/messages/${deleted}`)).status).toBe(204);
    for (const node of [one, two, newSmallNode(api)]) {
      expect((await node.find(scopeOf(session), wordOf(n + 59)))[0]?.id).toBe(added[59]);
      expect((await node.find(scopeOf(session), `edited${round}`))[0]?.id).toBe(edited);
      expect(ids(await node.find(scopeOf(session), wordOf(20 + round)))).not.toContain(deleted);
      expect(await pagedScopes(node)).toBe(1);
    }
    await runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
    expect(await isStored(api, session.agent.workspace.id, wordOf(20 + round))).toBe(false);
  }
  const [snapshot] = await snapshotsOf(api.db, session.agent.workspace.id);
  expect(snapshot?.manifest.segments.length).toBeGreaterThan(1);
});

test('what comes to it is left at rest in its turn, and the scope is not loaded anew for that', async ({ api }) => {
  const { session, messageIds } = await newLarge(api);
  await embedAll(api, session);
  const node = newNode(api, MODEL, { scopeBytes: 100_000, tailItems: 50 });
  await node.find(scopeOf(session), wordOf(7));
  const before = { loaded: loadedTotal(node), saved: savedTotal(node) ?? 0 };
  for (let from = 1000; from < 1500; from += 100) {
    const added = await write(session, range(from, from + 100));
    await embedAll(api, session);
    for (const n of [0, 50, 99]) expect((await node.find(scopeOf(session), wordOf(from + n)))[0]?.id).toBe(added[n]);
  }
  expect((await node.find(scopeOf(session), wordOf(7)))[0]?.id).toBe(messageIds[7]);
  expect(loadedTotal(node)).toBe(before.loaded);
  expect(savedTotal(node)).toBeGreaterThanOrEqual(before.saved + 5);
  const [snapshot] = await snapshotsOf(api.db, session.agent.workspace.id);
  expect(snapshot?.manifest.segments.reduce((sum, { items }) => sum + items, 0)).toBe(800);
  // As another node loads it, and as one that has it in memory.
  for (const other of [newSmallNode(api), newNode(api)])
    for (const query of [wordOf(1450), 'the word of all', 'Ann'])
      expect(ids(await node.find(scopeOf(session), query)).slice(0, 10)).toEqual(
        ids(await other.find(scopeOf(session), query)).slice(0, 10),
      );
});

test('many searches at once that find it too large store it once', async ({ api }) => {
  const { session } = await newLarge(api);
  await embedAll(api, session);
  const node = newNode(api, MODEL, { scopeBytes: 100_000, tailItems: 50 });
  await node.find(scopeOf(session), wordOf(7));
  const before = savedTotal(node) ?? 0;
  const added = await write(session, range(1000, 1100));
  await embedAll(api, session);
  const found = await Promise.all(range(0, 6).map((n) => node.find(scopeOf(session), wordOf(1000 + n))));
  expect(found.map(([hit]) => hit?.id)).toEqual(added.slice(0, 6));
  expect(savedTotal(node)).toBe(before + 1);
  // Who waited for that, and comes when it has grown a little since, stores nothing.
  const [size, mostSize] = [
    { size: 60, bytes: 60 },
    { size: 100, bytes: 100 },
  ];
  const known = { name: 's#1', generation: 0, marker: undefined, threads: new Map(), unsaved: 10, snapshotNumber: 1, size, mostSize };
  const source = { key: 's', kept: { kind: 'message' } } as unknown as ScopeSource;
  expect(await node.snapshots.store(source, known, () => Promise.reject(new Error('It is stored')))).toBe(true);
});

test('a segment of which much is gone is written anew when the scope grows', async ({ api }) => {
  const { session, messageIds } = await newLarge(api);
  await embedAll(api, session);
  const node = newNode(api, MODEL, { scopeBytes: 120_000, tailItems: 50 });
  await node.find(scopeOf(session), wordOf(7));
  expect(await pagedScopes(node)).toBe(1);
  for (const id of messageIds.slice(0, 200)) expect((await session.runtime.delete(`${session.url}/messages/${id}`)).status).toBe(204);
  for (let from = 1000; from < 1300; from += 100) {
    await write(session, range(from, from + 100));
    await embedAll(api, session);
    expect((await node.find(scopeOf(session), wordOf(from + 50)))[0]).toBeDefined();
  }
  const [snapshot] = await snapshotsOf(api.db, session.agent.workspace.id);
  expect(snapshot?.manifest.segments.filter(({ items, gone = [] }) => gone.length > items / 4)).toEqual([]);
});

test('what waits for its vector is found by its words, and by its meaning when it has it', async ({ api }) => {
  const { session, messageIds } = await newLarge(api);
  const node = newSmallNode(api);
  expect((await node.find(scopeOf(session), wordOf(7)))[0]?.id).toBe(messageIds[7]);
  const [snapshot] = await snapshotsOf(api.db, session.agent.workspace.id);
  expect(snapshot?.manifest.segments.reduce((sum, { items }) => sum + items, 0)).toBeGreaterThan(100);
  await embedAll(api, session);
  // Each search takes in a part.
  for (let search = 0; search < 5; search++) await node.find(scopeOf(session), wordOf(7));
  const whole = newNode(api);
  for (const fresh of [node, newSmallNode(api)])
    for (const query of ['wawawa', wordOf(7)])
      expect(ids((await fresh.find(scopeOf(session), query)).slice(0, 5))).toEqual(
        ids((await whole.find(scopeOf(session), query)).slice(0, 5)),
      );
});

test.for(['damaged', 'missing'] as const)(
  '%s pages of words are noticed when they are read, and the scope is built anew',
  async (how, { api }) => {
    const { session, messageIds } = await newLarge(api);
    await embedAll(api, session);
    const node = newSmallNode(api);
    await node.find(scopeOf(session), 'word');
    const words = sql`workspace_id = ${session.agent.workspace.id} and kind = ${PAGE_KINDS.indexOf('words')}`;
    await api.db.run(
      how === 'damaged'
        ? sql`update search_pages set bytes = ${new Uint8Array(20)} where ${words}`
        : sql`delete from search_pages where ${words}`,
    );
    const other = newSmallNode(api);
    expect((await other.find(scopeOf(session), wordOf(7)))[0]?.id).toBe(messageIds[7]);
    expect(other.snapshots.gauges()).toMatchObject({ snapshots_unusable_total: 1 });
    expect((await newSmallNode(api).find(scopeOf(session), wordOf(8)))[0]?.id).toBe(messageIds[8]);
  },
);

test('one whose segments another node replaced is loaded anew', async ({ api }) => {
  const { session, messageIds } = await newLarge(api);
  await embedAll(api, session);
  const node = newSmallNode(api);
  await node.find(scopeOf(session), wordOf(7));
  // As another node would that has written all of it anew.
  for (const table of ['search_pages', 'search_segments', 'search_snapshots'])
    await api.db.run(sql`delete from ${raw(table)} where workspace_id = ${session.agent.workspace.id}`);
  await newSmallNode(api).find(scopeOf(session), wordOf(7));
  expect((await node.find(scopeOf(session), wordOf(8)))[0]?.id).toBe(messageIds[8]);
});

test('sessions with a label are kept only when they are many, and go with the workspace', async ({ api }) => {
  const { session } = await newLarge(api);
  await embedAll(api, session);
  expect((await session.runtime.put(session.url, { labels: { team: 'red' } })).status).toBe(200);
  const scope = { ...agentScope(session), labels: { team: 'red' } };
  const { workspaceId } = scope;
  const whole = newNode(api);
  const expected = ids(await whole.find(scope, wordOf(7)));
  expect(await snapshotsOf(api.db, workspaceId)).toHaveLength(0);
  expect(ids(await newSmallNode(api).find(scope, wordOf(7)))).toEqual(expected);
  expect(await snapshotsOf(api.db, workspaceId)).toHaveLength(1);
  // Facts do not tell of labels: it is loaded when it is asked for, and no other in its place.
  const node = newSmallNode(api);
  const kept = { message: (facts: Parameters<typeof keptMessages>[1]) => keptMessages(api.db, facts) };
  const warmStart = new WarmStart(api.db, node.searcher, { ...kept, memory: kept.message, chunk: kept.message }, 1e9, log);
  onTestFinished(() => warmStart.stop());
  await warmStart.run();
  expect(await snapshotsOf(api.db, workspaceId)).toHaveLength(1);
  await runJob(purgeWorkspace(api.db), { workspaceId });
  for (const table of ['search_snapshots', 'search_segments', 'search_pages'])
    expect(await api.countRows(table, workspaceId), table).toBe(0);
});

async function embedChunks(api: TestApi, workspaceId: string): Promise<void> {
  const chunks = await api.db.query(sql<{ scopeId: string; position: number; text: string }>`
    select document_id as "scopeId", position, text from chunks where workspace_id = ${workspaceId}`);
  for (const { scopeId, position, text } of chunks) {
    const vectors = [{ itemId: String(position), vector: quantize(vectorOf(text)) }];
    await api.db.run(upsertVectors({ workspaceId, kind: 'chunk', scopeId }, vectors, MODEL));
  }
}

test('documents are found from what is at rest too', async ({ api }) => {
  const knowledge = await newKnowledge(api);
  const workspaceId = knowledge.workspace.id;
  const texts = range(0, 40).map((n) => `${wordOf(n)} is the word of document ${n}. `.repeat(20));
  for (const [n, content] of texts.entries()) await knowledge.upload({ externalId: `d${n}`, filename: `${n}.md`, content });
  await api.drainJobs();
  await embedChunks(api, workspaceId);
  const [small, whole] = [newNode(api, MODEL, { scopeBytes: 5_000 }), newNode(api)];
  for (const query of [wordOf(3), `the ${wordOf(17)} of it`]) {
    const found = async ({ searcher, snapshots }: typeof small) => {
      const hits = await searchDocuments(api.db, searcher, workspaceId, { query, limit: 10 });
      await snapshots.settled();
      return hits.map(({ chunkId }) => chunkId);
    };
    expect(await found(small)).toEqual(await found(whole));
  }
  expect(await pagedScopes(small)).toBe(1);
});

/** Whose segments are not written before it is opened. */
function behindGate(api: TestApi): { gated: TestApi; open: () => void } {
  const gate = Promise.withResolvers<void>();
  const db = new Proxy(api.db, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        if (name === 'run' && (args[0] as Sql).text('sqlite').startsWith('insert into search_segments')) await gate.promise;
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  const gated = Object.create(api, { db: { value: db }, clock: { value: api.clock } }) as TestApi;
  return { gated, open: gate.resolve };
}

test('a scope that outgrows its bound while a save of it waits is stored all the same', async ({ api }) => {
  const [first, second] = [await newLarge(api, 50), await newLarge(api, 30)];
  for (const { session } of [first, second]) await embedAll(api, session);
  const { gated, open } = behindGate(api);
  const node = newNode(gated, MODEL, { scopeBytes: 60_000 });
  const ask = ({ session }: typeof first, query: string) => rankMessages(api.db, node.searcher, scopeOf(session), { query, limit: 10 });
  // Both are to be saved, one after the other; the first save does not come to its end.
  await ask(first, wordOf(7));
  await ask(second, wordOf(7));
  const added = await write(second.session, range(200, 300));
  await embedAll(api, second.session);
  const found = ask(second, wordOf(250));
  open();
  expect((await found)[0]?.id).toBe(added[50]);
  await node.snapshots.settled();
  expect(await pagedScopes(node)).toBe(1);
});

test('words of many items are gone from what is at rest when the items are', async ({ api }) => {
  const session = await api.newSession();
  const { workspaceId } = scopeOf(session);
  for (let from = 0; from < 300; from += 100) await write(session, range(from, from + 100));
  const named = made(
    await session.runtime.post(`${session.url}/messages/batch`, {
      messages: range(0, 80).map((n) => ({ role: 'user', content: `okapi ${wordOf(500 + n)}` })),
    }),
  ).messages.map(({ id }: { id: string }) => id);
  await embedAll(api, session);
  await newSmallNode(api).find(scopeOf(session), 'okapi');
  expect(await isStored(api, workspaceId, 'okapi')).toBe(true);
  for (const id of named) expect((await session.runtime.delete(`${session.url}/messages/${id}`)).status).toBe(204);
  await runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
  expect(await isStored(api, workspaceId, 'okapi')).toBe(false);
});

test('what one node stored anew is not lost to another that has it at rest as it was', async ({ api }) => {
  const { session, messageIds } = await newLarge(api);
  const { workspaceId } = scopeOf(session);
  const [one, two] = [newSmallNode(api), newSmallNode(api)];
  for (const node of [one, two]) await node.find(scopeOf(session), wordOf(7));
  await embedAll(api, session);
  // One takes them in with their vectors, and stores them in another segment.
  const before = (await snapshotsOf(api.db, workspaceId))[0]?.number ?? 0;
  for (let search = 0; search < 8; search++) await one.find(scopeOf(session), wordOf(7));
  const [stored] = await snapshotsOf(api.db, workspaceId);
  expect(stored?.number).toBeGreaterThan(before);
  expect((await session.runtime.delete(`${session.url}/messages/${messageIds[299]}`)).status).toBe(204);
  await runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
  const added = await write(session, range(400, 500));
  await embedAll(api, session);
  for (let search = 0; search < 3; search++) await two.find(scopeOf(session), wordOf(450));
  for (const node of [two, newSmallNode(api), newNode(api)]) {
    for (const n of [0, 7, 99, 150, 298]) expect((await node.find(scopeOf(session), wordOf(n)))[0]?.id, wordOf(n)).toBe(messageIds[n]);
    expect((await node.find(scopeOf(session), wordOf(499)))[0]?.id).toBe(added[99]);
    expect(ids(await node.find(scopeOf(session), wordOf(299)))).not.toContain(messageIds[299]);
  }
});

test('what is stored as it is now stays when its earlier texts are cleared', async ({ api }) => {
  const knowledge = await newKnowledge(api);
  const workspaceId = knowledge.workspace.id;
  for (const n of range(0, 40))
    await knowledge.upload({ externalId: `d${n}`, filename: `${n}.md`, content: `${wordOf(n)} is a word. `.repeat(20) });
  await api.drainJobs();
  await knowledge.upload({ externalId: 'd3', filename: '3.md', content: 'okapi is a word. '.repeat(20) });
  await api.drainJobs();
  await embedChunks(api, workspaceId);
  const node = newNode(api, MODEL, { scopeBytes: 5_000 });
  const found = async ({ searcher, snapshots }: typeof node, query: string) => {
    const hits = await searchDocuments(api.db, searcher, workspaceId, { query, limit: 10 });
    await snapshots.settled();
    return hits.filter(({ text }) => text.includes(query)).length;
  };
  expect(await found(node, 'okapi')).toBe(1);
  expect(await isStored(api, workspaceId, 'okapi')).toBe(true);
  await runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
  expect(await isStored(api, workspaceId, 'okapi')).toBe(true);
  for (const one of [node, newNode(api, MODEL, { scopeBytes: 5_000 })]) expect(await found(one, 'okapi')).toBe(1);
});
