import { join } from 'node:path';
import { expect, test } from 'vitest';
import { langchain } from './langchain.ts';
import { folderOf, read } from './read-for-test.ts';

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
