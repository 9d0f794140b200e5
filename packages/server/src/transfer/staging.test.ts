/** Sessions too long to be written at once: seen whole or not at all, whatever happens on the way. */
import { pino } from 'pino';
import { expect } from 'vitest';
import { type TestApi, type TestWorkspace, test } from '../../test/api.ts';
import { contentsOf, exportOf, importInto, inPieces, linesOf, newFullWorkspace } from '../../test/transfer.ts';
import { agentLine, endLine, header, memoryLine, messageLine, sessionLine, streamOf } from '../../test/transfer-lines.ts';
import { newId } from '../db/ids.ts';
import type { Job } from '../jobs/queue.ts';
import { Import } from './importing.ts';
import { dropLeftovers } from './leftovers.ts';

const MESSAGES = 2_500;
const PIECE = 16_384;
const log = pino({ level: 'silent' });
const HOUR_MS = 60 * 60 * 1000;
const tables = ['messages', 'memories', 'embedding_queue', 'vectors', 'staged_sessions', 'sessions'];

function longStream(messages = MESSAGES) {
  const agent = agentLine();
  const sessionId = newId();
  const lines = [
    ...Array.from({ length: messages }, (_, n) => messageLine(sessionId, `The okapi number ${n} eats leaves.`)),
    ...Array.from({ length: 700 }, (_, n) => memoryLine(sessionId, `Okapi ${n} is shy`)),
  ];
  const text = streamOf([header(), agent, sessionLine(agent.data.id, sessionId), ...lines, endLine('session', sessionId, lines.length)]);
  return { agentId: agent.data.id, sessionId, text };
}

/** What anybody sees of the session. */
async function seen(api: TestApi, workspace: TestWorkspace, agentId: string, sessionId: string) {
  const agent = `${workspace.url}/agents/${agentId}`;
  const reader = await api.newAccessKey(workspace);
  const { body: memories } = await reader.get(`${agent}/memories?limit=1`);
  const { body: found } = await reader.post(`${agent}/messages/search`, { query: 'okapi' });
  const { body: sessions } = await reader.get(`${agent}/sessions`);
  return {
    session: (await reader.get(`${agent}/sessions/${sessionId}`)).status,
    messages: (await reader.get(`${agent}/sessions/${sessionId}/messages`)).status,
    listed: sessions.sessions.length,
    memories: memories._meta.total,
    found: found.results.length > 0,
    exported: linesOf(await exportOf(workspace.owner, workspace)).filter(({ type }) => type === 'message').length,
  };
}

const nothingSeen = { session: 404, messages: 404, listed: 0, memories: 0, found: false, exported: 0 };
const allSeen = { session: 200, messages: 200, listed: 1, memories: 700, found: true, exported: MESSAGES };
const run = (api: TestApi, target: TestWorkspace, incoming: AsyncIterable<Buffer>) =>
  new Import(api.app.context, target.id, 'keep-ids').run(incoming);

test('a long session is seen when all of it is there, and not before', async ({ api }) => {
  const target = await api.newWorkspace();
  const { agentId, sessionId, text } = longStream();
  const lastPiece = Math.floor((Buffer.byteLength(text) - 1) / PIECE) * PIECE;
  let staged = 0;
  const watch = async (at: number) => {
    if (at !== lastPiece) return;
    staged = await api.countRows('messages', target.id);
    expect(await seen(api, target, agentId, sessionId)).toEqual(nothingSeen);
  };
  expect(await run(api, target, inPieces(text, PIECE, watch))).toMatchObject({ counts: { sessions: 1, messages: MESSAGES }, errors: [] });
  // Most of it was written when it was looked for.
  expect(staged).toBeGreaterThan(MESSAGES / 2);
  expect(await seen(api, target, agentId, sessionId)).toEqual(allSeen);
  expect(await api.countRows('staged_sessions', target.id)).toBe(0);
});

test('one that breaks off is seen by nobody, and is there whole when it is sent again', async ({ api }) => {
  const target = await api.newWorkspace();
  const { agentId, sessionId, text } = longStream();
  const breakOff = (at: number) => {
    if (at > 400_000) throw new Error('the connection is lost');
  };
  await expect(run(api, target, inPieces(text, PIECE, breakOff))).rejects.toThrow('the connection is lost');
  expect(await api.countRows('messages', target.id)).toBeGreaterThan(0);
  expect(await seen(api, target, agentId, sessionId)).toEqual(nothingSeen);
  expect((await importInto(target, text)).body).toMatchObject({
    counts: { agents: 0, sessions: 1, messages: MESSAGES },
    skipped: 1,
    errors: [],
  });
  expect(await seen(api, target, agentId, sessionId)).toEqual(allSeen);
  expect(await api.countRows('messages', target.id)).toBe(MESSAGES);
});

test('an import that stopped is taken over, and what comes of it later is refused', async ({ api }) => {
  const target = await api.newWorkspace();
  const { agentId, sessionId, text } = longStream();
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hang = async (at: number) => {
    if (at !== 25 * PIECE) return;
    reached.resolve();
    await goOn.promise;
  };
  const hanging = run(api, target, inPieces(text, PIECE, hang));
  await reached.promise;
  expect(await api.countRows('staged_sessions', target.id)).toBe(1);
  api.clock.advance(16_000);
  expect((await importInto(target, text)).body).toMatchObject({ counts: { sessions: 1, messages: MESSAGES }, errors: [] });
  goOn.resolve();
  expect(await hanging).toMatchObject({
    counts: { sessions: 0, messages: 0 },
    errors: [{ message: 'Another import is writing this session' }],
  });
  expect(await seen(api, target, agentId, sessionId)).toEqual(allSeen);
  expect(await api.countRows('messages', target.id)).toBe(MESSAGES);
});

test('what nobody sends again is removed', async ({ api }) => {
  const target = await api.newWorkspace();
  const { text } = longStream();
  const breakOff = (at: number) => {
    if (at > 400_000) throw new Error('the connection is lost');
  };
  await expect(run(api, target, inPieces(text, PIECE, breakOff))).rejects.toThrow();
  const drop = () => dropLeftovers(api.db, api.clock, log).run({} as Job, new AbortController().signal);
  api.clock.advance(2 * HOUR_MS);
  await drop();
  for (const table of tables) expect([table, await api.countRows(table, target.id)]).toEqual([table, 0]);
});

test('the same stream many times at once comes to the same as once', async ({ api }) => {
  const { workspace } = await newFullWorkspace(api);
  const text = await exportOf(workspace.owner, workspace);
  const target = await api.newWorkspace();
  const answers = await Promise.all(Array.from({ length: 4 }, () => importInto(target, text)));
  for (const { status } of answers) expect(status).toBe(200);
  // Who was too late for one is told so, and finds it when it is sent again.
  expect((await importInto(target, text)).body.errors).toEqual([]);
  await api.drainJobs();
  expect(contentsOf(await exportOf(target.owner, target))).toEqual(contentsOf(text));
});

test('what was deleted comes back where it was taken out, and is found', async ({ api }) => {
  const { workspace, third, tea } = await newFullWorkspace(api);
  const text = await exportOf(workspace.owner, workspace);
  await third.runtime.post(`${third.url}/messages/search`, { query: 'okapi' });
  await third.runtime.delete(third.url);
  await third.runtime.delete(`${workspace.url}/documents/${tea}`);
  expect((await importInto(workspace, text)).body).toMatchObject({ counts: { sessions: 1, documents: 1, messages: 30 }, errors: [] });
  await api.drainJobs();
  expect((await importInto(workspace, text)).body).toMatchObject({ counts: { sessions: 0, documents: 0 }, errors: [] });
  const { body } = await third.runtime.get(`${third.agent.url}/sessions/by-labels?id=chat-1`);
  const { body: found } = await third.runtime.post(`${third.agent.url}/sessions/${body.id}/messages/search`, { query: 'okapi number 7' });
  expect(found.results[0]).toMatchObject({ text: 'The okapi number 7 eats leaves.' });
  expect(linesOf(await exportOf(workspace.owner, workspace)).filter(({ type }) => type === 'document')).toHaveLength(2);
});

test('vectors come along where they are asked for, and need not be made again', async ({ api }) => {
  const { workspace } = await newFullWorkspace(api);
  await api.app.indexing.drain();
  const text = await exportOf(workspace.owner, workspace, '?vectors=true');
  const types = linesOf(text).map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['vectors', 'documentChunks']));
  const target = await api.newWorkspace();
  expect((await importInto(target, text)).body.errors).toEqual([]);
  expect(await api.countRows('embedding_queue', target.id)).toBe(0);
  expect(await api.countRows('vectors', target.id)).toBe(await api.countRows('vectors', workspace.id));
  await api.drainJobs();
  expect(contentsOf(await exportOf(target.owner, target, '?vectors=true'))).toEqual(contentsOf(text));
});

test('vectors of another form or of what is not there are left out', async ({ api }) => {
  const target = await api.newWorkspace();
  const agent = agentLine();
  const sessionId = newId();
  const message = messageLine(sessionId, 'Hello');
  const { model, dimensions } = api.app.context.searcher.embedder;
  const vector = Buffer.alloc(4 + dimensions).toString('base64');
  const vectorsLine = (id: string, bytes: string) => ({
    type: 'vectors',
    data: { sessionId, kind: 'message', model, vectors: [{ id, vector: bytes, tokenCodes: null }] },
  });
  const lines = [vectorsLine(newId(), vector), vectorsLine(message.data.id, Buffer.alloc(7).toString('base64'))];
  const text = streamOf([header(), agent, sessionLine(agent.data.id, sessionId), message, ...lines, endLine('session', sessionId, 3)]);
  expect((await importInto(target, text)).body.errors).toEqual([]);
  expect(await api.countRows('vectors', target.id)).toBe(0);
  expect(await api.countRows('embedding_queue', target.id)).toBe(1);
});
