/** A whole MCP session by the official client: every tool, prompt and resource, over whichever transport. */
import { randomUUID } from 'node:crypto';

import { AgentConfigs } from '@commonplace/contract/agents';
import { Client, type Transport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { formOf } from './matrix-items.ts';

/** Sends a request to the REST API with every permission; an answer that is not 2xx fails. */
export type Ask = (
  method: string,
  path: string,
  body?: object | string,
  headers?: Record<string, string>,
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body, field by field.
) => Promise<any>;

/** The two protocols: today’s, and the one with a handshake that most clients still speak. */
export const eras = { today: { pin: '2026-07-28' }, before: 'legacy' } as const;
export type Era = keyof typeof eras;

export const SESSION = 'chat-ü-1';

export interface McpScene {
  readonly workspaceId: string;
  readonly agentId: string;
  readonly documentId: string;
}

/** What the session is about, made through the API. `settle` waits until the document is indexed. */
export async function furnishWorkspace(ask: Ask, workspaceId: string, settle: (documentId: string) => Promise<void>): Promise<McpScene> {
  const url = `/workspaces/${workspaceId}`;
  const text = 'Hello {{name}}, welcome to {{place}}!';
  const { promptId } = await ask('POST', `${url}/prompts`, {
    name: 'Warm Greeting',
    description: 'Says hello.',
    type: 'text',
    content: text,
  });
  const chat = JSON.stringify([
    { role: 'system', content: 'Be {{mood}}.' },
    { role: 'assistant', content: 'I am.' },
  ]);
  await ask('POST', `${url}/prompts`, { name: 'Chat', type: 'chat', content: chat });
  const { id: agentId } = await ask('POST', `${url}/agents`, { name: 'Helper', promptId, kbLabels: { lang: 'en' } });
  const upload = async (title: string, labels: string, content: string) => {
    const form = formOf([
      { name: 'title', content: title },
      { name: 'labels', content: labels },
      { name: 'file', filename: `${title}.md`, content },
    ]);
    const { id } = await ask('POST', `${url}/documents`, form.text, { 'content-type': form.type });
    await settle(id);
    return id as string;
  };
  const documentId = await upload('Handbook', 'lang=en', '# Refunds\n\nRefunds are paid within fourteen days.\n');
  await upload('Handbuch', 'lang=de', '# Refunds\n\nRefunds: Erstattungen erfolgen binnen vierzehn Tagen.\n');
  return { workspaceId, agentId, documentId };
}

export async function connect(transport: Transport, era: Era): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: eras[era] } });
  await client.connect(transport);
  return client;
}

/** The answer of a tool that worked: what a program reads, and the same as text for a model. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export async function use(client: Client, name: string, given: Record<string, unknown> = {}): Promise<any> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: given });
  const [text] = content as { type: string; text: string }[];
  expect(isError, `${name}: ${text?.text}`).toBeFalsy();
  expect(JSON.parse(text?.text ?? '')).toEqual(structuredContent);
  return structuredContent;
}

/** The sentence of a tool that failed. */
export async function complaintOf(client: Client, name: string, given: Record<string, unknown> = {}): Promise<string> {
  const { isError, content } = await client.callTool({ name, arguments: given });
  const [text] = content as { type: string; text: string }[];
  expect([name, isError]).toEqual([name, true]);
  return text?.text ?? '';
}

const always = [
  ...[
    'add_memory',
    'search_memories',
    'get_memories',
    'get_memory',
    'update_memory',
    'delete_memory',
    'delete_session',
    'remember',
    'recall',
  ],
  ...['search_messages', 'search_knowledge', 'get_prompt'],
];

/** With a key that holds every permission. */
export async function walkThrough(client: Client, ask: Ask, scene: McpScene): Promise<void> {
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names.filter((name) => name !== 'get_context').sort()).toEqual(always.toSorted());
  for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
    expect([name, inputSchema.type, outputSchema?.type]).toEqual([name, 'object', 'object']);
    expect(description?.length, name).toBeGreaterThan(40);
    expect([name, typeof annotations?.readOnlyHint, annotations?.openWorldHint]).toEqual([name, 'boolean', false]);
  }
  const sessionId = await walkMemories(client, ask, scene);
  await walkMessages(client, ask, scene, sessionId);
  if (names.includes('get_context')) await walkContext(client);
  await walkKnowledge(client, scene);
  await walkPrompts(client);
  if ('memorySubject' in AgentConfigs.shape) await walkPerson(client, ask, scene, sessionId);
  expect(await use(client, 'delete_session')).toEqual({ deleted: true });
  expect(await complaintOf(client, 'get_memories')).toContain('not found');
}

async function walkMemories(client: Client, ask: Ask, { workspaceId, agentId }: McpScene): Promise<string> {
  for (const [name, given] of [
    ['search_memories', { query: 'anything' }],
    ['get_memories', {}],
    ['delete_session', {}],
  ] as const) {
    expect(await complaintOf(client, name, given)).toBe(`Session "${SESSION}" not found: call add_memory first, which creates it.`);
  }
  const first = await use(client, 'add_memory', { content: 'User is called Ada' });
  expect(first).toMatchObject({ kind: 'long_lived', content: 'User is called Ada', meta: {} });
  const metadata = { heard: { on: 'the phone' }, topic: 'travel' };
  const second = await use(client, 'add_memory', { content: 'User prefers aisle seats', kind: 'preference', metadata });
  expect(second).toMatchObject({ kind: 'preference', meta: metadata });
  const { results } = await use(client, 'search_memories', { query: 'aisle seats', limit: 1 });
  expect(results).toEqual([
    { id: second.id, kind: 'preference', text: 'User prefers aisle seats', score: expect.any(Number), sessionId: expect.any(String) },
  ]);

  const filtered = await use(client, 'search_memories', { query: 'the user', where: { topic: ['travel', 'home'] } });
  expect(filtered.results.map(({ id }: { id: string }) => id)).toEqual([second.id]);
  expect(await complaintOf(client, 'search_memories', { query: 'x', where: { topic: { not: 'travel' } } })).toMatch(
    /^Filter value must be/,
  );

  const page = await use(client, 'get_memories', { limit: 1 });
  expect(page).toMatchObject({ memories: [{ id: second.id }], total: 2, next_offset: 1 });
  expect(await use(client, 'get_memories', { limit: 1, offset: 1 })).toEqual({
    memories: [expect.objectContaining({ id: first.id })],
    total: 2,
  });
  expect(await use(client, 'get_memory', { memory_id: first.id })).toEqual(first);

  const changed = await use(client, 'update_memory', { memory_id: second.id, content: 'User prefers window seats' });
  expect(changed).toMatchObject({ id: second.id, kind: 'preference', content: 'User prefers window seats', meta: metadata });
  expect(await use(client, 'delete_memory', { memory_id: second.id })).toEqual({ deleted: true });
  expect(await complaintOf(client, 'get_memory', { memory_id: second.id })).toBe('Memory not found.');
  expect(await complaintOf(client, 'get_memory', { memory_id: 'nonsense' })).toMatch(/must be a valid UUID/);
  expect(await complaintOf(client, 'add_memory', { content: '' })).toBe('Content is required.');
  expect(await complaintOf(client, 'add_memory', { content: 'x', kind: 'rumour' })).toMatch(/^Kind must be one of: /);

  const sessions = await ask('GET', `/workspaces/${workspaceId}/agents/${agentId}/sessions?id=${encodeURIComponent(SESSION)}`);
  expect(sessions.sessions).toHaveLength(1);
  return sessions.sessions[0].id;
}

async function walkMessages(client: Client, ask: Ask, { workspaceId, agentId }: McpScene, sessionId: string): Promise<void> {
  const content = 'The parcel never arrived at the depot.';
  const url = `/workspaces/${workspaceId}/agents/${agentId}/sessions/${sessionId}/messages`;
  const message = await ask('POST', url, { role: 'user', content, meta: { topic: 'parcels' } });
  expect(await use(client, 'search_messages', { query: 'parcel', where: { topic: 'seats' } })).toEqual({ results: [] });
  const { results } = await use(client, 'search_messages', { query: 'parcel depot' });
  expect(results).toEqual([{ id: message.id, role: 'user', text: content, score: expect.any(Number) }]);
  expect(await complaintOf(client, 'search_messages', { query: ' ' })).toBe('Query is required.');
  expect(await complaintOf(client, 'search_messages', { query: 'parcel', limit: 101 })).toMatch(/^Limit must/);
}

async function walkContext(client: Client): Promise<void> {
  // What its prompt lacks, a model can give.
  expect(await complaintOf(client, 'get_context')).toContain('missing: name, place');
  const variables = { name: 'Ada', place: 'London' };
  const context = await use(client, 'get_context', { query: 'Where is the parcel?', token_budget: 1000, variables });
  expect(context.tokens).toBeLessThanOrEqual(1000);
  expect(context.pieces.map(({ text }: { text: string }) => text).join('\n')).toContain('parcel');
  expect((await use(client, 'get_context', { variables })).pieces.map(({ text }: { text: string }) => text)).toContain(
    'Hello Ada, welcome to London!',
  );
  expect(await complaintOf(client, 'get_context', { token_budget: 1 })).toMatch(/at least 200/);
}

async function walkKnowledge(client: Client, { documentId }: McpScene): Promise<void> {
  const { results } = await use(client, 'search_knowledge', { query: 'refunds' });
  // The other document lacks the label that this agent’s knowledge has.
  expect(results.map((hit: { title: string }) => hit.title)).toEqual(['Handbook']);
  expect(results[0]).toMatchObject({ documentId, text: expect.stringContaining('fourteen days'), labels: { lang: 'en' } });
  expect(await use(client, 'search_knowledge', { query: 'refunds', labels: { lang: 'de' } })).toEqual({ results: [] });

  const uri = `commonplace://documents/${documentId}`;
  const { resources } = await client.listResources();
  expect(resources.map(({ title }) => title).sort()).toEqual(['Handbook', 'Handbuch']);
  expect(resources.find((one) => one.uri === uri)).toMatchObject({
    name: 'Handbook.md',
    mimeType: 'text/markdown',
    size: expect.any(Number),
  });
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates).toMatchObject([{ uriTemplate: 'commonplace://documents/{id}' }]);
  const { contents } = await client.readResource({ uri });
  expect(contents).toEqual([{ uri, mimeType: 'text/markdown', text: '# Refunds\n\nRefunds are paid within fourteen days.\n' }]);
  for (const missing of ['commonplace://documents/nothing', 'commonplace://other/1', 'file:///etc/passwd']) {
    await expect(client.readResource({ uri: missing })).rejects.toMatchObject({ code: -32602 });
  }
}

async function walkPrompts(client: Client): Promise<void> {
  const { prompts } = await client.listPrompts();
  expect(prompts).toEqual([
    { name: 'chat', title: 'Chat', arguments: [{ name: 'mood', required: true }] },
    {
      name: 'warm-greeting',
      title: 'Warm Greeting',
      description: 'Says hello.',
      arguments: [
        { name: 'name', required: true },
        { name: 'place', required: true },
      ],
    },
  ]);
  const said = async (name: string, variables: Record<string, string>) => (await client.getPrompt({ name, arguments: variables })).messages;
  const text = 'Hello Ada, welcome to London!';
  expect(await said('warm-greeting', { name: 'Ada', place: 'London' })).toEqual([{ role: 'user', content: { type: 'text', text } }]);
  expect(await said('chat', { mood: 'kind' })).toEqual([
    { role: 'user', content: { type: 'text', text: 'Be kind.' } },
    { role: 'assistant', content: { type: 'text', text: 'I am.' } },
  ]);
  await expect(said('warm-greeting', { name: 'Ada' })).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('place') });
  await expect(said('nothing', {})).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('Prompt not found') });

  const template = 'Hello {{name}}, welcome to {{place}}!';
  const greeting = { name: 'Warm Greeting', version: 1, type: 'text', template, variables: ['name', 'place'] };
  expect(await use(client, 'get_prompt', { name: 'Warm Greeting' })).toEqual(greeting);
  expect(await use(client, 'get_prompt', { name: 'warm-greeting', version: '1' })).toEqual(greeting);
  // This agent’s own.
  expect(await use(client, 'get_prompt')).toEqual(greeting);
  const filled = await use(client, 'get_prompt', { name: 'warm-greeting', variables: { name: 'Ada', place: 'London' } });
  expect(filled).toEqual({ name: 'warm-greeting', version: 1, type: 'text', text });
  expect(await complaintOf(client, 'get_prompt', { name: 'nothing' })).toBe('Prompt not found.');
}

/** What is remembered in this session is recalled from another one of the same person, and from no one else’s. */
async function walkPerson(client: Client, ask: Ask, { workspaceId, agentId }: McpScene, sessionId: string): Promise<void> {
  const agentUrl = `/workspaces/${workspaceId}/agents/${agentId}`;
  expect(await complaintOf(client, 'recall', { query: 'nuts' })).toContain('configs.memorySubject');
  await ask('PUT', agentUrl, { configs: { memorySubject: 'user' } });
  expect(await complaintOf(client, 'remember', { content: 'User is allergic to nuts' })).toContain('no label "user"');
  await ask('PUT', `${agentUrl}/sessions/${sessionId}`, { labels: { user: '' } });
  expect(await complaintOf(client, 'recall', { query: 'nuts' }), 'an empty label names nobody').toContain('no label "user"');
  await ask('PUT', `${agentUrl}/sessions/${sessionId}`, { labels: { user: '42' } });
  const newMemory = async (user: string, content: string) => {
    const { id } = await ask('POST', `${agentUrl}/sessions`, { labels: { user, about: randomUUID() } });
    await ask('POST', `${agentUrl}/sessions/${id}/memories`, { kind: 'fact', content });
  };
  await newMemory('42', 'User owns a boat');
  await newMemory('43', 'User owns a plane');
  const memory = await use(client, 'remember', { content: 'User is allergic to nuts' });
  expect(memory).toMatchObject({ kind: 'long_lived', content: 'User is allergic to nuts' });
  const texts = async (query: string) => (await use(client, 'recall', { query })).results.map(({ text }: { text: string }) => text);
  expect(await texts('what does the user own')).toContain('User owns a boat');
  expect(await texts('what does the user own')).not.toContain('User owns a plane');
  expect(await texts('nuts')).toContain('User is allergic to nuts');
}
