/** The middleware under the AI SDK’s own functions, between a stand-in for the model and a real service. */
import { Commonplace, type SessionHandle } from '@commonplace/client';
import { generateText, isStepCount, jsonSchema, streamText, tool, wrapLanguageModel } from 'ai';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Fault, startFaultProxy } from '../../client/test/fault-proxy.ts';
import { clientOf, describeOnEachEngine, type TestService } from '../../client/test/service.ts';
import { type RememberOptions, remember } from '../src/remember.ts';
import { type SentMessage, startModelServer } from './model-server.ts';

/** No test depends on how busy the machine is. */
const PATIENT_MS = 600_000;

const unique = (name: string) => `${name} ${Math.random().toString(36).slice(2)}`;

async function openSession(service: TestService, client: Commonplace = clientOf(service)): Promise<SessionHandle> {
  const { prompts, agents } = clientOf(service);
  const prompt = await prompts.create({ name: unique('Prompt'), type: 'text', content: 'You sell ovens.', production: true });
  const agent = await agents.create({ name: unique('Sales'), promptId: prompt.promptId });
  return client.agent(agent.id).sessions.open({ id: 'chat-17' });
}

/** What the session holds, in its order. */
async function saidIn(session: SessionHandle): Promise<string[]> {
  const said: string[] = [];
  for await (const { role, content } of session.messages.list()) said.push(`${role}: ${content}`);
  return said;
}

function textsOf(messages: readonly SentMessage[] | undefined): string[] {
  return (messages ?? []).map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`);
}

async function withMemory(options: RememberOptions) {
  const { model, ...server } = await startModelServer();
  return { ...server, model: wrapLanguageModel({ model, middleware: remember({ timeoutMs: PATIENT_MS, ...options }) }) };
}

const weather = tool({
  description: 'The weather',
  inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
  execute: async ({ city }) => `Rain in ${city}`,
});

describeOnEachEngine((service) => {
  test('the newest message alone: the session brings its prompt, memories and messages, and keeps what is said', async () => {
    const session = await openSession(service());
    await session.memories.create({ kind: 'preference', content: 'User prefers gas ovens' });
    const { model, requests, answer } = await withMemory({ session, tokenBudget: 3000 });
    answer({ text: ['The small one.'] }, { text: ['£900.'] });

    const first = await generateText({ model, instructions: 'Be brief.', prompt: 'Which oven should I buy?' });
    expect(first.text).toBe('The small one.');
    expect(textsOf(requests[0])).toEqual([
      'system: Be brief.\n\nYou sell ovens.\n\n<memories>\n- User prefers gas ovens\n</memories>',
      'user: Which oven should I buy?',
    ]);
    await generateText({ model, prompt: 'What does it cost?' });
    expect(textsOf(requests[1]).slice(1)).toEqual([
      'user: Which oven should I buy?',
      'assistant: The small one.',
      'user: What does it cost?',
    ]);
    expect(await saidIn(session)).toEqual([
      'user: Which oven should I buy?',
      'assistant: The small one.',
      'user: What does it cost?',
      'assistant: £900.',
    ]);
    const [, answered] = (await session.messages.list()).data;
    expect(answered?.meta).toEqual({ model: 'gpt-stand-in', finishReason: 'stop' });
  });

  test('the same words said again are a new message', async () => {
    const session = await openSession(service());
    const { model, requests, answer } = await withMemory({ session });
    answer({ text: ['Gas?'] }, { text: ['Small?'] });
    for (const _ of [1, 2]) await generateText({ model, prompt: 'Yes' });
    expect(textsOf(requests[1]).slice(1)).toEqual(['user: Yes', 'assistant: Gas?', 'user: Yes']);
    expect(await saidIn(session)).toEqual(['user: Yes', 'assistant: Gas?', 'user: Yes', 'assistant: Small?']);
  });

  test('a conversation that the caller passes comes once, with what the session has beyond it', async () => {
    const session = await openSession(service());
    const { model, requests, answer } = await withMemory({ session });
    answer({ text: ['One.'] }, { text: ['Two.'] }, { text: ['Three.'] });
    for (const prompt of ['First?', 'Second?']) await generateText({ model, prompt });
    const messages = [
      { role: 'user' as const, content: 'Second?' },
      { role: 'assistant' as const, content: 'Two.' },
      { role: 'user' as const, content: 'Third?' },
    ];
    await generateText({ model, messages });
    expect(textsOf(requests[2]).slice(1)).toEqual(['user: First?', 'assistant: One.', 'user: Second?', 'assistant: Two.', 'user: Third?']);
    expect((await saidIn(session)).slice(4)).toEqual(['user: Third?', 'assistant: Three.']);
  });

  test('with the history in the prompt no message is added, and one that is asked again is written once', async () => {
    const session = await openSession(service());
    await session.messages.create({ role: 'user', content: 'Of another window.' });
    await session.memories.create({ kind: 'fact', content: 'User lives in Leeds' });
    const { model, requests, answer } = await withMemory({ session, history: 'prompt' });
    answer({ text: ['One.'] }, { text: ['Another one.'] }, { text: ['Two.'] });
    for (const _ of ['asked', 'asked again']) await generateText({ model, prompt: 'Where do I live?' });
    const system = 'system: You sell ovens.\n\n<memories>\n- User lives in Leeds\n</memories>';
    for (const request of requests) expect(textsOf(request)).toEqual([system, 'user: Where do I live?']);
    const messages = [
      { role: 'user' as const, content: 'Where do I live?' },
      { role: 'assistant' as const, content: 'Another one.' },
      { role: 'user' as const, content: 'Where do I live?' },
    ];
    await generateText({ model, messages });
    expect(textsOf(requests[2])).toEqual([system, 'user: Where do I live?', 'assistant: Another one.', 'user: Where do I live?']);
    expect((await saidIn(session)).slice(1)).toEqual([
      'user: Where do I live?',
      'assistant: One.',
      'assistant: Another one.',
      'user: Where do I live?',
      'assistant: Two.',
    ]);
  });

  test('a message that the caller wrote before the call is neither added nor written again', async () => {
    const session = await openSession(service());
    await session.messages.create({ role: 'user', content: 'Hello' });
    const { model, requests, answer } = await withMemory({ session });
    answer({ text: ['Good day.'] });
    await generateText({ model, prompt: 'Hello' });
    expect(textsOf(requests[0]).slice(1)).toEqual(['user: Hello']);
    expect(await saidIn(session)).toEqual(['user: Hello', 'assistant: Good day.']);
  });

  test.each(['generate', 'stream'] as const)('a loop of tools writes the question once and what was said (%s)', async (way) => {
    const session = await openSession(service());
    const { model, requests, answer } = await withMemory({ session });
    answer({ toolCall: { name: 'weather', input: { city: 'Leeds' } } }, { text: ['It ', 'rains.'] });
    const contexts = vi.spyOn(session, 'context');
    const call = { model, prompt: 'How is the weather in Leeds?', tools: { weather }, stopWhen: isStepCount(5) };
    const text = way === 'generate' ? (await generateText(call)).text : await streamText(call).text;
    expect(text).toBe('It rains.');
    expect(requests.map((messages) => messages.map(({ role }) => role))).toEqual([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'tool'],
    ]);
    expect(requests[1]?.slice(0, 2)).toEqual(requests[0]);
    expect(contexts).toHaveBeenCalledOnce();
    expect(await saidIn(session)).toEqual(['user: How is the weather in Leeds?', 'assistant: It rains.']);
  });

  test('a result that comes to another process continues the conversation without saying the question twice', async () => {
    const session = await openSession(service());
    const first = await withMemory({ session });
    first.answer({ text: ['Let me look.'], toolCall: { name: 'weather', input: { city: 'Leeds' } } });
    const { execute: _, ...asked } = weather;
    const { response } = await generateText({ model: first.model, prompt: 'And in Leeds?', tools: { weather: asked } });
    expect(await saidIn(session)).toEqual(['user: And in Leeds?', 'assistant: Let me look.']);

    const second = await withMemory({ session });
    second.answer({ text: ['It rains.'] });
    const result = {
      type: 'tool-result' as const,
      toolCallId: 'call-weather',
      toolName: 'weather',
      output: { type: 'text' as const, value: 'Rain' },
    };
    const messages = [
      { role: 'user' as const, content: 'And in Leeds?' },
      ...response.messages,
      { role: 'tool' as const, content: [result] },
    ];
    await generateText({ model: second.model, messages, tools: { weather: asked } });
    expect(second.requests[0]?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(await saidIn(session)).toEqual(['user: And in Leeds?', 'assistant: Let me look.', 'assistant: It rains.']);
  });

  test('a stream is passed on as it comes, and written when it has ended', async () => {
    const session = await openSession(service());
    const { model, answer } = await withMemory({ session });
    answer({ text: ['The ', 'small ', 'one.'] });
    const pieces: string[] = [];
    for await (const piece of streamText({ model, prompt: 'Which oven?' }).textStream) pieces.push(piece);
    expect(pieces).toEqual(['The ', 'small ', 'one.']);
    expect(await saidIn(session)).toEqual(['user: Which oven?', 'assistant: The small one.']);
  });

  test('of a stream that is aborted, what was shown until then is written', async () => {
    const session = await openSession(service());
    const { model, answer } = await withMemory({ session });
    answer({ text: ['The small', ' one'], ending: 'silence' });
    const aborting = new AbortController();
    const { textStream } = streamText({ model, prompt: 'Which oven?', abortSignal: aborting.signal });
    let shown = '';
    for await (const piece of textStream) {
      shown += piece;
      if (shown === 'The small one') aborting.abort();
    }
    await expect.poll(() => saidIn(session)).toEqual(['user: Which oven?', 'assistant: The small one']);
    expect((await session.messages.list()).data[1]?.meta).toEqual({ model: 'gpt-stand-in', finishReason: 'aborted' });
  });

  test.each(['break', 'error'] as const)('a stream that fails writes nothing (%s)', async (ending) => {
    const session = await openSession(service());
    const { model, answer } = await withMemory({ session });
    answer({ text: ['The la'], ending });
    await streamText({ model, prompt: 'Which oven?', onError: () => {} }).consumeStream({ onError: () => {} });
    expect(await saidIn(session)).toEqual([]);
  });

  test('a stream that the SDK asks for again, after it failed, is written once', async () => {
    const session = await openSession(service());
    const { model, answer } = await withMemory({ session });
    answer({ text: ['The la'], ending: 'error' }, { text: ['The small one.'] });
    await streamText({ model, prompt: 'Which oven?', onError: () => {}, streamRetries: 1 }).consumeStream();
    expect(await saidIn(session)).toEqual(['user: Which oven?', 'assistant: The small one.']);
  });

  test('a call that the SDK makes again, after the model refused it, is written once', async () => {
    const session = await openSession(service());
    const { model, requests, answer } = await withMemory({ session });
    answer({ status: 503 }, { text: ['The small one.'] });
    await generateText({ model, prompt: 'Which oven?', maxRetries: 1 });
    expect(textsOf(requests[1])).toEqual(textsOf(requests[0]));
    expect(await saidIn(session)).toEqual(['user: Which oven?', 'assistant: The small one.']);
    answer({ status: 400 });
    await expect(generateText({ model, prompt: 'And now?' })).rejects.toThrow();
    expect(await saidIn(session)).toHaveLength(2);
  });

  test('a file goes to the model whole, and to the session by name', async () => {
    const session = await openSession(service());
    const { model, requests, answer } = await withMemory({ session });
    answer({ text: ['An oven.'] }, { text: ['The same.'] });
    const image = { type: 'file' as const, mediaType: 'image/png', data: new Uint8Array([137, 80, 78, 71]), filename: 'kitchen.png' };
    await generateText({ model, messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] }] });
    expect(JSON.stringify(requests[0])).toContain('data:image/png;base64,iVBORw==');
    await generateText({ model, messages: [{ role: 'user', content: [image] }] });
    expect(textsOf(requests[1]).slice(1, 3)).toEqual(['user: What is this?\n[image/png: kitchen.png]', 'assistant: An oven.']);
    expect(await saidIn(session)).toEqual([
      'user: What is this?\n[image/png: kitchen.png]',
      'assistant: An oven.',
      'user: [image/png: kitchen.png]',
      'assistant: The same.',
    ]);
    expect((await session.messages.list()).data[0]?.meta).toEqual({ files: [{ mediaType: 'image/png', filename: 'kitchen.png' }] });
  });

  test.each<Fault>(['reset after it was done', 'answer cut', 'dropped', '503'])(
    'each message is written exactly once (%s)',
    async (fault) => {
      const session = await openSession(service());
      let count = 0;
      const proxy = await startFaultProxy(service().url, () => (count++ % 2 === 0 ? fault : undefined));
      onTestFinished(() => proxy.close());
      const { accessKey, workspaceId } = service();
      const client = new Commonplace({ baseUrl: proxy.url, accessKey, workspaceId });
      const agentId = (await session.get()).agentId;
      const { model, requests, answer } = await withMemory({ session: client.agent(agentId).session(session.id), strict: true });
      answer({ text: ['The small one.'] }, { text: ['£900.'] });
      await generateText({ model, prompt: 'Which oven?' });
      await streamText({ model, prompt: 'And its price?' }).consumeStream();
      expect(textsOf(requests[1]).slice(1)).toEqual(['user: Which oven?', 'assistant: The small one.', 'user: And its price?']);
      expect(await saidIn(session)).toHaveLength(4);
      expect(proxy.counts[fault]).toBeGreaterThanOrEqual(4);
    },
  );

  test('a session that is gone is opened anew', async () => {
    const first = await openSession(service());
    const agent = clientOf(service()).agent((await first.get()).agentId);
    const onError = vi.fn();
    const { model, answer } = await withMemory({ session: () => agent.sessions.open({ id: 'chat-17' }), onError });
    answer({ text: ['One.'] }, { text: ['Two.'] });
    await generateText({ model, prompt: 'First?' });
    await first.delete();
    await generateText({ model, prompt: 'Second?' });
    expect(onError.mock.calls.map(([error, during]) => [error.status, during])).toEqual([[404, 'context']]);
    expect(await saidIn(await agent.sessions.open({ id: 'chat-17' }))).toEqual(['user: Second?', 'assistant: Two.']);
  });

  test('a service that is down is in nobody’s way, and says so', async () => {
    const proxy = await startFaultProxy(service().url, () => undefined);
    await proxy.close();
    const { accessKey, workspaceId } = service();
    const client = new Commonplace({ baseUrl: proxy.url, accessKey, workspaceId, maxRetries: 0 });
    const session = () => client.agent('sales').sessions.open({ id: 'chat-17' });
    const errors: string[] = [];
    const onError = (error: unknown, during: string) => errors.push(`${during}: ${(error as Error).message}`);
    const { model, requests, answer } = await withMemory({ session, onError });
    answer({ text: ['The small one.'] }, { text: ['The small one.'] });
    expect((await generateText({ model, prompt: 'Which oven?' })).text).toBe('The small one.');
    expect(await streamText({ model, prompt: 'Which oven?' }).text).toBe('The small one.');
    expect(textsOf(requests[0])).toEqual(['user: Which oven?']);
    const refused = `No answer from ${proxy.url}/api/v1: ECONNREFUSED`;
    expect(errors).toEqual([`context: ${refused}`, `writing: ${refused}`, `context: ${refused}`, `writing: ${refused}`]);

    const strict = await withMemory({ session, strict: true });
    await expect(generateText({ model: strict.model, prompt: 'Which oven?' })).rejects.toThrow(refused);
    expect(strict.requests).toEqual([]);
  });
});
