/** One worker is down: its own workspaces are answered 503, and nobody else notices. */
import { expect, test } from 'vitest';
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
  expect(await api.countRows('new_messages', kept.agent.workspace.id)).toBe(0);
  expect(await api.countRows('vectors', kept.agent.workspace.id)).toBe(3);
  const found = await kept.runtime.post(`${kept.url}/messages/search`, { query: 'Porto' });
  expect(found).toMatchObject({ status: 200 });
  expect(found.body.results.length).toBe(3);
  const metrics = await api.app.server.inject({ url: '/metrics' });
  expect(metrics.statusCode).toBeLessThan(500);

  await citus.workers[0]?.startAgain();
  const again = await lost.runtime.post(`${lost.url}/messages`, say('I live in Lisbon.'), { 'idempotency-key': 'round-0' });
  expect(again, again.text).toMatchObject({ status: 201 });
  expect((await lost.runtime.get(`${lost.url}/messages`)).body.messages).toHaveLength(1);
});
