/** The processor, between a stand-in for the model and a real service. */
import { Commonplace, type SessionHandle } from '@commonplace/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type SentMessage, startModelServer } from '../../ai-sdk/test/model-server.ts';
import { type Fault, startFaultProxy } from '../../client/test/fault-proxy.ts';
import { clientOf, describeOnEachEngine, type TestService } from '../../client/test/service.ts';
import { type RememberOptions, remember } from '../src/remember.ts';
import { type Conversation, type Input, runners } from './runners.ts';

/** No test depends on how busy the machine is. */
const timeoutMs = 600_000;
const unique = (name: string) => `${name} ${Math.random().toString(36).slice(2)}`;
const conversation: Conversation = { memory: { thread: 'chat-17', resource: '42' } };
const asked = (content: string): Input => [{ role: 'user', content }];

async function makeAgent(service: TestService): Promise<string> {
  const { prompts, agents } = clientOf(service);
  const prompt = await prompts.create({ name: unique('Prompt'), type: 'text', content: 'You sell ovens.', production: true });
  return (await agents.create({ name: unique('Sales'), promptId: prompt.promptId })).id;
}

async function saidIn(session: SessionHandle): Promise<string[]> {
  const said: string[] = [];
  for await (const { role, content } of session.messages.list()) said.push(`${role}: ${content}`);
  return said;
}

const textsOf = (messages: readonly SentMessage[] | undefined) =>
  (messages ?? []).map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`);

describe.each(Object.entries(runners))('run by %s', (_, startRunner) => {
  async function withMemory(options: RememberOptions) {
    const server = await startModelServer();
    const processor = remember({ timeoutMs, ...options });
    return { ...server, ask: await startRunner({ url: server.url, processor, instructions: 'Be brief.' }) };
  }

  describeOnEachEngine((service) => {
    test('a thread is a session: it brings its prompt, memories and messages, and keeps what is said', async () => {
      const agent = clientOf(service()).agent(await makeAgent(service()));
      const session = await agent.sessions.open({ id: 'chat-17', labels: { user: '42' } });
      await session.memories.create({ kind: 'preference', content: 'User prefers gas ovens' });
      const { ask, requests, answer } = await withMemory({
        session: ({ threadId = '', resourceId = '' }) => agent.sessions.open({ id: threadId, labels: { user: resourceId } }),
        tokenBudget: 3000,
      });
      answer({ text: ['The small one.'] }, { text: ['£900.'] });
      expect(await ask(asked('Which oven should I buy?'), conversation)).toBe('The small one.');
      const known = ['system: Be brief.', 'system: You sell ovens.\n\n<memories>\n- User prefers gas ovens\n</memories>'];
      expect(textsOf(requests[0])).toEqual([...known, 'user: Which oven should I buy?']);
      await ask(asked('What does the oven cost?'), conversation);
      expect(textsOf(requests[1])).toEqual([
        ...known,
        'user: Which oven should I buy?',
        'assistant: The small one.',
        'user: What does the oven cost?',
      ]);
      expect(await saidIn(session)).toEqual([
        'user: Which oven should I buy?',
        'assistant: The small one.',
        'user: What does the oven cost?',
        'assistant: £900.',
      ]);
      expect((await session.messages.list()).data[1]?.meta).toEqual({ finishReason: 'stop' });
    });

    test('a conversation that the caller passes comes once', async () => {
      const session = await clientOf(service())
        .agent(await makeAgent(service()))
        .sessions.create();
      const { ask, requests, answer } = await withMemory({ session });
      answer({ text: ['One.'] }, { text: ['Two.'] }, { text: ['Three.'] });
      for (const question of ['First?', 'Second?']) await ask(asked(question), conversation);
      await ask([{ role: 'user', content: 'Second?' }, { role: 'assistant', content: 'Two.' }, ...asked('Third?')], conversation);
      expect(textsOf(requests[2]).slice(2)).toEqual([
        'user: First?',
        'assistant: One.',
        'user: Second?',
        'assistant: Two.',
        'user: Third?',
      ]);
      expect((await saidIn(session)).slice(4)).toEqual(['user: Third?', 'assistant: Three.']);
    });

    test('a run that fails writes nothing', async () => {
      const session = await clientOf(service())
        .agent(await makeAgent(service()))
        .sessions.create();
      const { ask, answer } = await withMemory({ session });
      answer({ status: 400 }, { text: ['Good day.'] });
      await expect(ask(asked('Hello'), conversation)).rejects.toThrow();
      expect(await saidIn(session)).toEqual([]);
      await ask(asked('Hello'), conversation);
      expect(await saidIn(session)).toEqual(['user: Hello', 'assistant: Good day.']);
    });

    test.each<Fault>(['reset after it was done', 'dropped'])('each message is written exactly once (%s)', async (fault) => {
      const agentId = await makeAgent(service());
      const session = await clientOf(service()).agent(agentId).sessions.create();
      let count = 0;
      const proxy = await startFaultProxy(service().url, () => (count++ % 2 === 0 ? fault : undefined));
      onTestFinished(() => proxy.close());
      const { accessKey, workspaceId } = service();
      const client = new Commonplace({ baseUrl: proxy.url, accessKey, workspaceId });
      const { ask, answer } = await withMemory({ session: client.agent(agentId).session(session.id), strict: true });
      answer({ text: ['The small one.'] });
      await ask(asked('Which oven?'), conversation);
      expect(await saidIn(session)).toEqual(['user: Which oven?', 'assistant: The small one.']);
      expect(proxy.counts[fault]).toBeGreaterThanOrEqual(2);
    });

    test('a service that is down is in nobody’s way, and says so', async () => {
      const proxy = await startFaultProxy(service().url, () => undefined);
      await proxy.close();
      const { accessKey, workspaceId } = service();
      const client = new Commonplace({ baseUrl: proxy.url, accessKey, workspaceId, maxRetries: 0 });
      const session = () => client.agent('sales').sessions.open({ id: 'chat-17' });
      const errors: string[] = [];
      const { ask, requests, answer } = await withMemory({ session, onError: (_error, during) => errors.push(during) });
      answer({ text: ['The small one.'] });
      expect(await ask(asked('Which oven?'), conversation)).toBe('The small one.');
      expect(textsOf(requests[0])).toEqual(['system: Be brief.', 'user: Which oven?']);
      expect(errors).toEqual(['context', 'writing']);

      const strict = await withMemory({ session, strict: true });
      await expect(strict.ask(asked('Which oven?'), conversation)).rejects.toThrow();
      expect(strict.requests).toEqual([]);
    });
  });
});
