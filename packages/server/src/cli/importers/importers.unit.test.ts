import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { lineSchemas } from '@commonplace/contract/transfer';
import { expect, onTestFinished, test } from 'vitest';
import { chatgpt } from './chatgpt.ts';
import { type ImportedItem, type Importer, idAt, isLine, timelessId } from './items.ts';
import { langchain } from './langchain.ts';
import { markdown } from './markdown.ts';
import { mem0 } from './mem0.ts';

const options = {
  workspaceId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
  agentId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c12',
  nowMs: Date.parse('2026-06-01T00:00:00Z'),
};

function folderOf(files: Record<string, string | Buffer | object>): string {
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-importers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    const isText = typeof content === 'string' || Buffer.isBuffer(content);
    writeFileSync(join(folder, name), isText ? content : JSON.stringify(content));
    utimesSync(join(folder, name), new Date('2026-02-03T04:05:06Z'), new Date('2026-02-03T04:05:06Z'));
  }
  return folder;
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a line, field by field.
type Data = any;

/** All that comes of it, twice the same, and every line as the service takes it. */
async function read(importer: Importer, path: string) {
  const items = await itemsOf(importer, path);
  expect(await itemsOf(importer, path)).toEqual(items);
  const lines = items.filter(isLine);
  for (const { type, data } of lines) lineSchemas[type].parse(data);
  expectWhole(lines);
  return {
    problems: items.flatMap((item) => (isLine(item) ? [] : [`${item.place}: ${item.problem}`])),
    sessions: lines.filter(({ type }) => type === 'session').map(({ data }): Data => data),
    messages: lines.filter(({ type }) => type === 'message').map(({ data }): Data => data),
    memories: lines.filter(({ type }) => type === 'memory').map(({ data }): Data => data),
    documents: lines.filter(({ type }) => type === 'document').map(({ data }): Data => data),
    said: lines.filter(({ type }) => type === 'message').map(({ data }) => `${(data as Data).role}: ${(data as Data).content}`),
  };
}

async function itemsOf(importer: Importer, path: string): Promise<ImportedItem[]> {
  const items: ImportedItem[] = [];
  for await (const item of importer.read(path, options)) items.push(item);
  return items;
}

/** What belongs to a session stands behind it, in rising order of ids, and is counted at its end. */
function expectWhole(lines: readonly { type: string; data: object }[]): void {
  let open: { id: string; lines: number; last: string } | undefined;
  for (const { type, data } of lines as { type: string; data: Data }[]) {
    if (type === 'session') {
      expect(open).toBeUndefined();
      open = { id: data.id, lines: 0, last: '' };
    } else if (type === 'end') {
      expect(data).toEqual({ of: 'session', id: open?.id, lines: open?.lines });
      open = undefined;
    } else if (type === 'message' || type === 'memory') {
      expect(data.sessionId).toBe(open?.id);
      if (type === 'message') expect(data.id > (open?.last ?? '')).toBe(true);
      if (open) open = { id: open.id, lines: open.lines + 1, last: data.id };
    }
  }
  expect(open).toBeUndefined();
}

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

const memory = (id: string, more: object = {}) => ({
  id,
  memory: `Memory ${id}`,
  user_id: 'ada',
  created_at: '2025-05-06T07:08:09.123456-07:00',
  ...more,
});

test.each([
  ['a list', (all: object[]) => JSON.stringify(all)],
  ['a page', (all: object[]) => JSON.stringify({ count: 4, next: null, results: all }, null, 2)],
  ['lines', (all: object[]) => `\uFEFF${all.map((each) => JSON.stringify(each)).join('\r\n')}\r\n`],
])('memories of Mem0, as %s', async (_, write) => {
  const all = [
    memory('m1', { categories: ['food', 'user_preferences'], metadata: { from: 'chat' } }),
    memory('m2', { user_id: 'bob', updated_at: '2025-05-07T00:00:00Z' }),
    memory('m3', { expiration_date: '2027-01-31', run_id: 'r1' }),
    memory('m4', { user_id: null, agent_id: 'helper', created_at: null }),
    memory('m5', { user_id: undefined, created_at: 'yesterday' }),
  ];
  const { sessions, memories, problems } = await read(mem0, join(folderOf({ 'memories.json': write(all) }), 'memories.json'));
  expect(problems).toEqual([]);
  expect(sessions.map(({ labels, externalId }) => [labels, externalId])).toEqual([
    [{ user: 'ada' }, 'mem0:user:ada'],
    [{ user: 'bob' }, 'mem0:user:bob'],
    [{ agent: 'helper' }, 'mem0:agent:helper'],
    [{}, 'mem0::'],
  ]);
  expect(memories).toMatchObject([
    {
      content: 'Memory m1',
      kind: 'preference',
      createdAt: '2025-05-06T14:08:09.123Z',
      source: 'written',
      expiresAt: null,
      meta: { metadata: { from: 'chat' } },
    },
    { content: 'Memory m3', kind: 'fact', expiresAt: '2027-01-31T00:00:00.000Z', meta: { run_id: 'r1' } },
    { content: 'Memory m2', updatedAt: '2025-05-07T00:00:00.000Z' },
    { content: 'Memory m4', createdAt: '2026-02-03T04:05:06.000Z' },
    { content: 'Memory m5', createdAt: '2026-02-03T04:05:06.000Z' },
  ]);
});

test('memories that can not be taken are named, and the others come in', async () => {
  const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);
  const all = [
    7,
    { id: 'x' },
    memory('m1', { memory: '' }),
    memory('m2', { memory: 'y'.repeat(1_000_001) }),
    memory('m3', { metadata: deep }),
    memory('m4', { user_id: 'u'.repeat(300) }),
    memory('m5', { user_id: { a: 1 } }),
  ];
  const { problems, memories, sessions } = await read(mem0, join(folderOf({ 'all.json': all }), 'all.json'));
  expect(problems).toEqual([
    'all.json, memory 1: it has no text under “memory”',
    'all.json, memory 2: it has no text under “memory”',
    'all.json, memory 3: it has no text under “memory”',
    'all.json, memory 4: content must not exceed 1 MB',
    expect.stringMatching(/^all\.json, memory 5: meta /),
  ]);
  expect(memories.map(({ content }) => content)).toEqual(['Memory m4', 'Memory m5']);
  expect(sessions.map(({ labels }) => labels.user?.length)).toEqual([3, 64, undefined]);
  for (const content of ['', '{}', '"text"', '[1'])
    expect((await read(mem0, join(folderOf({ 'bad.json': content }), 'bad.json'))).problems.join()).toMatch(/^bad\.json/);
});

test('messages of LangChain and plain ones, line by line, each in its session', async () => {
  const lines = [
    { type: 'human', data: { content: 'Hello', id: 'h1' } },
    {
      type: 'ai',
      data: {
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'tool_use', name: 'x' },
          { type: 'image_url', image_url: {} },
        ],
      },
    },
    { type: 'ai', data: { content: '', tool_calls: [{}] } },
    { type: 'tool', data: { content: '42' } },
    { role: 'user', content: 'One', session_id: 's1', created_at: '2025-01-01T00:00:00Z' },
    { role: 'assistant', content: 'Zwei', thread_id: 's2', timestamp: 1_735_689_600 },
    { role: 'assistant', content: 'Two', conversation_id: 's1', created_at: '2025-01-01 00:00:01' },
    { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'SystemMessage'], kwargs: { content: 'Be kind.' } },
    { session_id: 7, message: { type: 'AIMessageChunk', data: { content: 'Wrapped' } } },
    { type: 'chat', data: { role: 'developer', content: 'Rules' } },
  ];
  const path = join(folderOf({ 'history.jsonl': `\uFEFF${lines.map((line) => JSON.stringify(line)).join('\r\n\r\n')}` }), 'history.jsonl');
  const { sessions, said, messages, problems } = await read(langchain, path);
  expect(problems).toEqual([]);
  expect(sessions.map(({ externalId, title }) => [externalId, title])).toEqual([
    ['langchain:history', 'history'],
    ['langchain:s1', 's1'],
    ['langchain:s2', 's2'],
    ['langchain:7', '7'],
  ]);
  expect(said).toEqual([
    ...['user: Hello', 'assistant: Hi\n[image]', 'system: Be kind.', 'system: Rules'],
    ...['user: One', 'assistant: Two', 'assistant: Zwei', 'assistant: Wrapped'],
  ]);
  expect(messages.map(({ createdAt }) => createdAt)).toEqual([
    ...Array(4).fill('2026-02-03T04:05:06.000Z'),
    ...['2025-01-01T00:00:00.000Z', '2025-01-01T00:00:01.000Z', '2025-01-01T00:00:00.000Z', '2026-02-03T04:05:06.000Z'],
  ]);
  const asList = join(folderOf({ 'history.json': lines }), 'history.json');
  expect((await read(langchain, asList)).said).toEqual(said);
});

test('lines that are no messages are named, and the others come in', async () => {
  const lines = [
    '{',
    '5',
    '[]',
    '{}',
    '{"role":"wizard","content":"x"}',
    '{"role":"__proto__","content":"x"}',
    '{"role":"user"}',
    `{"role":"user","content":"${'z'.repeat(1_000_001)}"}`,
    '{"role":"user","content":{"a":1}}',
    '{"role":"user","content":"good"}',
  ];
  const folder = folderOf({
    'bad.jsonl': Buffer.concat([Buffer.from(`${lines.join('\n')}\n`), Buffer.from([0x22, 0xff, 0x22])]),
    'empty.jsonl': '',
  });
  const { problems, said } = await read(langchain, join(folder, 'bad.jsonl'));
  expect(said).toEqual(['user: good']);
  expect(problems.map((problem) => problem.replace('bad.jsonl, line ', ''))).toEqual([
    '1: it is not valid JSON',
    '2: it is no message: it has neither a role nor a type',
    '3: it is no message: it has neither a role nor a type',
    '4: it is no message: it has neither a role nor a type',
    '5: the role “wizard” is not known',
    '6: the role “__proto__” is not known',
    '7: it has no content',
    '9: it has no content',
    '11: it is not valid UTF-8',
    '8: content must not exceed 1 MB',
  ]);
  expect((await read(langchain, join(folder, 'empty.jsonl'))).problems).toEqual(['empty.jsonl: it is empty']);
});

test('a folder of texts, by their paths', async () => {
  const folder = folderOf({
    'a.md': '# Refunds\n\nFive days.',
    'deep/b.txt': '\uFEFFNote\r\n',
    'c.png': 'x',
    'empty.md': ' \n',
    'bad.txt': Buffer.from([0xff]),
    '.hidden.md': 'x',
  });
  symlinkSync('/etc/hostname', join(folder, 'out.txt'));
  const { documents, problems } = await read(markdown, folder);
  expect(documents).toMatchObject([
    { externalId: 'a.md', title: 'Refunds', filename: 'a.md', labels: [], createdAt: '2026-02-03T04:05:06.000Z' },
    { externalId: 'deep/b.txt', title: 'b', filename: 'b.txt' },
  ]);
  expect(Buffer.from(documents[0].content, 'base64').toString()).toBe('# Refunds\n\nFive days.');
  expect(problems.map((problem) => problem.split(':')[0])).toEqual(['.hidden.md', 'bad.txt', 'empty.md', 'out.txt']);
  await expect(itemsOf(markdown, join(folder, 'a.md'))).rejects.toThrow('is no folder');
});

test('ids sort by time, then by index, and are of version 7', () => {
  const digest = Buffer.alloc(32, 0xff);
  const other = Buffer.alloc(32);
  const ids = [
    idAt(0, other),
    idAt(5, digest),
    idAt(5, other, 1),
    idAt(5, digest, 2 ** 20),
    idAt(5, other, 2 ** 31),
    idAt(6, other),
    idAt(2 ** 47, other),
  ];
  expect(ids.toSorted()).toEqual(ids);
  expect(timelessId(digest) < idAt(1, other)).toBe(true);
  for (const id of [...ids, timelessId(digest), timelessId(other)])
    expect(lineSchemas.end.safeParse({ of: 'session', id, lines: 0 }).success).toBe(true);
});
