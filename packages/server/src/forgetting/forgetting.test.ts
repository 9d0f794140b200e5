import { hash } from 'node:crypto';
import { expect } from 'vitest';
import { type Answer, anId, aTime, atOnce, made, refusal, type TestAgent, type TestApi, type TestSession, test } from '../../test/api.ts';
import { agentScope, embedAll, LEAST, newNode, range, scopeOf, write } from '../../test/kept-indexes.ts';
import { allTables, findTraces } from '../../test/traces.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';
import { SavedMeanwhile } from '../search/segments/segment-store.ts';
import { commitSnapshot, type Snapshot, snapshotsOf } from '../search/segments/store.ts';

const NOTHING = { sessions: 0, messages: 0, memories: 0, history: 0, statements: 0, vectors: 0, queued: 0, answers: 0, events: 0 };
const DIGEST_OF_NOTHING = hash('sha256', '', 'hex');

const ofPerson = { configs: { memoryPipeline: true, memorySubject: 'user' } };

const say = async (session: TestSession, content: string, headers = {}) =>
  made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content, meta: { note: content } }, headers)).id as string;

const forget = (agent: TestAgent, labels: Record<string, string>, ofWorkspace = false): Promise<Answer> =>
  agent.workspace.owner.post(`${ofWorkspace ? agent.workspace.url : agent.url}/forget`, { labels });

const digestOf = (names: readonly string[]) =>
  hash(
    'sha256',
    names
      .toSorted()
      .map((name) => `${name}\n`)
      .join(''),
    'hex',
  );

/** Whatever is made of a session by using it; all of it has the word in it. */
async function fill(api: TestApi, agent: TestAgent, user: string, word: string): Promise<TestSession[]> {
  const first = await api.newSession(agent, `id=${word}-1&user=${user}`, { title: `About ${word}`, meta: { about: word } });
  const second = await api.newSession(agent, `user=${user}&channel=mail`);
  const kept = await say(first, `My favourite tea is ${word}.`, { 'idempotency-key': newId() });
  const edited = await say(first, `I live in ${word} Town.`);
  await first.runtime.put(`${first.url}/messages/${edited}`, { content: `I live in ${word} City.` }, { 'idempotency-key': newId() });
  const deleted = await say(first, `I work for ${word} Limited.`);
  await api.extractMemories();
  await first.runtime.delete(`${first.url}/messages/${deleted}`);
  await say(second, `My favourite tea is not ${word} any more, it is ${word}ade.`);
  await api.extractMemories();
  const memory = made(await first.runtime.post(`${first.url}/memories`, { kind: 'fact', content: `The ${word} of old` }));
  await first.runtime.put(`${first.url}/memories/${memory.id}`, { content: `The ${word} of late` });
  const fork = made(await first.runtime.post(`${first.url}/fork`, { messageId: kept, title: word }, { 'idempotency-key': newId() }));
  await write(second, range(0, LEAST * 2));
  await embedAll(api, second);
  await embedAll(api, first);
  await first.runtime.post(`${agent.url}/memories/search`, { query: word });
  return [first, second, { ...first, id: fork.id, url: `${agent.url}/sessions/${fork.id}` }];
}

test('a receipt tells what was forgotten, who asked and when, and is there to be read; a second call finds nothing', async ({ api }) => {
  const agent = await api.newAgent();
  const { workspace } = agent;
  const sessions = [await api.newSession(agent, 'user=42&channel=mail'), await api.newSession(agent, 'user=42')];
  const other = await api.newSession(agent, 'user=43');
  const names = sessions.map(({ id }) => `sessions/${id}`);
  for (const session of sessions) {
    names.push(`sessions/${session.id}/messages/${await say(session, 'Hello')}`);
    const { id } = made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content: 'Something' }));
    names.push(`sessions/${session.id}/memories/${id}`);
  }
  await say(other, 'Hello');

  const { status, body } = await forget(agent, { user: '42' });
  expect(status).toBe(200);
  expect(body).toEqual({
    id: anId,
    workspaceId: workspace.id,
    agentId: agent.id,
    labels: { user: '42' },
    counts: { ...NOTHING, sessions: 2, messages: 2, memories: 2, queued: expect.any(Number), events: expect.any(Number) },
    at: aTime,
    by: workspace.ownerUser.id,
    digest: digestOf(names),
  });
  for (const { url, runtime } of sessions) expect(await runtime.get(url)).toMatchObject({ status: 404 });
  expect((await agent.runtime.get(`${agent.url}/sessions`)).body.sessions.map(({ id }: { id: string }) => id)).toEqual([other.id]);

  const again = await forget(agent, { user: '42' }, true);
  expect(again.body).toEqual({ ...body, id: anId, agentId: undefined, at: aTime, counts: NOTHING, digest: DIGEST_OF_NOTHING });
  expect(again.body).not.toHaveProperty('agentId');

  const { owner, url } = workspace;
  expect((await owner.get(`${url}/receipts`)).body).toEqual({
    receipts: [again.body, body],
    _meta: { limit: 50, offset: 0, total: 2 },
  });
  expect((await owner.get(`${url}/receipts?limit=1&offset=1`)).body.receipts).toEqual([body]);
  expect((await owner.get(`${url}/receipts/${body.id}`)).body).toEqual(body);
  expect(await owner.get(`${url}/receipts/${newId()}`)).toEqual(refusal(404, 'Receipt not found'));
  await api.app.outbox.distribute();
  const { events } = (await owner.get(`${url}/events?types=subject.forgotten`)).body;
  expect(events.map(({ data }: { data: unknown }) => data)).toEqual([{ receipt: body }, { receipt: again.body }]);
  expect(
    await findTraces(
      api,
      sessions.map(({ id }) => id),
    ),
  ).toEqual(['changed_items.scope_id']);
  const { audits } = (await owner.get(`${url}/audits?action=subject.forget`)).body;
  expect(audits.map(({ resourceId, actorId }: Record<string, string>) => [resourceId, actorId])).toEqual([
    [again.body.id, workspace.ownerUser.id],
    [body.id, workspace.ownerUser.id],
  ]);
});

test('nothing of the subject is left in any table, and all of the others is', { timeout: 120_000 }, async ({ api }) => {
  const agent = await api.newAgent(undefined, ofPerson);
  const sessions = await fill(api, agent, 'subject-x', 'xylograph');
  const others = await fill(api, agent, 'subject-y', 'quincunx');
  const gone = await api.newSession(agent, 'user=subject-x&gone=yes');
  await say(gone, 'A xylograph in a session that was deleted before');
  await gone.runtime.delete(gone.url);
  // Two nodes keep indexes of all sessions, one of them in memory only, and each session has its own.
  const [saving, holding] = [newNode(api), newNode(api)];
  for (const node of [saving, holding]) {
    await node.find(agentScope(sessions[1] as TestSession), 'xylograph');
    for (const session of sessions) await node.find(scopeOf(session), 'xylograph');
  }
  const before = await findTraces(api, ['xylograph']);
  // What the check below can't fail without.
  expect(before).toEqual(
    expect.arrayContaining([
      'assertions.content',
      'idempotency_keys.answer',
      'memories.content',
      'memory_events.content',
      'messages.content',
      'search_pages.bytes',
      'sessions.title',
    ]),
  );
  const ids = [...sessions, gone].map(({ id }) => id);
  const ofOthers = others.map(({ id }) => id);
  const placesOfOthers = await findTraces(api, [...ofOthers, 'quincunx', 'subject-y']);

  const { status, body } = await forget(agent, { user: 'subject-x' });
  expect([status, body.counts.sessions]).toEqual([200, 4]);
  expect(Object.values(body.counts as Record<string, number>).filter((count) => count === 0)).toEqual([]);

  expect(await findTraces(api, ['xylograph'])).toEqual([]);
  expect(await findTraces(api, ['subject-x'])).toEqual(['receipts.labels']);
  // Who deleted which session stays in the audit log. The notes keep an index that is being saved from bringing it back, for two days.
  expect(await findTraces(api, ids)).toEqual(['audits.resource_id', 'changed_items.scope_id']);
  expect(await findTraces(api, [...ofOthers, 'quincunx', 'subject-y'])).toEqual(placesOfOthers);

  for (const node of [saving, holding, newNode(api)]) {
    expect(await node.find(agentScope(others[1] as TestSession), 'xylograph')).not.toContainEqual(
      expect.objectContaining({ sessionId: ids[0] }),
    );
  }
  await api.drainJobs();
  expect(await findTraces(api, ['xylograph'])).toEqual([]);
  expect((await forget(agent, { user: 'subject-x' })).body.counts).toEqual(NOTHING);
  const search = await agent.runtime.post(`${agent.url}/memories/search`, { query: 'favourite tea' });
  expect(search.text).toContain('quincunx');
});

test('every table that names a session is cleared of it', async ({ api }) => {
  const named: string[] = [];
  for (const table of await allTables(api)) {
    const columns = await api.db.query(
      api.db.engine === 'sqlite'
        ? sql<{ name: string }>`select name from pragma_table_info(${table})`
        : sql<{
            name: string;
          }>`select column_name as name from information_schema.columns where table_schema = 'public' and table_name = ${table}`,
    );
    const names = columns.map(({ name }) => name);
    if (names.includes('session_id') || names.includes('scope_id')) named.push(table);
  }
  expect(named.sort()).toEqual(
    [
      ...[
        'answers_of_sessions',
        'archived_sessions',
        'assertions',
        'deleted_sessions',
        'embedding_queue',
        'extraction_queue',
        'extraction_states',
        'memories',
      ],
      ...[
        'events',
        'memory_events',
        'memory_sources',
        'outbox',
        'message_writes',
        'messages',
        'new_messages',
        'refused_texts',
        'search_snapshots',
      ],
      ...['session_labels', 'vectors'],
      'webhook_deliveries',
      // Stays for two days.
      'changed_items',
      // Of an import that is under way: no session yet.
      'staged_sessions',
    ].sort(),
  );
});

test('sessions without anything in them, and large ones between small ones', async ({ api }) => {
  const agent = await api.newAgent();
  let messages = 0;
  for (const [index, batches] of [0, 0, 3, 0, 6, 1, 0].entries()) {
    const session = await api.newSession(agent, `user=1&n=${index}`);
    for (const batch of range(0, batches)) messages += (await write(session, range(batch * 100, batch * 100 + 100))).length;
  }
  expect((await forget(agent, { user: '1' })).body.counts).toMatchObject({ sessions: 7, messages });
  expect(messages).toBe(1_000);
  for (const table of ['messages', 'outbox', 'events', 'deleted_sessions', 'sessions'])
    expect([table, await api.countRows(table, agent.workspace.id)]).toEqual([table, table === 'outbox' ? expect.any(Number) : 0]);
});

test('a search index that was being saved meanwhile does not bring anything back', async ({ api }) => {
  const agent = await api.newAgent();
  const [meant, other] = [await api.newSession(agent, 'user=1'), await api.newSession(agent, 'user=2')];
  for (const session of [meant, other]) {
    await write(session, range(0, LEAST));
    await embedAll(api, session);
  }
  await newNode(api).find(agentScope(meant), 'word');
  const [before] = await snapshotsOf(api.db, agent.workspace.id);
  const { number, manifest, ...facts } = before as Snapshot;
  expect(manifest.threads.map(({ thread }) => thread).sort()).toEqual([meant.id, other.id].sort());
  const begunMs = api.clock.nowMs();
  await forget(agent, { user: '1' });
  const [after] = await snapshotsOf(api.db, agent.workspace.id);
  expect(after?.manifest.threads.map(({ thread }) => thread)).toEqual([other.id]);
  // As a node would that read it all before.
  const times = { begunMs, nowMs: api.clock.nowMs() };
  const stale = { ...manifest, segments: after?.manifest.segments ?? [] };
  await expect(commitSnapshot(api.db, facts, after?.number ?? 0, stale, times)).rejects.toThrow(SavedMeanwhile);
  expect(await commitSnapshot(api.db, facts, after?.number ?? 0, (after as Snapshot).manifest, times)).toBe((after?.number ?? 0) + 1);
});

test('what a person said in sessions that stay holds again', { timeout: 60_000 }, async ({ api }) => {
  const agent = await api.newAgent(undefined, ofPerson);
  const early = await api.newSession(agent, 'user=1&project=a');
  const late = await api.newSession(agent, 'user=1&project=b');
  await say(early, 'My favourite colour is green.');
  await api.extractMemories();
  await say(late, 'My favourite colour is mauve.');
  await api.extractMemories();
  const texts = async () => (await agent.runtime.get(`${agent.url}/memories?user=1`)).text;
  expect(await texts()).toContain('mauve');
  expect((await forget(agent, { project: 'b' })).body.counts).toMatchObject({ sessions: 1, statements: expect.any(Number) });
  expect(await texts()).toContain('green');
  expect(await findTraces(api, ['mauve'])).toEqual([]);
});

test('by containment, in all agents of the workspace or in one, also of an agent that is being deleted', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const agents = [await api.newAgent(workspace), await api.newAgent(workspace), await api.newAgent(workspace)] as const;
  const labels = ['user=1&channel=mail', 'user=1&channel=phone', 'user=2&channel=mail'];
  for (const agent of agents) for (const query of labels) await say(await api.newSession(agent, query), `${agent.id} hears ${query}`);
  const stranger = await api.newSession(undefined, 'user=1&channel=mail');
  await say(stranger, 'Of another workspace');
  await agents[2].runtime.delete(agents[2].url);

  expect((await forget(agents[0], { user: '1', channel: 'mail' })).body.counts).toMatchObject({ sessions: 1, messages: 1 });
  expect((await forget(agents[0], { user: '1' }, true)).body.counts).toMatchObject({ sessions: 5, messages: 5 });
  expect(await findTraces(api, [`${agents[2].id} hears user=1`, `${agents[0].id} hears user=1`])).toEqual([]);
  expect(await findTraces(api, [`${agents[0].id} hears user=2`])).toEqual(['messages.content', 'messages.meta']);
  expect((await stranger.runtime.get(`${stranger.url}/messages`)).body.messages).toHaveLength(1);
  expect((await forget(agents[0], { user: '1', nothing: 'has this' }, true)).body.counts).toEqual(NOTHING);
});

test('users who are admin or owner alone', async ({ api }) => {
  const agent = await api.newAgent();
  const { workspace } = agent;
  const [admin, reader, stranger] = [
    await api.newMember(workspace, 'admin'),
    await api.newMember(workspace, 'readonly'),
    await api.newUser(),
  ];
  const body = { labels: { user: '1' } };
  for (const path of [`${workspace.url}/forget`, `${agent.url}/forget`]) {
    expect((await admin.client.post(path, body)).status).toBe(200);
    expect((await reader.client.post(path, body)).status).toBe(403);
    expect((await agent.runtime.post(path, body)).status).toBe(403);
    expect((await stranger.client.post(path, body)).status).toBe(404);
    expect((await api.anonymous.post(path, body)).status).toBe(401);
  }
  for (const [client, status] of [
    [admin.client, 200],
    [reader.client, 403],
    [agent.runtime, 403],
    [stranger.client, 404],
  ] as const)
    expect((await client.get(`${workspace.url}/receipts`)).status).toBe(status);
  expect(await workspace.owner.post(`${workspace.url}/agents/${newId()}/forget`, body)).toEqual(refusal(404, 'Agent not found'));
});

test.for([
  [undefined, 'Labels is required'],
  [null, 'Labels is required'],
  [{}, 'Labels must have at least one label'],
  [{ user: 42 }, undefined],
  ['user', undefined],
  [{ '': 'x' }, 'Label key is required'],
] as const)('labels %j are refused, and nothing is forgotten', async ([labels, message], { api }) => {
  const session = await api.newSession(undefined, 'user=42');
  const { workspace } = session.agent;
  const answer = await workspace.owner.post(`${workspace.url}/forget`, { labels });
  expect(answer.status, answer.text).toBe(400);
  if (message) expect(answer.body.errorMessage).toBe(message);
  expect((await session.runtime.get(session.url)).status).toBe(200);
});

test('asked many times at once, each answer is right, and together they forgot everything once', async ({ api }) => {
  const agent = await api.newAgent();
  for (const index of range(0, 12)) await say(await api.newSession(agent, `user=1&n=${index}`), `Number ${index}`);
  const { answers, statuses } = await atOnce(6, (index) => forget(agent, { user: '1' }, index % 2 === 0));
  expect(statuses).toEqual({ 200: 6 });
  const total = (kind: string) => answers.reduce((sum, { body }) => sum + body.counts[kind], 0);
  expect([total('sessions'), total('messages')]).toEqual([12, 12]);
});

test('what is written meanwhile to a session that is being forgotten does not survive', async ({ api }) => {
  const agent = await api.newAgent();
  const sessions: TestSession[] = [];
  for (const index of range(0, 60)) sessions.push(await api.newSession(agent, `user=1&n=${index}`));
  let isOver = false;
  const statuses = new Set<number>();
  const writing = (async () => {
    for (let index = 0; !isOver; index++) {
      const { url, runtime } = sessions[index % sessions.length] as TestSession;
      statuses.add((await runtime.post(`${url}/messages`, { role: 'user', content: 'pertinacious' })).status);
    }
  })();
  const { status } = await forget(agent, { user: '1' });
  isOver = true;
  await writing;
  expect(status).toBe(200);
  expect([...statuses].every((one) => one === 201 || one === 404)).toBe(true);
  expect(await findTraces(api, ['pertinacious'])).toEqual([]);
});

test('a call that broke off anywhere is finished by the next one, or by the background', { timeout: 120_000 }, async ({ api }) => {
  const agent = await api.newAgent(undefined, ofPerson);
  // By how many statements it came through before it broke.
  for (const broken of [1, 2, 4, 7, 11, 16, 22, 30]) {
    const [session] = [await api.newSession(agent, `user=1&round=${broken}`), await api.newSession(agent, `user=1&also=${broken}`)];
    await say(session, `I live in evanescent${broken} Town.`);
    await api.extractMemories();
    const fails = failAfter(api, broken);
    const answer = await forget(agent, { user: '1' });
    fails.restore();
    expect(answer.status === 200, `after ${broken}`).toBe(!fails.hasFailed);
    if (broken % 2 === 0) {
      api.clock.advance(11 * 60_000);
      await api.drainJobs();
    } else expect((await forget(agent, { user: '1' }, true)).status).toBe(200);
    const left = await findTraces(api, [`evanescent${broken}`]);
    expect(left, `after ${broken}`).toEqual([]);
    expect((await forget(agent, { user: '1' })).body.counts.messages).toBe(0);
  }
});

/** Deletions fail from the n-th on, as if the process ended there. */
function failAfter(api: TestApi, count: number) {
  const { db } = api;
  const state = {
    hasFailed: false,
    restore: () => Object.assign(db, { run: original.run, transaction: original.transaction, batch: original.batch }),
  };
  const original = { run: db.run.bind(db), transaction: db.transaction.bind(db), batch: db.batch.bind(db) };
  let left = count;
  const counted = <Call extends (...sent: never[]) => Promise<unknown>>(call: Call) =>
    ((...sent: never[]) => {
      if (left-- > 0) return call(...sent);
      state.hasFailed = true;
      return Promise.reject(new Error('The process ended here'));
    }) as unknown as Call;
  Object.assign(db, { run: counted(original.run), transaction: counted(original.transaction), batch: counted(original.batch) });
  return state;
}
