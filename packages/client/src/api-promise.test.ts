import { expect, test } from 'vitest';
import { json, stubFetch } from '../test/stub-fetch.ts';
import { Commonplace } from './commonplace.ts';

const agentId = '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c20';

function clientOn(...script: Parameters<typeof stubFetch>) {
  const { fetch, sent } = stubFetch(...script);
  return { client: new Commonplace({ baseUrl: 'http://service.test', accessKey: 'key', workspaceId: 'w', maxRetries: 0, fetch }), sent };
}

test('every operation shows its answer where that is asked for, with one request', async () => {
  const headers = { 'x-request-id': 'request-1', 'ratelimit-remaining': '9' };
  const { client, sent } = clientOn(json({ id: 'm', results: ['hit'] }, 201, headers));
  const session = client.agent(agentId).session('s');
  const answered = [
    await client.messages.get(agentId, 's', 'm').withResponse(),
    await session.messages.create({ role: 'user', content: 'Hello' }).withResponse(),
    await session.messages.search('Hello').withResponse(),
    await client.documents.upload(new Blob(['x']), { filename: 'a.md' }).withResponse(),
  ];
  for (const { response, requestId } of answered) {
    expect([response.status, requestId, response.headers.get('ratelimit-remaining')]).toEqual([201, 'request-1', '9']);
  }
  expect(answered.map(({ data }) => data)).toMatchObject([{ id: 'm' }, { id: 'm' }, ['hit'], { id: 'm' }]);
  expect(sent).toHaveLength(4);
});

test('it is a promise as any other', async () => {
  const { client } = clientOn(json({ id: 'a' }));
  const promise = client.agents.get('a');
  expect(promise).toBeInstanceOf(Promise);
  expect(await Promise.all([promise, promise.then(({ id }) => id), promise.finally(() => undefined)])).toEqual([
    { id: 'a' },
    'a',
    { id: 'a' },
  ]);
});

test('a failure is told once, whether or not the answer was asked for', async () => {
  const unhandled: unknown[] = [];
  const keep = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', keep);
  try {
    const { client } = clientOn(json({ errorMessage: 'No' }, 400));
    const agent = client.agent(agentId);
    for (const promise of [client.agents.get('a'), agent.get(), agent.messages.search('x')]) {
      await expect(promise).rejects.toBeInstanceOf(Commonplace.BadRequestError);
      await expect(promise.withResponse()).rejects.toBeInstanceOf(Commonplace.BadRequestError);
    }
    await expect(client.agents.get('')).rejects.toThrow('agentId is required');
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', keep);
  }
});
