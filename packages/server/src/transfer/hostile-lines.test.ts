/** Whatever stands in a stream: what can't be taken is named by its line, and nothing else is touched by it. */
import { expect } from 'vitest';
import { test } from '../../test/api.ts';
import { limitWorkspace } from '../../test/quotas.ts';
import { contentsOf, exportOf, importInto, linesOf, newFullWorkspace } from '../../test/transfer.ts';
import { agentLine, endLine, header, LINES, memoryLine, messageLine, sessionLine, streamOf } from '../../test/transfer-lines.ts';
import { newId, newIdAt } from '../db/ids.ts';

const FUTURE = '2199-01-01T00:00:00.000Z';

/** A session that is whole, and one in which something is wrong. */
function scene(spoil: (sessionId: string) => readonly (object | string)[]) {
  const agent = agentLine();
  const [whole, spoilt] = [newId(), newId()];
  const before = [header(), agent, sessionLine(agent.data.id, whole), messageLine(whole, 'Hello'), endLine('session', whole, 1)];
  return {
    agent,
    whole,
    spoilt,
    text: streamOf([...before, sessionLine(agent.data.id, spoilt), ...spoil(spoilt)]),
    firstLine: before.length + 2,
  };
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test.for<[string, (sessionId: string) => readonly (object | string)[], string]>([
  ['a role that is none', (id) => [messageLine(id, 'x', { role: 'robot' })], 'Role must be one of: system user assistant'],
  ['no content', (id) => [messageLine(id, '')], 'Content is required'],
  ['a number for a text', (id) => [messageLine(id, 7 as never)], 'Content must be a string'],
  ['a text that no database holds', (id) => [messageLine(id, 'a\0')], 'Content must not contain NUL or unpaired surrogate characters'],
  ['a content of more than a megabyte', (id) => [messageLine(id, 'x'.repeat(1_000_001))], 'Content must not exceed 1 MB'],
  ['an id that is none', (id) => [messageLine(id, 'x', { id: 'x' })], 'Id must be a valid UUID'],
  [
    'an id of another time',
    (id) => [messageLine(id, 'x', { id: newIdAt(5) })],
    'Id must be a UUID of version 7 with the time of createdAt',
  ],
  [
    'a time to come',
    (id) => [messageLine(id, 'x', { id: newIdAt(Date.parse(FUTURE)), createdAt: FUTURE })],
    'Created at must not be in the future',
  ],
  [
    'a memory that ended in times to come',
    (id) => [memoryLine(id, 'x', { supersededAt: FUTURE })],
    'Superseded at must not be in the future',
  ],
  ['meta that is no object', (id) => [messageLine(id, 'x', { meta: [1] })], 'Meta must be a JSON object'],
  ['data that are none', () => [{ type: 'message' }], 'Body must be a JSON object'],
  [
    'one id twice',
    (id) => [memoryLine(id, 'x', { id }), memoryLine(id, 'y', { id })],
    'Two of the messages or memories of the session have the same id',
  ],
  [
    'more lines than there should be',
    (id) => [messageLine(id, 'x'), endLine('session', id, 2)],
    'There are 1 lines that belong to the session, and should be 2',
  ],
])('%s keeps out the session that it stands in, and nothing else', async ([, spoil, message], { api }) => {
  const { whole, spoilt, text, firstLine } = scene(spoil);
  const target = await api.newWorkspace();
  const { status, body } = await importInto(target, text);
  expect(status).toBe(200);
  expect(body).toMatchObject({ counts: { agents: 1, sessions: 1, messages: 1, memories: 0 }, errors: [{ message }] });
  expect(body.errors[0].line).toBeGreaterThanOrEqual(firstLine - 1);
  const sessions = linesOf(await exportOf(target.owner, target)).filter(({ type }) => type === 'session');
  expect(sessions.map(({ data }) => data.id)).toEqual([whole]);
  for (const table of ['messages', 'memories']) expect(await api.countRows(table, target.id)).toBe(table === 'messages' ? 1 : 0);
  expect(spoilt).not.toBe(whole);
});

test('lines that can’t be read are named, and keep out nothing that is whole without them', async ({ api }) => {
  const agent = agentLine();
  const session = newId();
  const lines = [
    header(),
    '{"type":',
    '[]',
    '"message"',
    '{"type":7}',
    '{"type":"robot"}',
    nested(200),
    agent,
    '',
    sessionLine(agent.data.id, session),
    'garbage',
    messageLine(session, 'Hello', { meta: JSON.parse('{"__proto__":{"isAdmin":true}}') }),
    endLine('session', session, 1),
    messageLine(session, 'too late'),
    header(),
  ];
  const target = await api.newWorkspace();
  const { body, text } = await importInto(target, Buffer.concat([Buffer.from(streamOf(lines)), Buffer.from([0xff, 0x0a])]));
  expect(body.errorMessage, text).toBeUndefined();
  expect(body.counts).toMatchObject({ agents: 1, sessions: 1, messages: 1 });
  expect(body.errors).toEqual([
    { line: 2, message: 'The line is not valid JSON' },
    { line: 3, message: 'The line must be a JSON object' },
    { line: 4, message: 'The line must be a JSON object' },
    { line: 5, message: 'The line must have a type' },
    { line: 6, message: 'The type “robot” is not known' },
    { line: 7, message: 'The line must not be nested deeper than 100 levels' },
    { line: 11, message: 'The line is not valid JSON' },
    { line: 14, message: 'It must stand right behind the session that it belongs to' },
    { line: 15, message: 'There must be one header alone' },
    { line: 17, message: 'The line must be valid UTF-8' },
  ]);
  expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
});

test('a line that is too long is passed over, and so is the session without an end that it stands in', async ({ api }) => {
  const agent = agentLine();
  const [whole, doubtful] = [newId(), newId()];
  const lines = [
    header(),
    agent,
    sessionLine(agent.data.id, doubtful),
    messageLine(doubtful, 'x'.repeat(16_000_000)),
    sessionLine(agent.data.id, whole),
  ];
  const target = await api.newWorkspace();
  const { body } = await importInto(target, streamOf(lines));
  expect(body.errors).toEqual([
    { line: 4, message: 'The line must not exceed 16 MB' },
    { line: 3, message: 'A line behind it could not be read' },
  ]);
  expect(body.counts).toMatchObject({ agents: 1, sessions: 1, messages: 0 });
});

test('a stream says nothing of other workspaces, whatever ids it names', async ({ api }) => {
  const { workspace } = await newFullWorkspace(api);
  const text = await exportOf(workspace.owner, workspace);
  const before = contentsOf(text);
  // As if it came from a workspace that is not here, with the ids of one that is.
  const [, ...lines] = linesOf(text);
  const renamed = lines.slice(0, -1).map((line) => JSON.parse(JSON.stringify(line).replaceAll('okapi', 'walrus')));
  const target = await api.newWorkspace();
  expect((await importInto(target, streamOf([header(), ...renamed]))).body.errors).toEqual([]);
  expect((await importInto(target, streamOf([header(workspace.id), ...renamed]))).body.errors).toEqual([]);
  await api.drainJobs();
  const own = linesOf(await exportOf(target.owner, target)).filter(({ type }) => type === 'session');
  for (const { data } of own) await target.owner.delete(`${target.url}/agents/${data.agentId}/sessions/${data.id}`);
  await api.drainJobs();
  expect(contentsOf(await exportOf(workspace.owner, workspace))).toEqual(before);
});

test('handles and external ids stay unique: an agent gets another handle, the others are refused', async ({ api }) => {
  const { workspace, agent } = await newFullWorkspace(api);
  const text = await exportOf(workspace.owner, workspace);
  // The same things under other ids, in the same workspace.
  const { body } = await importInto(workspace, text, '?mode=new-ids');
  expect(body.errors.map(({ message }: { message: string }) => message)).toEqual([
    'Another prompt with this name exists already',
    'Another document with this external id exists already',
  ]);
  expect(body.counts).toMatchObject({ prompts: 0, documents: 1, agents: 2, sessions: 4 });
  const { body: listed } = await agent.runtime.get(`${workspace.url}/agents`);
  expect(listed.agents.map(({ handle }: { handle: string }) => handle).sort()).toEqual([
    'guide',
    expect.stringMatching(/^guide-[a-z0-9]{8}$/),
    'quiet',
    expect.stringMatching(/^quiet-[a-z0-9]{8}$/),
  ]);
  const clash = [header(), sessionLine(agent.id, newId(), { externalId: 'chat-1' })];
  expect((await importInto(workspace, streamOf(clash))).body).toMatchObject({
    errors: [{ line: 2, message: 'A session with this id exists already' }],
  });
});

test('what is no export is refused whole, and one that is cut off says so', async ({ api }) => {
  const target = await api.newWorkspace();
  for (const sent of ['', '\n\n', '{}', 'x', '{"type":"agent"}', JSON.stringify({ ...header(), version: 2 })])
    expect((await importInto(target, sent)).status, sent).toBe(400);
  expect((await target.owner.post(`${target.url}/import`, '{}', { 'content-type': 'application/json' })).status).toBe(415);
  expect((await target.owner.post(`${target.url}/import?mode=other`, '{}', LINES)).status).toBe(400);
  expect((await target.owner.get(`${target.url}/export?vectors=7`)).status).toBe(400);
  const agent = agentLine();
  const session = newId();
  const cut = streamOf([header(), agent, sessionLine(agent.data.id, session), messageLine(session, 'x')])
    .split('\n')
    .slice(0, 4)
    .join('\n');
  expect((await importInto(target, cut)).body).toMatchObject({
    counts: { agents: 1, sessions: 0 },
    errors: [{ line: 5, message: expect.stringContaining('without its footer') }],
  });
  const spoilt = streamOf([header(), agent]).replace('Guide', 'Guido');
  expect((await importInto(target, spoilt)).body.errors).toEqual([{ line: 3, message: 'The checksum is not that of the lines before it' }]);
});

test('only who manages the workspace may, and both are in the audit log', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const key = await api.newAccessKey(workspace);
  const [admin, reader, stranger] = [
    await api.newMember(workspace, 'admin'),
    await api.newMember(workspace, 'readonly'),
    await api.newUser(),
  ];
  const text = await exportOf(admin.client, workspace);
  const expected = [
    [key, 403],
    [reader.client, 403],
    [stranger.client, 404],
    [api.anonymous, 401],
    [admin.client, 200],
  ] as const;
  for (const [client, status] of expected) {
    expect((await client.get(`${workspace.url}/export`)).status).toBe(status);
    expect((await client.post(`${workspace.url}/import`, text, LINES)).status).toBe(status);
  }
  const { body } = await admin.client.get(`${workspace.url}/audits`);
  expect(body.audits.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['workspace.export', 'workspace.import']),
  );
});

test('the quota of the workspace holds, resource by resource', async ({ api }) => {
  const target = await api.newWorkspace();
  await limitWorkspace(api, target.id, { messages: 3 });
  const agent = agentLine();
  const [small, large, last] = [newId(), newId(), newId()];
  const messages = (id: string, count: number) => Array.from({ length: count }, (_, n) => messageLine(id, `Number ${n}`));
  const lines = [header(), agent];
  for (const [id, count] of [
    [small, 2],
    [large, 1_200],
    [last, 1],
  ] as const)
    lines.push(sessionLine(agent.data.id, id) as never, ...(messages(id, count) as never[]));
  const { body } = await importInto(target, streamOf(lines));
  expect(body).toMatchObject({ counts: { sessions: 2, messages: 3 }, errors: [{ message: expect.stringContaining('messages') }] });
  expect(await api.countRows('messages', target.id)).toBe(3);
  expect(await api.countRows('staged_sessions', target.id)).toBe(0);
});
