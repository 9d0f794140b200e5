/** What waits, runs and failed: each kind of work through all of its states, as the people of a workspace see it. */
import { expect, vi } from 'vitest';
import { anId, aTime, atOnce, made, refusal, type TestApi, test } from '../../test/api.ts';
import { jobsOf, newGate, newReader, newTalk, refuseTexts } from '../../test/background-work.ts';
import { upload } from '../../test/embeddings-endpoint.ts';
import { sql } from '../db/sql.ts';
import type { Embedder } from '../search/embedding/embedder.ts';

const aJobId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

/** The messages of a test are embedded in between: only one kind is looked at. */
const only = (kind: string) => `kind=${kind}`;

async function drainLater(api: TestApi, times = 8): Promise<void> {
  for (let time = 0; time < times; time++) {
    api.clock.advance(20 * 60_000);
    await api.drainJobs();
  }
}

test('a document waits, runs, fails, is retried, and leaves the list when it is indexed', async ({ api }) => {
  const agent = await api.newAgent();
  const { list, retry, counts } = jobsOf(api, agent);
  expect(await list()).toEqual([]);
  const documentId = await upload(agent.runtime, agent.workspace.url, '# Tea\n\nSteep it.');
  const subject = { type: 'document', id: documentId, title: 'A title' };
  const waiting = { kind: 'index-document', status: 'waiting', subject, attempts: 0, runAt: aTime, createdAt: aTime, updatedAt: aTime };
  expect(await list()).toEqual([{ id: aJobId, ...waiting }]);
  expect(await counts()).toEqual([1, 0, 0]);
  const [{ id }] = await list();
  expect(await retry(id)).toEqual(refusal(409, 'The job has not failed'));

  const gate = newGate();
  const embed = vi.spyOn(api.app.context.searcher.embedder as Required<Embedder>, 'embedWithTokens').mockImplementation(async () => {
    await gate.pass();
    throw new Error('The model is out of order');
  });
  const drained = api.drainJobs();
  await gate.isReached;
  expect(await list()).toMatchObject([{ id, status: 'running', startedAt: aTime, attempts: 0 }]);
  expect(await counts()).toEqual([0, 1, 0]);
  expect(await retry(id)).toEqual(refusal(409, 'The job has not failed'));
  gate.open();
  await drained;
  expect(await list()).toMatchObject([{ id, status: 'waiting', attempts: 1, error: 'The model is out of order', runAt: aTime }]);

  await drainLater(api);
  const { runAt: _, ...failed } = waiting;
  expect(await list()).toEqual([{ id, ...failed, status: 'failed', attempts: 6, error: 'The model is out of order' }]);
  expect(await counts()).toEqual([0, 0, 1]);

  embed.mockRestore();
  const { statuses, answers } = await atOnce(4, () => retry(id));
  expect(statuses).toEqual({ 202: 1, 409: 3 });
  expect(answers.find(({ status }) => status === 202)?.body).toEqual({ id, ...waiting });
  expect(await list()).toMatchObject([{ id, status: 'waiting', attempts: 0 }]);
  await api.drainJobs();
  expect(await list()).toEqual([]);
  expect(await retry(id)).toEqual(refusal(404, 'Job not found'));
});

test('a session waits for extraction, is read, is given up with the reason, and is read again', async ({ api }) => {
  const { session, agent, write, list, retry } = await newTalk(api);
  const { read, run } = newReader(api);
  await write('I live in Lisbon.');
  await api.app.outbox.distribute();
  const kind = 'extract-memories';
  const subject = { type: 'session', id: session.id, agentId: agent.id, sessionId: session.id, title: 'A talk' };
  const waiting = { id: aJobId, kind, status: 'waiting', subject, attempts: 0, createdAt: aTime, updatedAt: aTime };
  expect(await list(only(kind))).toEqual([waiting]);
  const [{ id }] = await list(only(kind));
  expect(await retry(id)).toEqual(refusal(409, 'The job has not failed'));

  const gate = newGate();
  read.mockImplementation(async () => {
    await gate.pass();
    throw new Error('The reader broke');
  });
  const drained = run();
  await gate.isReached;
  expect(await list(only(kind))).toEqual([{ ...waiting, status: 'running', startedAt: aTime }]);
  expect(await list(`${only(kind)}&status=waiting`)).toEqual([]);
  gate.open();
  await drained;
  expect(await list(only(kind))).toEqual([{ ...waiting, attempts: 1, error: 'The reader broke', runAt: aTime }]);

  for (let attempts = 1; attempts < 6; attempts++) await run();
  expect(await list(only(kind))).toEqual([{ ...waiting, status: 'failed', attempts: 6, error: 'The reader broke' }]);
  // One line for a session, whatever else of it waits.
  await write('I like tea.');
  await api.app.outbox.distribute();
  expect(await list(only(kind))).toMatchObject([{ id, status: 'failed' }]);

  read.mockReset();
  const { statuses } = await atOnce(4, () => retry(id));
  expect(statuses).toEqual({ 202: 1, 409: 3 });
  expect(await list(only(kind))).toEqual([waiting]);
  await run();
  expect(read.mock.calls.flat(2)).toEqual(['I live in Lisbon.', 'I like tea.']);
  expect(await list(only(kind))).toEqual([]);
  expect(await retry(id)).toEqual(refusal(404, 'Job not found'));
});

test('what a process that stopped left is waiting, and not running', async ({ api }) => {
  const { session, write, list, workspaceId } = await newTalk(api);
  await write('I live in Lisbon.');
  await api.app.outbox.distribute();
  const before = new Date(api.clock.nowMs() - 60_000).toISOString();
  await api.db.run(sql`
    insert into extraction_states (workspace_id, session_id, done, summarized, attempts, started_at, updated_at)
    values (${workspaceId}, ${session.id}, 0, 0, 0, ${before}, ${before})`);
  expect(await list(only('extract-memories'))).toMatchObject([{ status: 'waiting' }]);
  const { read, run } = newReader(api);
  const gate = newGate();
  const other = await api.newSession(session.agent, 'id=other');
  made(await other.runtime.post(`${other.url}/messages`, { role: 'user', content: 'I like tea.' }));
  read.mockImplementation(async ([content]) => (content === 'I like tea.' ? gate.pass() : undefined));
  const drained = run();
  await gate.isReached;
  const seen = await list(only('extract-memories'));
  expect(seen).toContainEqual(expect.objectContaining({ status: 'running', subject: expect.objectContaining({ id: other.id }) }));
  gate.open();
  await drained;
  expect(await list(only('extract-memories'))).toEqual([]);
});

test('a regeneration waits, runs, is given up with the reason, and begins anew', async ({ api }) => {
  const { session, write, list, retry, workspaceId } = await newTalk(api);
  const { read, run } = newReader(api);
  await write('I live in Lisbon.');
  await run();
  const kind = 'regenerate-memories';
  expect((await session.runtime.post(`${session.url}/memories/regenerate`)).status).toBe(202);
  const subject = expect.objectContaining({ type: 'session', id: session.id });
  expect(await list(only(kind))).toMatchObject([{ id: aJobId, kind, status: 'waiting', subject, attempts: 0, runAt: aTime }]);
  expect(await list(only('extract-memories'))).toEqual([]);
  const [{ id }] = await list(only(kind));

  const gate = newGate();
  read.mockImplementation(() => gate.pass());
  const drained = run();
  await gate.isReached;
  expect(await list(only(kind))).toMatchObject([{ id, status: 'running', startedAt: aTime }]);
  gate.open();
  await drained;
  expect(await list(only(kind))).toEqual([]);

  expect((await session.runtime.post(`${session.url}/memories/regenerate`)).status).toBe(202);
  const later = new Date(api.clock.nowMs() + 1_000).toISOString();
  await api.db.run(sql`
    update jobs set state = 'failed', failed_at = ${later}, last_error = 'The process stopped'
    where workspace_id = ${workspaceId} and kind = 'regenerate-memories'`);
  api.clock.advance(2 * 60_000);
  await api.app.jobRunner.schedulePeriodic();
  await api.drainJobs();
  expect(await list(only(kind))).toMatchObject([
    { id, status: 'failed', subject, attempts: 6, error: 'The process stopped', createdAt: aTime, updatedAt: aTime },
  ]);
  read.mockReset();
  const { statuses } = await atOnce(4, () => retry(id));
  expect(statuses).toEqual({ 202: 1, 409: 3 });
  expect(await list(only(kind))).toMatchObject([{ id, status: 'waiting', attempts: 0 }]);
  await run();
  expect(read).toHaveBeenCalled();
  expect(await list(only(kind))).toEqual([]);
});

test('texts of a session wait to be embedded, and those that the model refuses are one failed job', async ({ api }) => {
  const session = await api.newSession();
  const { list, retry, counts } = jobsOf(api, session.agent);
  const embed = refuseTexts(api, 'forbidden');
  for (const content of ['The forbidden kettle.', 'A forbidden spoon.', 'Tea.'])
    made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content }));
  made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content: 'Owns a forbidden samovar.' }));
  await api.app.outbox.distribute();
  const waiting = { id: aJobId, kind: 'embed-texts', status: 'waiting', attempts: 0, createdAt: aTime, updatedAt: aTime };
  const subject = { type: 'session', id: session.id, agentId: session.agent.id, sessionId: session.id };
  expect(await list()).toMatchObject([{ ...waiting, subject: expect.objectContaining(subject) }]);
  expect(await counts()).toEqual([1, 0, 0]);

  await api.app.indexing.drain();
  const [failed] = await list();
  expect(failed).toMatchObject({ ...waiting, status: 'failed', attempts: 1, error: 'The model has taken offence.' });
  expect(await counts()).toEqual([0, 0, 1]);
  expect(await api.countRows('refused_texts', session.agent.workspace.id)).toBe(3);
  // One line for a session, whatever else of it waits.
  made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content: 'More tea.' }));
  await api.app.outbox.distribute();
  expect(await list()).toMatchObject([{ id: failed.id, status: 'failed' }]);

  embed.mockRestore();
  const { statuses } = await atOnce(4, () => retry(failed.id));
  expect(statuses).toEqual({ 202: 1, 409: 3 });
  expect(await list()).toMatchObject([{ id: failed.id, status: 'waiting' }]);
  await api.app.indexing.drain();
  expect(await list()).toEqual([]);
  expect(await api.countRows('vectors', session.agent.workspace.id)).toBe(5);
});

test.for([
  ['extract-memories', 600],
  ['embed-texts', 600],
  // As many as one request moves: the job finds nothing left, which is no failure.
  ['extract-memories', 500],
  ['embed-texts', 500],
] as const)('%s: more than one request may move is moved by a job, of %i', async ([kind, total], { api }) => {
  const { session, list, retry, workspaceId } = await newTalk(api);
  const contents = Array.from({ length: total }, (_, index) => ({ role: 'user', content: `Entry ${index}.` }));
  for (let start = 0; start < contents.length; start += 100)
    made(await session.runtime.post(`${session.url}/messages/batch`, { messages: contents.slice(start, start + 100) }));
  await api.app.outbox.distribute();
  // By the clock of another node.
  const failedAt = new Date(api.clock.nowMs() + 60 * 60_000).toISOString();
  const { model } = api.app.context.searcher.embedder;
  await api.db.batch([
    sql`update extraction_queue set failed_at = ${failedAt}, error = 'No luck', attempts = 6 where workspace_id = ${workspaceId}`,
    sql`insert into refused_texts (workspace_id, kind, scope_id, item_id, model, reason, created_at)
        select workspace_id, kind, scope_id, cast(item_id as text), ${model}, 'No luck', created_at from embedding_queue where workspace_id = ${workspaceId}`,
    sql`delete from embedding_queue where workspace_id = ${workspaceId}`,
  ]);
  const failedRows = { 'extract-memories': sql`extraction_queue where failed_at is not null and`, 'embed-texts': sql`refused_texts where` }[
    kind
  ];
  const countFailed = async () =>
    (await api.db.one(sql<{ count: number }>`select count(*) as count from ${failedRows} workspace_id = ${workspaceId}`)).count;
  const [{ id }] = await list(only(kind));
  expect((await retry(id)).status).toBe(202);
  expect(await countFailed()).toBe(total - 500);
  await api.drainJobs();
  expect(await countFailed()).toBe(0);
  expect(await api.db.query(sql`select state, attempts from jobs where kind = 'retry-texts' and workspace_id = ${workspaceId}`)).toEqual(
    [],
  );
});

test('only an id of a job in this workspace is one', async ({ api }) => {
  const one = await api.newAgent();
  const other = await api.newAgent();
  const documentId = await upload(one.runtime, one.workspace.url, ' \n');
  await api.drainJobs();
  const { list, retry, url } = jobsOf(api, one);
  const [job] = await list();
  expect(job).toMatchObject({ status: 'failed', attempts: 1, error: 'The file is empty: there is no text to index' });
  expect(await jobsOf(api, other).list()).toEqual([]);
  expect(await jobsOf(api, other).retry(job.id)).toEqual(refusal(404, 'Job not found'));
  expect(await other.workspace.owner.get(url)).toEqual(refusal(404, 'Workspace not found'));
  const otherKind = `1${job.id.slice(1)}`;
  for (const id of [documentId, otherKind, `f${job.id.slice(1)}`, 'nonsense'])
    expect(await retry(id)).toEqual(refusal(404, 'Job not found'));
  expect(documentId).toEqual(anId);

  const reader = await api.newMember(one.workspace, 'readonly');
  expect((await reader.client.get(url)).body.jobs).toEqual([job]);
  expect((await reader.client.post(`${url}/${job.id}/retry`)).status).toBe(403);
  expect((await one.runtime.get(url)).status).toBe(403);
  expect((await retry(job.id)).status).toBe(202);
  expect((await one.workspace.owner.get(`${one.workspace.url}/audits`)).body.audits[0]).toMatchObject({ action: 'document.reindex' });
});

test.for(['session', 'agent'] as const)('what belongs to a deleted %s has no jobs', async (deleted, { api }) => {
  const { session, write, list, retry, counts } = await newTalk(api);
  await write('I live in Lisbon.');
  await api.app.outbox.distribute();
  const [job, ...others] = await list();
  expect(others).toHaveLength(1);
  expect((await session.runtime.delete(deleted === 'session' ? session.url : session.agent.url)).status).toBe(204);
  expect(await retry(job.id)).toEqual(refusal(404, 'Job not found'));
  expect(await list()).toEqual([]);
  await api.drainJobs();
  expect(await counts()).toEqual([0, 0, 0]);
});
