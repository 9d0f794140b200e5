/** Indexes that are kept: saved by one node, loaded by another, in step with the database, and gone with what they were made of. */
import { expect } from 'vitest';
import { type TestApi, test } from '../../../test/api.ts';
import { newKnowledge } from '../../../test/documents.ts';
import {
  agentScope,
  embedAll,
  isStored,
  keptSources,
  LEAST,
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
import { DatabaseUnavailable } from '../../db/errors.ts';
import { raw, type Sql, sql } from '../../db/sql.ts';
import { searchDocuments } from '../../documents/search.ts';
import { keptMessages } from '../../messages/search.ts';
import { purgeAgent, purgeSession } from '../../sessions/purging.ts';
import { purgeWorkspace } from '../../workspaces/purging.ts';
import { quantize } from '../embedding/quantize.ts';
import { upsertVectors } from '../vectors.ts';
import { WarmStart } from '../warming/warm-start.ts';
import { changesBetween, itemsToClear, noteCleared } from './changed-items.ts';
import { SegmentClearing } from './clearing.ts';
import { PAGE_KINDS, SEGMENT_FORMAT } from './pages.ts';
import { deleteSegment, insertPages, insertSegment, SavedMeanwhile } from './segment-store.ts';
import { commitSnapshot, dropSnapshot, lastUsed, readSnapshot, type Snapshot, type SnapshotFacts, snapshotsOf } from './store.ts';
import { dropUnneededSnapshots } from './unneeded.ts';

async function newStored(api: TestApi, count = 50) {
  const session = await api.newSession();
  const ids = await write(session, range(0, count));
  await embedAll(api, session);
  const node = newNode(api);
  const first = await node.find(scopeOf(session), `${wordOf(3)} word`);
  return { session, ids, node, first, workspaceId: session.agent.workspace.id };
}

test('what one node built is loaded by another, with what came since', async ({ api }) => {
  const { session, ids, node, first } = await newStored(api);
  expect(savedTotal(node)).toBe(1);
  const other = newNode(api);
  expect(await other.find(scopeOf(session), `${wordOf(3)} word`)).toEqual(first);
  expect([loadedTotal(other), savedTotal(other)]).toEqual([1, 0]);

  const [added] = await write(session, [900]);
  await session.runtime.put(`${session.url}/messages/${ids[3]}`, { role: 'user', content: 'an edited one' });
  await session.runtime.delete(`${session.url}/messages/${ids[4]}`);
  for (const one of [node, other, newNode(api)]) {
    expect((await one.find(scopeOf(session), wordOf(900)))[0]?.id).toBe(added);
    expect((await one.find(scopeOf(session), 'edited'))[0]?.id).toBe(ids[3]);
    const all = (await one.find(scopeOf(session), 'the word of all')).map(({ id }) => id);
    expect(all).toHaveLength(50);
    expect(all).not.toContain(ids[4]);
  }
});

test('more is saved beside what is stored, small parts as one, and what waits for its vector is left for later', async ({ api }) => {
  const { session, node, workspaceId } = await newStored(api);
  const segmentsOf = async () => (await snapshotsOf(api.db, workspaceId))[0]?.manifest.segments ?? [];
  const [first] = await segmentsOf();
  await write(session, range(100, 160));
  await embedAll(api, session);
  const waiting = await write(session, range(200, 300));
  await node.find(scopeOf(session), 'word');
  expect(savedTotal(node)).toBe(2);
  const after = await segmentsOf();
  // Of a hundred that wait, the newest sixty-four were embedded for the search: what came before them was not, and is not saved.
  expect(after.reduce((sum, { items }) => sum + items, 0)).toBe(110);
  expect(after.map(({ id }) => id)).not.toContain(first?.id);
  expect(await api.countRows('search_segments', workspaceId)).toBe(after.length);
  const other = newNode(api);
  const found = (await other.find(scopeOf(session), 'word')).map(({ id }) => id);
  expect(found).toHaveLength(100);
  expect(await other.find(scopeOf(session), wordOf(210))).toContainEqual(expect.objectContaining({ id: waiting[10] }));
  expect(loadedTotal(other)).toBe(1);
});

test('two nodes that save at once do not mix', async ({ api }) => {
  const session = await api.newSession();
  await write(session, range(0, 50));
  await embedAll(api, session);
  const nodes = [newNode(api), newNode(api), newNode(api)];
  const found = await Promise.all(nodes.map((node) => node.find(scopeOf(session), wordOf(7))));
  expect(new Set(found.map((hits) => JSON.stringify(hits))).size).toBe(1);
  const { workspaceId } = scopeOf(session);
  const [snapshot, ...rest] = await snapshotsOf(api.db, workspaceId);
  expect(rest).toEqual([]);
  expect(await api.countRows('search_segments', workspaceId)).toBe(snapshot?.manifest.segments.length);
  // One that knows an older number keeps nothing.
  const older = { ...(snapshot as Snapshot), number: 99 };
  await expect(commitSnapshot(api.db, older, 99, { segments: [], threads: [] }, { begunMs: 0, nowMs: 0 })).rejects.toThrow('another node');
  expect(await readSnapshot(api.db, older)).toEqual(snapshot);
});

test.for([
  ['damaged', sql`update search_pages set bytes = ${new Uint8Array(20)} where kind = ${PAGE_KINDS.indexOf('items')}`],
  ['missing', sql`delete from search_pages where kind = ${PAGE_KINDS.indexOf('words')}`],
  ['gone', sql`delete from search_pages where kind = ${0}`],
] as const)('what is %s is dropped, and built anew', async ([, damage], { api }) => {
  const { session, first, workspaceId } = await newStored(api);
  await api.db.run(sql`${damage} and workspace_id = ${workspaceId}`);
  const other = newNode(api);
  expect(await other.find(scopeOf(session), `${wordOf(3)} word`)).toEqual(first);
  expect(other.snapshots.gauges()).toMatchObject({ snapshots_unusable_total: 1, snapshots_saved_total: 1 });
  expect(await newNode(api).find(scopeOf(session), `${wordOf(3)} word`)).toEqual(first);
});

test('another format is dropped; another model has a snapshot of its own', async ({ api }) => {
  const { session, first, workspaceId } = await newStored(api);
  await embedAll(api, session, 'another');
  const another = newNode(api, 'another');
  expect((await another.find(scopeOf(session), wordOf(3)))[0]?.id).toBe(first[0]?.id);
  expect([loadedTotal(another), savedTotal(another)]).toEqual([0, 1]);
  const [page] = await api.db.query(sql<{ bytes: Uint8Array }>`
    select bytes from search_pages where workspace_id = ${workspaceId} and kind = ${0}`);
  const bytes = new Uint8Array(page?.bytes ?? []);
  new DataView(bytes.buffer).setUint16(4, SEGMENT_FORMAT + 1, true);
  await api.db.run(sql`update search_pages set bytes = ${bytes} where workspace_id = ${workspaceId} and kind = ${0}`);
  expect(await newNode(api).find(scopeOf(session), `${wordOf(3)} word`)).toEqual(first);
});

/** As another program names it. */
async function giveAnotherFormat(api: TestApi, workspaceId: string): Promise<string> {
  const scope = `${SEGMENT_FORMAT + 1} another`;
  for (const table of ['search_snapshots', 'search_segments'])
    await api.db.run(sql`update ${raw(table)} set scope = ${scope} where workspace_id = ${workspaceId}`);
  return scope;
}

test('nodes of two formats do not drop what the other keeps, but for what is to go', async ({ api }) => {
  const { session, ids, first, workspaceId } = await newStored(api);
  const scope = await giveAnotherFormat(api, workspaceId);
  const node = newNode(api);
  expect(await node.find(scopeOf(session), `${wordOf(3)} word`)).toEqual(first);
  expect(node.snapshots.gauges()).toMatchObject({ snapshots_loaded_total: 0, snapshots_unusable_total: 0, snapshots_saved_total: 1 });
  expect(await snapshotsOf(api.db, workspaceId)).toHaveLength(2);
  expect((await lastUsed(api.db, 1000)).map((facts) => facts.scope)).not.toContain(scope);
  await session.runtime.delete(`${session.url}/messages/${ids[4]}`);
  await runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
  expect((await snapshotsOf(api.db, workspaceId)).map((left) => left.scope)).not.toContain(scope);
  expect(await isStored(api, workspaceId, wordOf(4))).toBe(false);
});

test('deleted means deleted: what was edited or deleted is in no segment soon after, and the rest is loaded still', async ({ api }) => {
  const { session, ids, workspaceId } = await newStored(api);
  const second = await api.newSession(session.agent);
  const others = await write(second, range(500, 550));
  await embedAll(api, second);
  const node = newNode(api);
  await node.find(agentScope(session), 'word');
  expect(await snapshotsOf(api.db, workspaceId)).toHaveLength(2);
  expect(await isStored(api, workspaceId, wordOf(3))).toBe(true);
  await session.runtime.put(`${session.url}/messages/${ids[3]}`, { role: 'user', content: 'an edited one' });
  await session.runtime.delete(`${session.url}/messages/${ids[4]}`);
  await runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
  for (const n of [3, 4]) expect(await isStored(api, workspaceId, wordOf(n))).toBe(false);
  for (const n of [5, 501]) expect(await isStored(api, workspaceId, wordOf(n))).toBe(true);
  const left = newNode(api);
  expect((await left.find(agentScope(session), 'edited'))[0]?.id).toBe(ids[3]);
  expect(await left.find(agentScope(session), wordOf(4))).not.toContainEqual(expect.objectContaining({ id: ids[4] }));
  expect(loadedTotal(left)).toBe(1);

  // A session that goes takes its own with it, and what the agent's holds of it.
  expect((await session.runtime.delete(session.url)).status).toBe(204);
  await runJob(purgeSession(api.db, api.clock), { workspaceId, payload: { sessionId: session.id } });
  await runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
  expect((await snapshotsOf(api.db, workspaceId)).map(({ sessionId }) => sessionId)).toEqual([null]);
  expect(await isStored(api, workspaceId, wordOf(5))).toBe(false);
  expect(await isStored(api, workspaceId, wordOf(501))).toBe(true);
  expect((await newNode(api).find(agentScope(session), wordOf(501)))[0]?.id).toBe(others[1]);

  await runJob(purgeAgent(api.db), { workspaceId, payload: { agentId: session.agent.id } });
  expect(await api.countRows('search_snapshots', workspaceId)).toBe(0);
  expect(await api.countRows('search_pages', workspaceId)).toBe(0);
});

test('one deletion changes some pages of a segment, and not the segment', async ({ api }) => {
  const { session, ids, node, workspaceId } = await newStored(api);
  const stored = async () => (await snapshotsOf(api.db, workspaceId))[0] as Snapshot;
  const before = await stored();
  const reading = newNode(api);
  await session.runtime.delete(`${session.url}/messages/${ids[4]}`);
  await runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
  const after = await stored();
  expect(after.manifest.segments.map(({ id, items }) => [id, items])).toEqual([[before.manifest.segments[0]?.id, 49]]);
  expect(after.number).toBe(before.number + 1);
  expect(await isStored(api, workspaceId, wordOf(4))).toBe(false);
  expect((await reading.find(scopeOf(session), 'word')).map(({ id }) => id)).toHaveLength(49);
  expect(loadedTotal(reading)).toBe(1);
  // Who has the segment as it was does not take it for whole.
  await write(session, range(100, 110));
  await embedAll(api, session);
  for (const one of [node, reading]) expect(await one.find(scopeOf(session), 'word')).toHaveLength(59);
  await write(session, range(110, 130));
  await embedAll(api, session);
  await node.find(scopeOf(session), 'word');
  expect(savedTotal(node)).toBe(2);
  expect(await newNode(api).find(scopeOf(session), 'word')).toHaveLength(79);
});

test('what is deleted while it is being saved is not kept', async ({ api }) => {
  const { session, ids, workspaceId } = await newStored(api);
  const clear = () => runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
  const begunMs = api.clock.nowMs();
  const [older] = (await snapshotsOf(api.db, workspaceId)) as [Snapshot];
  await session.runtime.delete(`${session.url}/messages/${ids[4]}`);
  // The notes are done with before the save, which knows nothing of them, is.
  await api.db.run(sql`update changed_items set is_cleared = ${true} where workspace_id = ${workspaceId}`);
  await commitSnapshot(api.db, older, older.number, older.manifest, { begunMs, nowMs: api.clock.nowMs() });
  expect(await isStored(api, workspaceId, wordOf(4))).toBe(true);
  await clear();
  expect(await isStored(api, workspaceId, wordOf(4))).toBe(false);
  expect((await session.runtime.delete(session.url)).status).toBe(204);
  const another = { ...older, scope: 'another' };
  const save = commitSnapshot(api.db, another, 0, older.manifest, { begunMs, nowMs: api.clock.nowMs() });
  await expect(save).rejects.toThrow('another node');
});

test('what a save brings back while it is being cleared is cleared once more', async ({ api }) => {
  const { session, ids, workspaceId } = await newStored(api);
  const begunMs = api.clock.nowMs();
  const [older] = (await snapshotsOf(api.db, workspaceId)) as [Snapshot];
  await session.runtime.delete(`${session.url}/messages/${ids[4]}`);
  const notes = await itemsToClear(api.db, workspaceId, 10);
  expect(notes).toHaveLength(1);
  // A save that began before the deletion ends when the snapshots were looked through, and before that is written down.
  await commitSnapshot(api.db, older, older.number, older.manifest, { begunMs, nowMs: api.clock.nowMs() });
  await noteCleared(api.db, workspaceId, notes);
  expect(await itemsToClear(api.db, workspaceId, 10)).toHaveLength(1);
  await runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
  expect(await isStored(api, workspaceId, wordOf(4))).toBe(false);
  expect(await itemsToClear(api.db, workspaceId, 10)).toEqual([]);
});

test('no page is written to a segment that is gone, and no snapshot names one', async ({ api }) => {
  const { workspaceId } = await newStored(api);
  const [snapshot] = (await snapshotsOf(api.db, workspaceId)) as [Snapshot];
  const id = '0190a0b0-0000-7000-8000-000000000002';
  const page = (number: number) => [{ kind: 'items' as const, number, bytes: new Uint8Array(9) }];
  await api.db.run(insertSegment(snapshot, id, api.clock.nowMs()));
  await insertPages(api.db, workspaceId, id, page(0));
  // What is being written is not touched when the snapshot of its scope goes.
  await dropSnapshot(api.db, snapshot);
  await insertPages(api.db, workspaceId, id, page(1));
  expect(await api.countRows('search_pages', workspaceId)).toBe(2);
  await deleteSegment(api.db, workspaceId, id);
  await expect(insertPages(api.db, workspaceId, id, page(2))).rejects.toThrow(SavedMeanwhile);
  expect(await api.countRows('search_pages', workspaceId)).toBe(0);
  const manifest = { segments: [{ id, items: 1, bytes: 1 }], threads: [] };
  await expect(commitSnapshot(api.db, snapshot, 0, manifest, { begunMs: 0, nowMs: 0 })).rejects.toThrow(SavedMeanwhile);
  expect(await api.countRows('search_snapshots', workspaceId)).toBe(0);
});

test('a workspace that goes takes all of it', async ({ api }) => {
  const { workspaceId } = await newStored(api);
  await runJob(purgeWorkspace(api.db), { workspaceId });
  for (const table of ['search_snapshots', 'search_segments', 'search_pages', 'changed_items'])
    expect(await api.countRows(table, workspaceId), table).toBe(0);
});

test('documents are kept too, and leave nothing behind when they are deleted', async ({ api }) => {
  const knowledge = await newKnowledge(api);
  const workspaceId = knowledge.workspace.id;
  const contentOf = (word: string) =>
    range(0, 30)
      .map((n) => `# Part ${n}\n\n${`Of ${word} and ${wordOf(n)} it tells. `.repeat(16)}`)
      .join('\n\n');
  const [zebu] = [await knowledge.indexed({ content: contentOf('zebu') }), await knowledge.indexed({ content: contentOf('okapi') })];
  const chunks = await api.db.query(sql<{ scopeId: string; position: number; text: string }>`
    select document_id as "scopeId", position, text from chunks where workspace_id = ${workspaceId}`);
  for (const { scopeId, position, text } of chunks) {
    const vectors = [{ itemId: String(position), vector: quantize(vectorOf(text)) }];
    await api.db.run(upsertVectors({ workspaceId, kind: 'chunk', scopeId }, vectors, MODEL));
  }
  const search = async (node: ReturnType<typeof newNode>, query: string) => {
    const found = await searchDocuments(api.db, node.searcher, workspaceId, { query, limit: 100 });
    await node.snapshots.settled();
    return found;
  };
  const [node, other] = [newNode(api), newNode(api)];
  const found = await search(node, 'okapi tells');
  expect(found.length).toBeGreaterThan(LEAST);
  expect(savedTotal(node)).toBe(1);
  expect(await search(other, 'okapi tells')).toEqual(found);
  expect(loadedTotal(other)).toBe(1);
  expect(await isStored(api, workspaceId, 'zebu')).toBe(true);
  expect((await knowledge.runtime.delete(`${knowledge.url}/${zebu.id}`)).status).toBe(204);
  await api.drainJobs();
  await runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
  expect(await isStored(api, workspaceId, 'zebu')).toBe(false);
  expect(await isStored(api, workspaceId, 'okapi')).toBe(true);
  const left = newNode(api);
  expect((await search(left, 'okapi tells')).every(({ documentId }) => documentId !== zebu.id)).toBe(true);
  expect(loadedTotal(left)).toBe(1);
});

test('what nobody used for a month goes, and so does what a process left that stopped in between', async ({ api }) => {
  const { session, workspaceId, first } = await newStored(api);
  const [snapshot] = await snapshotsOf(api.db, workspaceId);
  const id = '0190a0b0-0000-7000-8000-000000000001';
  await api.db.run(insertSegment(snapshot as Snapshot, id, api.clock.nowMs()));
  await insertPages(api.db, workspaceId, id, [{ kind: 'items', number: 0, bytes: new Uint8Array(9) }]);
  await runJob(dropUnneededSnapshots(api.db, api.clock, log));
  expect(await api.countRows('search_segments', workspaceId)).toBe(2);
  api.clock.advance(2 * 3_600_000);
  await runJob(dropUnneededSnapshots(api.db, api.clock, log));
  expect(await api.countRows('search_segments', workspaceId)).toBe(1);
  expect(await newNode(api).find(scopeOf(session), `${wordOf(3)} word`)).toEqual(first);
  api.clock.advance(29 * 24 * 3_600_000);
  await newNode(api).find(scopeOf(session), wordOf(3));
  api.clock.advance(2 * 24 * 3_600_000);
  await runJob(dropUnneededSnapshots(api.db, api.clock, log));
  expect(await api.countRows('search_snapshots', workspaceId)).toBe(1);
  api.clock.advance(31 * 24 * 3_600_000);
  await runJob(dropUnneededSnapshots(api.db, api.clock, log));
  for (const table of ['search_snapshots', 'search_segments', 'search_pages'])
    expect(await api.countRows(table, workspaceId), table).toBe(0);
});

test('what a program of another format left is kept for a day after its last use', async ({ api }) => {
  const { workspaceId } = await newStored(api);
  await giveAnotherFormat(api, workspaceId);
  for (const [hours, left] of [
    [23, 1],
    [2, 0],
  ] as const) {
    api.clock.advance(hours * 3_600_000);
    await runJob(dropUnneededSnapshots(api.db, api.clock, log));
    expect(await api.countRows('search_snapshots', workspaceId)).toBe(left);
  }
});

test('what a node deleted that knows of no snapshots goes with the hour', async ({ api }) => {
  const { session, workspaceId } = await newStored(api);
  await newNode(api).find(agentScope(session), 'word');
  const drop = () => runJob(dropUnneededSnapshots(api.db, api.clock, log));
  await drop();
  expect(await api.countRows('search_snapshots', workspaceId)).toBe(2);
  await api.db.run(sql`delete from sessions where workspace_id = ${workspaceId} and id = ${session.id}`);
  await drop();
  expect((await snapshotsOf(api.db, workspaceId)).map(({ agentId }) => agentId)).toEqual([session.agent.id]);
  await api.db.run(sql`delete from workspaces where id = ${workspaceId}`);
  await drop();
  for (const table of ['search_snapshots', 'search_segments', 'search_pages'])
    expect(await api.countRows(table, workspaceId), table).toBe(0);
});

test('what a node changed that writes nothing down is cleared once a search finds it', async ({ api }) => {
  const { session, ids, workspaceId } = await newStored(api);
  await newNode(api).find(agentScope(session), 'word');
  await session.runtime.delete(`${session.url}/messages/${ids[4]}`);
  await session.runtime.put(`${session.url}/messages/${ids[5]}`, { role: 'user', content: 'an edited one' });
  const forget = () => api.db.run(sql`delete from changed_items where workspace_id = ${workspaceId}`);
  const clear = () => runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
  await forget();
  await clear();
  for (const n of [4, 5]) expect(await isStored(api, workspaceId, wordOf(n))).toBe(true);
  expect(await newNode(api).find(scopeOf(session), 'word')).toHaveLength(49);
  await clear();
  for (const n of [4, 5]) expect(await isStored(api, workspaceId, wordOf(n))).toBe(false);
  expect(await isStored(api, workspaceId, wordOf(6))).toBe(true);
  // What was found is not taken for all that changed.
  expect(await changesBetween(api.db, { workspaceId, kind: 'message', scopeId: session.id }, '1', '2')).toBeUndefined();
  // And so is a session that went.
  await session.runtime.delete(session.url);
  await forget();
  expect(await newNode(api).find(agentScope(session), 'word')).toEqual([]);
  await clear();
  // Nothing is left of the agent's, so it goes as a whole.
  expect((await snapshotsOf(api.db, workspaceId)).filter(({ agentId }) => agentId !== null)).toEqual([]);
});

test('a workspace that can not be cleared holds up no other', async ({ api }) => {
  const stored = [await newStored(api), await newStored(api)].sort((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1));
  for (const { session, ids } of stored) await session.runtime.delete(`${session.url}/messages/${ids[4]}`);
  const [failing, other] = stored as [(typeof stored)[0], (typeof stored)[0]];
  // As where its part of the database is down.
  const db = new Proxy(api.db, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      if (name !== 'query') return value.bind(target);
      return (statement: Sql) => {
        const isDown = statement.params.includes(failing.workspaceId);
        return isDown ? Promise.reject(new DatabaseUnavailable('It is down')) : target.query(statement);
      };
    },
  });
  await runJob(new SegmentClearing(db, api.clock, log, keptSources(api.db)).job());
  expect(await isStored(api, failing.workspaceId, wordOf(4))).toBe(true);
  expect(await isStored(api, other.workspaceId, wordOf(4))).toBe(false);
  await runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
  expect(await isStored(api, failing.workspaceId, wordOf(4))).toBe(false);
});

test('a node that starts loads what was used last, as much as fits', async ({ api }) => {
  const { session, first } = await newStored(api);
  const second = await api.newSession();
  await write(second, range(0, 40));
  await embedAll(api, second);
  api.clock.advance(2 * 3_600_000);
  await newNode(api).find(scopeOf(second), 'word');
  const [newest] = await lastUsed(api.db, 1);
  expect(newest?.sessionId).toBe(second.id);
  const warmed = async (memoryBytes: number) => {
    const node = newNode(api);
    const sources = { message: keptOf(api), memory: keptOf(api), chunk: keptOf(api) };
    const start = new WarmStart(api.db, node.searcher, sources, memoryBytes, log);
    return { node, loaded: await start.run() };
  };
  const { node, loaded } = await warmed(512 * 1024 ** 2);
  expect(loaded).toBeGreaterThanOrEqual(2);
  expect(loadedTotal(node)).toBe(loaded);
  // To be loaded ahead is no use of it.
  expect((await lastUsed(api.db, 1))[0]?.sessionId).toBe(second.id);
  expect(await node.find(scopeOf(session), `${wordOf(3)} word`)).toEqual(first);
  expect(loadedTotal(node)).toBe(loaded);
  await node.find(scopeOf(second), 'word');
  // One that can't be loaded does not hold up the others.
  const { searcher, snapshots } = newNode(api);
  const failingOnce = (facts: SnapshotFacts) => {
    if (facts.sessionId === second.id) throw new Error('It can not be loaded');
    return keptMessages(api.db, facts);
  };
  const sources = { message: failingOnce, memory: keptOf(api), chunk: keptOf(api) };
  expect(await new WarmStart(api.db, searcher, sources, 512 * 1024 ** 2, log).run()).toBe(loaded - 1);
  expect(loadedTotal({ snapshots })).toBe(loaded - 1);
  const little = await warmed((newest?.bytes ?? 0) * 1.7 * 2 + 1);
  expect([little.loaded, loadedTotal(little.node)]).toEqual([1, 1]);
});

const keptOf = (api: TestApi) => (facts: SnapshotFacts) => keptMessages(api.db, facts);

test('an edit in a long session is read by itself, and not by a list of all', async ({ api }) => {
  const { session, ids, node, workspaceId } = await newStored(api);
  await session.runtime.put(`${session.url}/messages/${ids[3]}`, { role: 'user', content: 'an edited one' });
  await session.runtime.delete(`${session.url}/messages/${ids[4]}`);
  const rows = await api.db.query(sql<{ edits: number; itemId: string }>`
    select edits, item_id as "itemId" from changed_items where workspace_id = ${workspaceId} order by edits`);
  expect(rows).toEqual([
    { edits: 1, itemId: ids[3] },
    { edits: 2, itemId: ids[4] },
  ]);
  expect((await node.find(scopeOf(session), 'edited'))[0]?.id).toBe(ids[3]);
  expect((await node.find(scopeOf(session), 'the word of all')).map(({ id }) => id)).not.toContain(ids[4]);
  // Where a number is missing, the list tells.
  await session.runtime.put(`${session.url}/messages/${ids[5]}`, { role: 'user', content: 'another edited one' });
  await api.db.run(sql`delete from changed_items where edits = ${3} and workspace_id = ${workspaceId}`);
  expect((await node.find(scopeOf(session), 'another'))[0]?.id).toBe(ids[5]);
});
