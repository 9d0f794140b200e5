import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chatgpt } from './chatgpt.ts';
import { type Data, folderOf, itemsOf, options, read } from './read-for-test.ts';

const text = (role: string, said: string, more: object = {}) => ({
  author: { role },
  content: { content_type: 'text', parts: [said] },
  ...more,
});
const node = (parent: string | null, message: unknown = null) => ({ parent, children: [], message });

test('a conversation of ChatGPT: the branch that is shown, in its order, with its times', async () => {
  const folder = folderOf({
    'conversations.json': [
      {
        title: 'A trip to\nLisbon',
        conversation_id: 'c-1',
        create_time: 1_760_000_000.5,
        current_node: 'e',
        mapping: {
          root: node(null),
          hidden: node('root', text('system', 'Be brief.', { metadata: { is_visually_hidden_from_conversation: true } })),
          a: node('hidden', text('user', 'Where to?', { create_time: 1_760_000_001 })),
          'a-before': node('hidden', text('user', 'Were to?', { create_time: 1_760_000_000 })),
          'not-shown': node('a', text('assistant', 'To Porto.', { create_time: 1_760_000_009 })),
          b: node('a', text('assistant', 'search("Lisbon")', { recipient: 'browser' })),
          c: node('b', text('tool', 'Results')),
          thoughts: node('c', { author: { role: 'assistant' }, content: { content_type: 'thoughts', thoughts: [{ content: 'Hm' }] } }),
          // Earlier than the question: the order counts.
          d: node('thoughts', text('assistant', 'To Lisbon.', { create_time: 1_759_999_000, metadata: { model_slug: 'a-model' } })),
          e: node('d', {
            author: { role: 'user' },
            create_time: 1_760_000_003.25,
            content: {
              content_type: 'multimodal_text',
              parts: [
                { content_type: 'image_asset_pointer', asset_pointer: 'file-service://x' },
                'Is this it?',
                { content_type: 'audio_transcription', text: 'spoken' },
                5,
              ],
            },
          }),
        },
      },
    ],
  });
  const { sessions, messages, said, problems } = await read(chatgpt, folder);
  expect(problems).toEqual([]);
  expect(said).toEqual(['user: Where to?', 'assistant: To Lisbon.', 'user: [image]\nIs this it?\nspoken']);
  expect(messages.map(({ createdAt }) => createdAt)).toEqual([
    '2025-10-09T08:53:21.000Z',
    '2025-10-09T08:53:21.000Z',
    '2025-10-09T08:53:23.250Z',
  ]);
  expect(messages[1].meta).toEqual({ model: 'a-model' });
  expect(sessions).toMatchObject([
    {
      title: 'A trip to Lisbon',
      externalId: 'chatgpt:c-1',
      agentId: options.agentId,
      createdAt: '2025-10-09T08:53:20.500Z',
      lastActivityAt: '2025-10-09T08:53:23.250Z',
    },
  ]);
  // From the file by itself, and with other ids in another workspace.
  expect((await read(chatgpt, join(folder, 'conversations.json'))).messages).toEqual(messages);
  const elsewhere = chatgpt.read(folder, { ...options, workspaceId: options.agentId });
  expect(((await elsewhere.next()).value as Data).data.id).not.toBe(sessions[0].id);
});

test('a folder with several files, and what is no export', async () => {
  const conversation = (id: string) => ({ id, mapping: { a: node(null, text('user', id)) }, current_node: 'a' });
  const folder = folderOf({
    'conversations-001.json': [conversation('two')],
    'conversations-000.json': [conversation('one')],
    'user.json': {},
  });
  expect((await read(chatgpt, folder)).said).toEqual(['user: one', 'user: two']);
  await expect(itemsOf(chatgpt, folderOf({ 'user.json': {} }))).rejects.toThrow('has no conversations.json');
  await expect(itemsOf(chatgpt, join(folderOf({ 'export.zip': 'PK' }), 'export.zip'))).rejects.toThrow('unpack it');
});

test('conversations that are damaged are named, and the others come in', async () => {
  const whole = { id: 'whole', title: 'Whole', mapping: { a: node(null, text('user', 'Hello')) }, current_node: 'a' };
  const folder = folderOf({
    'conversations.json': [
      null,
      'text',
      [],
      { title: 'No mapping' },
      { title: 'A list', mapping: [] },
      { title: 'Empty', mapping: {} },
      {
        title: 'Circle',
        id: 'circle',
        current_node: 'b',
        mapping: { a: node('b', text('user', 'one')), b: node('a', text('assistant', 'two')) },
      },
      { title: 'Itself', id: 'itself', current_node: 'a', mapping: { a: node('a', text('user', 'alone')) } },
      { title: 'Gap', id: 'gap', current_node: 'b', mapping: { b: node('gone', text('user', 'behind the gap')) } },
      // No current node: the newest of those that nothing follows.
      {
        id: 'none',
        mapping: {
          a: node(null, text('user', 'x', { create_time: 1 })),
          b: node('a', text('user', 'old', { create_time: 2 })),
          c: node('a', text('user', 'new', { create_time: 3 })),
        },
      },
      { id: 'wrong', current_node: 'nowhere', mapping: { a: node(null, text('user', 'found')) } },
      { id: 'proto', current_node: '__proto__', mapping: JSON.parse('{"__proto__": {"parent": "constructor", "message": null}}') },
      {
        id: 'types',
        current_node: 'c',
        mapping: {
          a: node(null, 7),
          b: node('a', { author: 'user', content: 5 }),
          c: { parent: 'b', message: text('user', 'typed', { create_time: 'soon' }) },
          d: 3,
        },
      },
      {
        id: 'later',
        current_node: 'a',
        create_time: 9e9,
        mapping: { a: node(null, text('user', 'from the future', { create_time: 9e9 })) },
      },
      {
        id: 'huge',
        title: 'Huge',
        current_node: 'b',
        mapping: { a: node(null, text('user', 'x'.repeat(1_000_001))), b: node('a', text('user', 'small')) },
      },
      { id: 'nul', title: 'a\0b\ud800', current_node: 'a', mapping: { a: node(null, text('user', 'a\0b \ud83d')) } },
      whole,
    ],
  });
  const { problems, said, sessions } = await read(chatgpt, folder);
  expect(problems).toEqual([
    'conversations.json, conversation 1: it has no mapping of messages',
    'conversations.json, conversation 2: it has no mapping of messages',
    'conversations.json, conversation 3: it has no mapping of messages',
    'conversations.json, conversation 4 (“No mapping”): it has no mapping of messages',
    'conversations.json, conversation 5 (“A list”): it has no mapping of messages',
    'conversations.json, conversation 6 (“Empty”): there is nothing in it to bring in',
    'conversations.json, conversation 7 (“Circle”): its messages go round in a circle; each is taken once',
    'conversations.json, conversation 8 (“Itself”): its messages go round in a circle; each is taken once',
    'conversations.json, conversation 9 (“Gap”): the node gone is missing; what stands before it is left out',
    expect.stringMatching(/^conversations\.json, conversation 12: the node constructor is missing/),
    'conversations.json, conversation 12: there is nothing in it to bring in',
    'conversations.json, conversation 15 (“Huge”), message 1: content must not exceed 1 MB',
  ]);
  expect(said).toEqual([
    ...['user: one', 'assistant: two', 'user: alone', 'user: behind the gap', 'user: x', 'user: new', 'user: found', 'user: typed'],
    ...['user: from the future', 'user: small', 'user: a\uFFFDb \uFFFD', 'user: Hello'],
  ]);
  expect(sessions.at(-2).title).toBe('a b\uFFFD'.replace(' ', '\uFFFD'));
});

test('deep nesting and files that break off end nothing but themselves', async () => {
  const deep = `{"mapping": ${'{"a": '.repeat(50_000)}1${'}'.repeat(50_000)}}`;
  const folder = folderOf({
    'conversations-000.json': `[${deep}, {"mapping": {"a": {"message": ${JSON.stringify(text('user', 'deep'))}}}}, {"a": `,
    'conversations-001.json': '',
    'conversations-002.json': `\uFEFF[\r\n{"mapping": {"a": {"message": ${JSON.stringify(text('user', 'last'))}}}}\r\n]\r\n`,
  });
  const { problems, said } = await read(chatgpt, folder);
  expect(said).toEqual(['user: deep', 'user: last']);
  expect(problems).toEqual([
    'conversations-000.json, conversation 1: there is nothing in it to bring in',
    'conversations-000.json: it ends in the middle, behind element 2',
    'conversations-001.json: it is empty',
  ]);
});
