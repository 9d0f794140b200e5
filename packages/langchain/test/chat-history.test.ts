/** The chat history against a real service, and in real chains. */
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { ChatPromptTemplate, MessagesPlaceholder } from '@langchain/core/prompts';
import { RunnableWithMessageHistory } from '@langchain/core/runnables';
import { ChatOpenAI } from '@langchain/openai';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionHandle } from '../../client/src/index.ts';
import { clientOf, describeOnEachEngine } from '../../client/test/service.ts';
import { CommonplaceChatMessageHistory } from '../src/chat-history.ts';
import { startModel } from './model-stand-in.ts';

/** Its type is inferred to be none. */
const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 } as never;
const everyKind: BaseMessage[] = [
  new SystemMessage({ content: 'Be brief.', id: 's1' }),
  new HumanMessage('Hello'),
  new HumanMessage({ content: 'Hello again', id: 'h1', name: 'Ada', additional_kwargs: { a: 1 } }),
  new HumanMessage({
    content: [
      { type: 'text', text: 'Look at' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(200_000)}` } },
      { type: 'text', text: 'this', cache_control: { type: 'ephemeral' } },
    ],
  }),
  new HumanMessage({ content: [{ type: 'image', source_type: 'url', url: 'https://example.com/a.png' }] }),
  new HumanMessage({
    contentBlocks: [
      { type: 'text', text: 'A block' },
      { type: 'file', fileId: 'f1' },
    ],
  }),
  new AIMessage({
    content: '',
    id: 'a1',
    tool_calls: [{ id: 'c1', name: 'look', args: { deep: { er: ['x', 1, null] } }, type: 'tool_call' }],
    invalid_tool_calls: [{ id: 'c2', name: 'look', args: '{', error: 'no JSON', type: 'invalid_tool_call' }],
    usage_metadata: usage,
    response_metadata: { model_name: 'stand-in', finish_reason: 'tool_calls' },
  }),
  new AIMessage({
    content: [
      { type: 'reasoning', reasoning: 'Hm' },
      { type: 'text', text: 'An answer', annotations: [] },
    ],
  }),
  new ToolMessage({ content: 'found\0it', tool_call_id: 'c1', name: 'look', status: 'success', artifact: { rows: [1, 2] } }),
  new ToolMessage({ content: [{ type: 'text', text: 'a table' }], tool_call_id: 'c2', status: 'error' }),
  new FunctionMessage({ content: 'old', name: 'look' }),
  new ChatMessage({ content: 'I am the moderator', role: 'moderator' }),
  new AIMessage('Goodbye'),
];
const classOf = (message: BaseMessage) => message.constructor.name;
/** What a message is, without which way it was made. */
const plain = (messages: readonly BaseMessage[]) =>
  messages.map((message) => {
    const { type, data } = message.toDict();
    return JSON.parse(JSON.stringify({ type, data: { ...data, content: message.content, content_blocks: undefined } }));
  });

describeOnEachEngine((service) => {
  const open = async (): Promise<SessionHandle> => {
    const client = clientOf(service());
    const agent = await client.agents.create({ name: 'LangChain', configs: { memoryPipeline: true } });
    return client.agent(agent.id).sessions.create();
  };

  test('messages of every kind come back as they were', async () => {
    const session = await open();
    const history = new CommonplaceChatMessageHistory(session);
    await history.addMessages(everyKind);
    const found = await history.getMessages();
    expect(plain(found)).toEqual(plain(everyKind));
    expect(found.map(classOf)).toEqual(everyKind.map(classOf));
    expect(found.map(({ id }) => id)).toEqual(everyKind.map(({ id }) => id));
    expect(found.map((message) => message.contentBlocks)).toEqual(everyKind.map((message) => message.contentBlocks));
    expect((found[6] as AIMessage).tool_calls).toEqual((everyKind[6] as AIMessage).tool_calls);
    expect(plain(await new CommonplaceChatMessageHistory(session, { limit: 3 }).getMessages())).toEqual(plain(everyKind.slice(-3)));
    const roles = [];
    for await (const { role, content } of session.messages.list()) if (content !== '…') roles.push(role);
    expect(roles.join(' ')).toBe(`system ${'user '.repeat(5)}${'assistant '.repeat(7)}`.trim());
  });

  test('messages one by one, chunks, and what is no message', async () => {
    const history = new CommonplaceChatMessageHistory(await open());
    await history.addUserMessage('Hello');
    await history.addAIMessage('Good day');
    await history.addMessage(new AIMessageChunk({ content: 'In pieces', id: 'p1', usage_metadata: usage }));
    const found = await history.getMessages();
    expect(found.map(({ type, text }) => [type, text])).toEqual([
      ['human', 'Hello'],
      ['ai', 'Good day'],
      ['ai', 'In pieces'],
    ]);
    expect(found[2]).toMatchObject({ id: 'p1', usage_metadata: usage });
    await expect(history.addMessages([new HumanMessage('never'), new RemoveMessage({ id: 'x' })])).rejects.toThrow('RemoveMessage');
    expect(await history.getMessages()).toHaveLength(3);
    await history.clear();
    expect(await history.getMessages()).toEqual([]);
  });

  test('what others wrote to the session is part of it', async () => {
    const session = await open();
    const ids = [];
    for (const role of ['system', 'user', 'assistant'] as const) ids.push((await session.messages.create({ role, content: role })).id);
    const found = await new CommonplaceChatMessageHistory(session).getMessages();
    expect(found.map(({ type, text }) => [type, text])).toEqual([
      ['system', 'system'],
      ['human', 'user'],
      ['ai', 'assistant'],
    ]);
    expect(found.map(({ id }) => id)).toEqual(ids);
  });

  test('what looks like a message of LangChain and is none does no harm', async () => {
    const session = await open();
    for (const value of [null, 7, {}, { type: 'tool', data: { content: 'x' } }, { type: 'remove', data: { id: 'x' } }]) {
      await session.messages.create({ role: 'user', content: 'Hello', meta: { langchain: JSON.stringify({ value, texts: [] }) } });
    }
    const found = await new CommonplaceChatMessageHistory(session).getMessages();
    expect(found.map(({ type, text }) => `${type}: ${text}`)).toEqual(Array.from({ length: 5 }, () => 'human: Hello'));
  });

  test('RunnableWithMessageHistory goes on where it was, and what was said is remembered', async () => {
    const session = await open();
    const model = await startModel();
    onTestFinished(() => model.close());
    const prompt = ChatPromptTemplate.fromMessages([['system', 'Be brief.'], new MessagesPlaceholder('history'), ['human', '{question}']]);
    const chat = new ChatOpenAI({ model: 'stand-in', apiKey: 'none', configuration: { baseURL: model.url }, maxRetries: 0 });
    const chain = new RunnableWithMessageHistory({
      runnable: prompt.pipe(chat),
      getMessageHistory: async () => new CommonplaceChatMessageHistory(session),
      inputMessagesKey: 'question',
      historyMessagesKey: 'history',
    });
    const config = { configurable: { sessionId: 'chat-17' } };
    await chain.invoke({ question: 'I prefer aisle seats.' }, config);
    const answer = await chain.invoke({ question: 'Which do I prefer?' }, config);
    expect(answer.content).toBe('You said: I prefer aisle seats. | Which do I prefer?');
    expect(model.requests.at(-1)?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect((await session.messages.list()).data.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'I prefer aisle seats.'],
      ['assistant', 'You said: I prefer aisle seats.'],
      ['user', 'Which do I prefer?'],
      ['assistant', 'You said: I prefer aisle seats. | Which do I prefer?'],
    ]);
    await session.memories.waitUntilExtracted();
    expect((await session.memories.list({ kind: 'preference' })).data.map(({ content }) => content)).toEqual(['User prefers aisle seats']);
  });
});
