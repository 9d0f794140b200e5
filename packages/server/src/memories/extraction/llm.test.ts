/** Extraction by a language model through the API: what it finds, and what happens when it fails. */
import { expect, onTestFinished, test } from 'vitest';
import { made, openApi, type TestApi } from '../../../test/api.ts';
import { hangUp, type LlmEndpointOptions, says, silence, startLlmEndpoint, status } from '../../../test/llm-endpoint.ts';

async function openWithModel(options: LlmEndpointOptions, more: Record<string, string> = {}) {
  const endpoint = await startLlmEndpoint(options);
  onTestFinished(() => endpoint.stop());
  const { api, close } = await openApi({
    COMMONPLACE_LLM_URL: endpoint.url,
    COMMONPLACE_LLM_MODEL: 'small',
    COMMONPLACE_LLM_API_KEY: 'the-key-of-the-model',
    ...more,
  });
  onTestFinished(close);
  return { endpoint, api };
}

async function newTalk(api: TestApi) {
  const { runtime, url, agent } = await api.newSession(await api.newAgent(undefined, { configs: { memoryPipeline: true } }));
  return {
    url,
    runtime,
    workspaceId: agent.workspace.id,
    say: async (content: string): Promise<string> => {
      const { id } = made(await runtime.post(`${url}/messages`, { role: 'user', content }));
      await api.extractMemories();
      return id;
    },
    listed: async () => (await runtime.get(`${url}/memories`)).body.memories,
    status: async () => (await runtime.get(`${url}/memories/status`)).body,
  };
}

const noticed = (content: string, more: object = {}) => ({ message: 1, kind: 'preference', content, slot: null, replaces: [], ...more });

test('the model’s memories are kept with its name, and the workspace is charged', async () => {
  const { endpoint, api } = await openWithModel({
    answer: ({ known }) =>
      known.length === 0
        ? { memories: [noticed('User drinks oolong')], withdrawn: [] }
        : { memories: [noticed('User drinks sencha', { replaces: [known[0]?.number] })], withdrawn: [] },
    tokens: 120,
  });
  const talk = await newTalk(api);
  const id = await talk.say('Make it oolong as ever.');
  expect(await talk.listed()).toMatchObject([
    { content: 'User drinks oolong', kind: 'preference', meta: { source: 'extraction', messageIds: [id], extractor: 'llm:small' } },
  ]);
  await talk.say('From now on sencha, please.');
  expect(await talk.listed()).toMatchObject([{ content: 'User drinks sencha', meta: { history: [{ content: 'User drinks oolong' }] } }]);
  expect(endpoint.requests).toHaveLength(2);
  expect(endpoint.requests[0]?.authorization).toBe('Bearer the-key-of-the-model');
  expect(await api.countRows('llm_usage', talk.workspaceId)).toBe(1);
});

test('the model knows what the person said in other sessions, and nothing of other people', async () => {
  const { endpoint, api } = await openWithModel({
    answer: ({ known, messages }) => {
      const content = `User drinks ${/(oolong|sencha|milk)/.exec(messages[0]?.text ?? '')?.[1]}`;
      return { memories: [noticed(content, { replaces: known.map(({ number }) => number) })], withdrawn: [] };
    },
  });
  const agent = await api.newAgent(undefined, { configs: { memoryPipeline: true, memorySubject: 'user' } });
  const say = async (user: string, content: string) => {
    const session = await api.newSession(agent, `user=${user}&chat=${content.length}`);
    made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content }));
    await api.extractMemories();
    return session;
  };
  const contents = async (user: string) =>
    (await agent.runtime.get(`${agent.url}/memories?user=${user}`)).body.memories.map(({ content }: { content: string }) => content);
  await say('ada', 'Make it oolong as ever.');
  await say('ben', 'Only milk for me.');
  const later = await say('ada', 'From now on sencha, please.');
  expect(await contents('ada')).toEqual(['User drinks sencha']);
  expect(await contents('ben')).toEqual(['User drinks milk']);
  expect(endpoint.requests.map(({ shown }) => shown.known.map(({ content }) => content))).toEqual([[], [], ['User drinks oolong']]);
  expect((await later.runtime.delete(later.url)).status).toBe(204);
  expect(await contents('ada')).toEqual(['User drinks oolong']);
});

test('what looks like a secret is not shown to the model', async () => {
  const { endpoint, api } = await openWithModel({});
  const talk = await newTalk(api);
  await talk.say('I live in Lisbon. My password is tr0ub4dor&3xyz. I like tea.');
  const [request] = endpoint.requests;
  expect(JSON.stringify(request?.body)).not.toContain('tr0ub');
  expect(JSON.stringify(request?.shown)).toContain('Lisbon');
  // Far into a line, at the end of a long message, and in a key block without end.
  await talk.say(`I live in Lisbon ${'and go on and on '.repeat(300)} my password is tr0ub4dor&3xyz`);
  await talk.say(`${'I go on and on. '.repeat(50_000)} my password is tr0ub4dor&3xyz`);
  await talk.say(`I live in Lisbon.\n-----BEGIN RSA PRIVATE KEY-----\n${'tr0ub4dor\n'.repeat(99_000)}`);
  expect(endpoint.requests).toHaveLength(4);
  expect(JSON.stringify(endpoint.requests.map(({ body }) => body))).not.toContain('tr0ub');
});

test.for([
  ['breaks off', hangUp],
  ['says 500', status(500)],
  ['wants no key', status(401)],
  ['asks for patience', status(429, { 'retry-after': '600' })],
  ['says no JSON', says('I would rather talk about the weather.')],
] as const)('a model that %s loses no message: the built-in extractor stands in', async ([, fault]) => {
  const { endpoint, api } = await openWithModel({});
  endpoint.fault = fault;
  const talk = await newTalk(api);
  await talk.say('I live in Lisbon.');
  expect(await talk.listed()).toMatchObject([{ content: 'User lives in Lisbon', meta: { extractor: 'builtin-2' } }]);
  expect(await talk.status()).toMatchObject({ pending: 0, done: 1, failed: 0, lastError: null });
  const { payload } = await api.app.server.inject({ url: '/metrics' });
  expect(Number(/commonplace_extraction\{what="fallbacks_total"\} (\d+)/.exec(payload)?.[1])).toBeGreaterThan(0);
});

test('a write does not wait for a model that is silent', async () => {
  const { endpoint, api } = await openWithModel({});
  endpoint.fault = silence;
  const talk = await newTalk(api);
  made(await talk.runtime.post(`${talk.url}/messages`, { role: 'user', content: 'I live in Lisbon.' }));
  const extracting = api.extractMemories();
  await expect.poll(() => endpoint.requests.length).toBe(1);
  made(await talk.runtime.post(`${talk.url}/messages`, { role: 'user', content: 'And I like it.' }));
  expect(await talk.status()).toMatchObject({ pending: 2 });
  endpoint.fault = undefined;
  await endpoint.stop();
  await extracting;
  expect((await talk.listed())[0]).toMatchObject({ content: 'User lives in Lisbon' });
});

test('beyond its budget for the day a workspace is served by the built-in extractor, and others still by the model', async () => {
  const { endpoint, api } = await openWithModel(
    { answer: () => ({ memories: [noticed('User said something')], withdrawn: [] }), tokens: 100 },
    { COMMONPLACE_LLM_DAILY_TOKENS: '150' },
  );
  const talk = await newTalk(api);
  for (const content of ['One.', 'Two.', 'I live in Lisbon.']) await talk.say(content);
  expect(endpoint.requests).toHaveLength(2);
  expect((await talk.listed()).map(({ meta }: { meta: { extractor: string } }) => meta.extractor)).toEqual(['builtin-2', 'llm:small']);
  await (await newTalk(api)).say('Three.');
  expect(endpoint.requests).toHaveLength(3);
  api.clock.advance(24 * 60 * 60 * 1000);
  await talk.say('Four.');
  expect(endpoint.requests).toHaveLength(4);
});

test('an answer is understood by its question, and names both', async () => {
  const { endpoint, api } = await openWithModel({
    answer: ({ messages: [message] }) =>
      message?.before === 'Any allergies?' ? { memories: [noticed('User is allergic to latex', { answers: true })] } : { memories: [] },
  });
  const talk = await newTalk(api);
  const asked = made(await talk.runtime.post(`${talk.url}/messages`, { role: 'assistant', content: 'Any allergies?' })).id;
  const id = await talk.say('yes, latex');
  expect(await talk.listed()).toMatchObject([{ content: 'User is allergic to latex', meta: { messageIds: [asked, id] } }]);
  await talk.say('And I like tea');
  expect(endpoint.requests.map(({ shown }) => shown.messages[0]?.before)).toEqual(['Any allergies?', undefined]);
  // Without the question nobody knows what the answer meant.
  expect((await talk.runtime.delete(`${talk.url}/messages/${asked}`)).status).toBe(204);
  expect(await talk.listed()).toEqual([]);
});

test('what is said to end is gone after that day', async () => {
  const dayMs = 24 * 60 * 60 * 1000;
  let until = '';
  const { api } = await openWithModel({ answer: () => ({ memories: [noticed('User works in Oslo', { kind: 'fact', until })] }) });
  const endMs = (Math.floor(api.clock.nowMs() / dayMs) + 40) * dayMs;
  until = new Date(endMs - dayMs).toISOString().slice(0, 10);
  const talk = await newTalk(api);
  await talk.say('Oslo for forty days!');
  const expiresAt = new Date(endMs).toISOString();
  expect(await talk.listed()).toMatchObject([{ content: 'User works in Oslo', kind: 'short_lived', expiresAt }]);
  api.clock.advance(41 * dayMs);
  expect(await talk.listed()).toEqual([]);
});

test.for([{}, { memorySubject: 'user' }])('what the user wants forgotten is, one thing or all: %j', async (configs) => {
  const { endpoint, api } = await openWithModel({
    answer: ({ known, messages: [message] }) => {
      const text = message?.text ?? '';
      const meant = known.filter(({ content }) => text === 'Forget the cat.' && content.includes('cat'));
      return {
        memories: text.startsWith('I') ? [noticed(text.replace(/^I/, 'User'))] : [],
        withdrawn: meant.map(({ number }) => ({ message: 1, memory: number, forgotten: true })),
        forget_all: text === 'Forget all that I said.' ? [1] : [],
      };
    },
  });
  const agent = await api.newAgent(undefined, { configs: { memoryPipeline: true, ...configs } });
  const { runtime, url } = await api.newSession(agent, undefined, { labels: { user: 'ada' } });
  const say = async (content: string) => {
    made(await runtime.post(`${url}/messages`, { role: 'user', content }));
    await api.extractMemories();
  };
  const listed = async (): Promise<{ id: string; kind: string; content: string }[]> =>
    (await runtime.get(`${url}/memories`)).body.memories.filter(({ kind }: { kind: string }) => kind !== 'summary');
  const contents = async () => (await listed()).map(({ content }) => content);
  await say('I feed a cat');
  const [cat] = await listed();
  await say('I drink tea');
  await say('Forget the cat.');
  expect(await contents()).toEqual(['User drink tea']);
  const { history } = (await runtime.get(`${url}/memories/${cat?.id}/history`)).body;
  expect(history).toMatchObject([{ event: 'created' }, { event: 'withdrawn', reason: 'forgotten' }]);
  await say('Forget all that I said.');
  expect(await contents()).toEqual([]);
  await say('I drink milk');
  expect(await contents()).toEqual(['User drink milk']);
  expect(endpoint.requests.at(-1)?.shown.known).toEqual([]);
});

test('what is to be forgotten is found however much was said since', async () => {
  const { endpoint, api } = await openWithModel({
    answer: ({ known, messages }) => {
      if (messages[0]?.text !== 'Forget my allergies.')
        return { memories: messages.map(({ number, text }) => noticed(text.replace(/^I/, 'User'), { message: number })) };
      const meant = known.filter(({ content }) => content.includes('allergic'));
      const memories = meant.length > 0 ? meant.map(({ number }) => number) : [null];
      return { memories: [], withdrawn: memories.map((memory) => ({ message: 1, memory, forgotten: true })) };
    },
  });
  const talk = await newTalk(api);
  await talk.say('I am allergic to peanuts');
  const [allergy] = await talk.listed();
  for (const round of [1, 2]) {
    const messages = Array.from({ length: 60 }, (_, index) => ({ role: 'user', content: `I count ${round} and ${index}` }));
    made(await talk.runtime.post(`${talk.url}/messages/batch`, { messages }));
    await api.extractMemories();
  }
  const before = endpoint.requests.length;
  await talk.say('Forget my allergies.');
  expect(endpoint.requests.length - before).toBe(2);
  const { history } = (await talk.runtime.get(`${talk.url}/memories/${allergy.id}/history`)).body;
  expect(history).toMatchObject([{ event: 'created' }, { event: 'withdrawn', reason: 'forgotten' }]);
});
