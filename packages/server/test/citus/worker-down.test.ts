/** One worker is down: its own workspaces are answered 503, and nobody else notices. */
import { expect, onTestFinished, test } from 'vitest';
import { sql } from '../../src/db/sql.ts';
import { findRegenerationRequest, requestRegeneration } from '../../src/memories/store/extraction-state.ts';
import { HOUR_MS, hourOf, writeValues } from '../../src/roll-ups/hourly-values.ts';
import { made, openApi, type TestWorkspace } from '../api.ts';
import { newKnowledge } from '../documents.ts';
import { canStartOwn, newWorkspacePerWorker, startOwnCitus } from './own-citus.ts';

test.runIf(canStartOwn)('a worker that is down costs its own workspaces a 503 with Retry-After, and nobody else anything', async () => {
  const citus = await startOwnCitus();
  const { api } = citus;
  const workspaces = await newWorkspacePerWorker(citus);
  const [lost, kept] = await Promise.all(
    workspaces.map(async (workspace) => api.newSession(await api.newAgent(workspace, { configs: { memoryExtraction: true } }))),
  );
  if (!lost || !kept) throw new Error('There are two workers');
  const account = { email: 'ada@example.com', name: 'Ada', password: 'a long enough password' };
  expect((await api.anonymous.post('/auth/register', account)).status).toBe(201);
  const say = (content: string) => ({ role: 'user', content });

  citus.workers[0]?.crash();
  for (let round = 0; round < 3; round++) {
    for (const headers of [undefined, { 'idempotency-key': `round-${round}` }]) {
      const refused = await lost.runtime.post(`${lost.url}/messages`, say('I live in Lisbon.'), headers);
      expect(refused, refused.text).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(await lost.runtime.get(`${lost.url}/messages`)).toMatchObject({ status: 503 });
    expect(await kept.runtime.post(`${kept.url}/messages`, say('I live in Porto.'), { 'idempotency-key': `kept-${round}` })).toMatchObject({
      status: 201,
    });
    expect(await kept.runtime.get(`${kept.url}/messages`)).toMatchObject({ status: 200 });
  }
  expect(await api.anonymous.post('/auth/login', { email: account.email, password: account.password })).toMatchObject({ status: 200 });
  expect(await kept.agent.workspace.owner.get('/workspaces')).toMatchObject({ status: 200 });
  // What runs in the background goes on for the others.
  await api.app.context.usage.flush();
  await api.app.indexing.drain();
  expect(await api.countRows('embedding_queue', kept.agent.workspace.id)).toBe(0);
  expect(await api.countRows('outbox', kept.agent.workspace.id)).toBe(0);
  expect(await api.countRows('vectors', kept.agent.workspace.id)).toBe(3);
  const found = await kept.runtime.post(`${kept.url}/messages/search`, { query: 'Porto' });
  expect(found).toMatchObject({ status: 200 });
  expect(found.body.results.length).toBe(3);
  const metrics = await api.app.server.inject({ url: '/metrics' });
  expect(metrics.statusCode).toBeLessThan(500);
  // A node that starts meanwhile serves the others, too.
  const another = await openApi({ COMMONPLACE_DATABASE_URL: citus.url });
  onTestFinished(another.close);
  const read = await another.api.app.server.inject({ url: `/api/v1${kept.url}/messages`, headers: kept.runtime.headers });
  expect(read.statusCode, read.body).toBe(200);

  await citus.workers[0]?.startAgain();
  const again = await lost.runtime.post(`${lost.url}/messages`, say('I live in Lisbon.'), { 'idempotency-key': 'round-0' });
  expect(again, again.text).toMatchObject({ status: 201 });
  expect((await lost.runtime.get(`${lost.url}/messages`)).body.messages).toHaveLength(1);
});

test.runIf(canStartOwn)('work in the background goes on for the others, and for its own workspaces when the worker is back', async () => {
  const citus = await startOwnCitus();
  const { api } = citus;
  const begin = async (workspace: TestWorkspace) => {
    const agent = await api.newAgent(workspace);
    const [deleted, regenerated] = [await api.newSession(agent), await api.newSession(agent)];
    const knowledge = await newKnowledge(api, workspace);
    made(
      await deleted.runtime.post(`${deleted.url}/messages`, { role: 'user', content: 'I live in Lisbon.' }, { 'idempotency-key': 'once' }),
    );
    const { id } = made(await knowledge.upload());
    const place = { workspaceId: workspace.id, agentId: agent.id, sessionId: regenerated.id };
    await requestRegeneration(api.db, place, api.clock.nowMs());
    const old = {
      workspaceId: workspace.id,
      metric: 'calls' as const,
      hour: hourOf(api.clock.nowMs()) - 500 * 24,
      part: 'users',
      value: 1,
    };
    await api.db.batch(writeValues([old], 'add'));
    return { workspace, place, deleted, document: () => knowledge.read(id), rows: (table: string) => api.countRows(table, workspace.id) };
  };
  const [lost, kept] = await Promise.all((await newWorkspacePerWorker(citus)).map(begin));
  if (!lost || !kept) throw new Error('There are two workers');
  // Of work that was begun, the jobs were lost.
  await api.db.run(sql`delete from jobs where kind in ('index-document', 'regenerate-memories') and workspace_id = ${kept.workspace.id}`);
  for (const { deleted } of [lost, kept]) expect((await deleted.runtime.delete(deleted.url)).status).toBe(204);
  await api.app.jobRunner.schedulePeriodic();

  citus.workers[0]?.crash();
  // Long enough for all periodic jobs, and for jobs of its own workspaces to be given up.
  for (let round = 0; round < 16; round++) {
    api.clock.advance(round < 12 ? 90_000 : 12 * HOUR_MS);
    await api.drainJobs();
  }
  expect(await kept.rows('messages'), 'purged').toBe(0);
  expect(await kept.rows('idempotency_keys'), 'expired').toBe(0);
  expect(await kept.document(), 'rescued').toMatchObject({ status: 'indexed' });
  expect(await findRegenerationRequest(api.db, kept.place), 'swept').toBeUndefined();
  expect(await kept.rows('pending_counts'), 'sampled').toBe(0);
  const isOld = sql`workspace_id = ${kept.workspace.id} and hour < ${hourOf(api.clock.nowMs()) - 400 * 24}`;
  expect(await api.db.query(sql`select hour from hourly_values where ${isOld}`), 'dropped').toEqual([]);

  await citus.workers[0]?.startAgain();
  for (let round = 0; round < 3; round++) {
    api.clock.advance(HOUR_MS);
    await api.drainJobs();
  }
  expect(await lost.rows('messages')).toBe(0);
  expect(await lost.document()).toMatchObject({ status: 'indexed' });
  expect(await findRegenerationRequest(api.db, lost.place)).toBeUndefined();
  expect(await api.db.query(sql`select kind, last_error from jobs where state = 'failed'`)).toEqual([]);
});
