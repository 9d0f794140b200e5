/** The session against a real service, and in real runs of the SDK. */
import { Agent, type AgentInputItem, OpenAIProvider, Runner, RunState, tool } from '@openai/agents';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { SessionHandle } from '../../client/src/index.ts';
import { clientOf, describeOnEachEngine } from '../../client/test/service.ts';
import { CommonplaceSession } from '../src/session.ts';
import { startModel, textOf } from './model-stand-in.ts';

/** One of each kind, with what is optional. */
const everyKind = [
  { role: 'user', content: 'Hello' },
  { type: 'message', role: 'user', id: 'u1', content: [{ type: 'input_text', text: 'What is this?' }], providerData: { a: 1 } },
  {
    role: 'user',
    content: [
      { type: 'input_text', text: 'Look at' },
      { type: 'input_image', image: `data:image/png;base64,${'A'.repeat(200_000)}`, detail: 'low' },
      { type: 'input_text', text: 'these two' },
      { type: 'input_file', file: { id: 'file_1' } },
    ],
  },
  { role: 'user', content: [{ type: 'input_image', image: 'https://example.com/a.png' }] },
  { role: 'user', content: [{ type: 'audio', audio: { id: 'a1' }, format: 'wav', transcript: 'Good day' }] },
  { role: 'system', content: 'Be brief.' },
  {
    type: 'message',
    role: 'assistant',
    id: 'msg_1',
    status: 'completed',
    phase: 'commentary',
    content: [
      { type: 'output_text', text: 'One moment.', providerData: { annotations: [{ type: 'url_citation', url: 'https://example.com' }] } },
    ],
  },
  { role: 'assistant', status: 'incomplete', content: [{ type: 'refusal', refusal: 'I would rather not.' }] },
  { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: '' }] },
  {
    type: 'reasoning',
    id: 'rs_1',
    content: [{ type: 'input_text', text: 'Hm' }],
    rawContent: [{ type: 'reasoning_text', text: 'Hmm' }],
    providerData: { encryptedContent: 'x' },
  },
  { type: 'function_call', id: 'fc_1', callId: 'c1', name: 'look', arguments: '{"a":"\\u0000"}', status: 'completed' },
  { type: 'function_call_result', callId: 'c1', name: 'look', status: 'completed', output: { type: 'text', text: 'a\0b' } },
  { type: 'function_call_result', callId: 'c1', name: 'look', status: 'completed', output: 'x'.repeat(300_000) },
  {
    type: 'function_call_result',
    callId: 'c1',
    name: 'look',
    status: 'incomplete',
    output: [
      { type: 'input_text', text: 'two' },
      { type: 'input_image', image: 'https://example.com/b.png' },
    ],
  },
  { type: 'hosted_tool_call', name: 'web_search_call', arguments: '{}', status: 'completed', output: 'found' },
  { type: 'computer_call', callId: 'c2', status: 'completed', action: { type: 'click', x: 1, y: 2, button: 'left' } },
  { type: 'computer_call_result', callId: 'c2', output: { type: 'computer_screenshot', data: 'B'.repeat(100_000) } },
  { type: 'shell_call', callId: 'c3', status: 'completed', action: { commands: ['ls'] } },
  { type: 'shell_call_output', callId: 'c3', output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exitCode: 0 } }] },
  { type: 'apply_patch_call', callId: 'c4', status: 'completed', operation: { type: 'delete_file', path: 'a.ts' } },
  { type: 'apply_patch_call_output', callId: 'c4', status: 'completed', output: 'done' },
  { type: 'tool_search_call', id: 'ts_1', status: 'completed', arguments: { paths: ['a'], query: 'b' } },
  { type: 'tool_search_output', status: 'completed', tools: [{ type: 'tool_reference', functionName: 'look' }] },
  { type: 'program', callId: 'c5', code: 'look()', fingerprint: 'f' },
  { type: 'program_output', callId: 'c5', output: '1', status: 'completed' },
  { type: 'compaction', encrypted_content: 'xyz' },
  { type: 'unknown', providerData: { type: 'something_new' } },
] satisfies AgentInputItem[];

describeOnEachEngine((service) => {
  const client = () => clientOf(service());
  const open = async (): Promise<SessionHandle> => {
    const agent = await client().agents.create({ name: 'Agents SDK', configs: { memoryPipeline: true } });
    return client().agent(agent.id).sessions.create();
  };
  const startRunner = async () => {
    const model = await startModel();
    onTestFinished(() => model.close());
    const modelProvider = new OpenAIProvider({ apiKey: 'none', baseURL: model.url, useResponses: true });
    return { model, runner: new Runner({ modelProvider, model: 'stand-in', tracingDisabled: true }) };
  };
  const getWeather = tool({
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => `18 degrees in ${city}`,
  });

  test('the second run sees the first, with its tool call, in another process’s session, too', async () => {
    const kept = await open();
    const { model, runner } = await startRunner();
    const agent = new Agent({ name: 'Guide', tools: [getWeather] });
    const first = await runner.run(agent, 'I live in Paris. How is the weather?', { session: new CommonplaceSession(kept) });
    expect(first.finalOutput).toBe('It is 18 degrees in Paris.');

    const again = new CommonplaceSession(
      client()
        .agent(kept.data?.agentId ?? '')
        .session(kept.id),
    );
    expect((await again.getItems()).map((item) => item.type)).toEqual([
      'message',
      'reasoning',
      'function_call',
      'function_call_result',
      'message',
    ]);
    const second = await runner.run(agent, 'Where do I live?', { session: again });
    expect(second.finalOutput).toBe('You said: I live in Paris. How is the weather? | Where do I live?');
    expect(model.inputs.at(-1)?.map(({ type, role }) => type ?? role)).toEqual([
      'user',
      'reasoning',
      'function_call',
      'function_call_output',
      'message',
      'user',
    ]);
    expect(model.inputs.at(-1)?.map(textOf).filter(Boolean).at(-2)).toBe('It is 18 degrees in Paris.');
  });

  test('what was said is in the session: read, searched and remembered', async () => {
    const kept = await open();
    const { runner } = await startRunner();
    const agent = new Agent({ name: 'Guide', tools: [getWeather] });
    await runner.run(agent, 'I prefer aisle seats. How is the weather?', { session: new CommonplaceSession(kept) });
    const { data } = await kept.messages.list();
    expect(data.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'I prefer aisle seats. How is the weather?'],
      ['assistant', '(reasoning)'],
      ['assistant', 'get_weather({"city":"Paris"})'],
      ['assistant', '18 degrees in Paris'],
      ['assistant', 'It is 18 degrees in Paris.'],
    ]);
    expect((await kept.messages.search('which seat', { limit: 1 }))[0]?.text).toContain('aisle');
    await kept.memories.waitUntilExtracted();
    const memories = await kept.memories.list({ kind: 'preference' });
    expect(memories.data.map(({ content }) => content)).toEqual(['User prefers aisle seats']);
  });

  test('a run that waits for approval goes on in the same session, and nothing is written twice', async () => {
    const kept = await open();
    const { runner } = await startRunner();
    const agent = new Agent({ name: 'Guide', tools: [{ ...getWeather, needsApproval: async () => true }] });
    const waiting = await runner.run(agent, 'How is the weather?', { session: new CommonplaceSession(kept) });
    expect(waiting.interruptions).toHaveLength(1);
    for (const interruption of waiting.interruptions) waiting.state.approve(interruption);
    const state = await RunState.fromString(agent, waiting.state.toString());
    const done = await runner.run(agent, state, { session: new CommonplaceSession(kept) });
    expect(done.finalOutput).toBe('It is 18 degrees in Paris.');
    expect((await new CommonplaceSession(kept).getItems()).map((item) => item.type)).toEqual([
      'message',
      'reasoning',
      'function_call',
      'function_call_result',
      'message',
    ]);
  });

  test('items of every kind come back as they were', async () => {
    const session = new CommonplaceSession(await open());
    await session.addItems(everyKind);
    expect(await session.getItems()).toEqual(everyKind);
    expect(await session.getItems(5)).toEqual(everyKind.slice(-5));
    for (const item of everyKind.toReversed()) expect(await session.popItem()).toEqual(item);
    expect(await session.popItem()).toBeUndefined();
    expect(await session.getItems()).toEqual([]);
  });

  test('a session is named by its id, and stays when it is cleared', async () => {
    const kept = await open();
    const session = new CommonplaceSession(kept);
    expect(await session.getSessionId()).toBe(kept.id);
    await session.addItems([]);
    await session.addItems(Array.from({ length: 230 }, (_, index) => ({ role: 'user' as const, content: `${index}` })));
    expect((await session.getItems(3)).map((item) => ('content' in item ? item.content : ''))).toEqual(['227', '228', '229']);
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    expect((await kept.get()).id).toBe(kept.id);
    await session.addItems([{ role: 'user', content: 'Here again' }]);
    expect(await session.getItems()).toHaveLength(1);
  });

  test('what others wrote to the session is part of it', async () => {
    const kept = await open();
    for (const role of ['system', 'user', 'assistant'] as const) {
      await kept.messages.create({ role, content: `I am ${role}`, meta: { openaiAgents: '{"value":7,"texts":[]}' } });
    }
    const session = new CommonplaceSession(kept);
    expect(await session.getItems()).toEqual([
      { type: 'message', role: 'system', content: 'I am system' },
      { type: 'message', role: 'user', content: 'I am user' },
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'I am assistant' }] },
    ]);
    const { runner } = await startRunner();
    expect((await runner.run(new Agent({ name: 'Guide' }), 'And I?', { session })).finalOutput).toBe('You said: I am user | And I?');
  });

  test('runs at the same time keep all of theirs, each in its order', async () => {
    const kept = await open();
    const { runner } = await startRunner();
    const agent = new Agent({ name: 'Guide', tools: [getWeather] });
    const asked = Array.from({ length: 5 }, (_, index) => `${index}: how is the weather?`);
    await Promise.all(asked.map((question) => runner.run(agent, question, { session: new CommonplaceSession(kept) })));
    const items = await new CommonplaceSession(kept).getItems();
    expect(items).toHaveLength(25);
    const callIds = items.flatMap((item) => (item.type === 'function_call' ? [item.callId] : []));
    const resultIds = items.flatMap((item) => (item.type === 'function_call_result' ? [item.callId] : []));
    expect(new Set(callIds).size).toBe(5);
    expect([...resultIds].sort()).toEqual([...callIds].sort());
    for (const id of callIds) {
      const places = items.flatMap((item, index) => ('callId' in item && item.callId === id ? [index] : []));
      expect(places.map((place) => items[place]?.type)).toEqual(['function_call', 'function_call_result']);
    }
  });
});
