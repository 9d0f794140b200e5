/** The client against a real service. */
import { expect, test } from 'vitest';
import { Commonplace } from '../src/commonplace.ts';
import { unusedUrl } from './fault-proxy.ts';
import { clientOf, describeOnEachEngine } from './service.ts';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

describeOnEachEngine((service) => {
  const unique = (name: string) => `${name} ${Math.random().toString(36).slice(2)}`;

  test('a conversation by handles, from the agent’s handle to its messages', async () => {
    const client = clientOf(service());
    const made = await client.agents.create({ name: unique('Support') });
    const agent = client.agent(made.handle);
    expect(await agent.id()).toBe(made.id);
    const first = await agent.sessions.open({ id: 'chat-17', labels: { user: '42' } });
    const again = await agent.sessions.open({ id: 'chat-17', labels: { user: '42' } });
    expect([again.id, again.data?.externalId, again.data?.labels]).toEqual([first.id, 'chat-17', { user: '42' }]);
    const byLabels = await agent.sessions.open({ labels: { topic: 'ovens' } });
    expect((await agent.sessions.open({ labels: { topic: 'ovens' } })).id).toBe(byLabels.id);

    const message = await first.messages.create({ role: 'user', content: 'My budget for the oven is £5k', meta: { from: 'mail' } });
    expect(message.meta).toEqual({ from: 'mail' });
    await first.messages.createBatch({
      messages: [
        { role: 'assistant', content: 'Noted.' },
        { role: 'user', content: 'And a gas one, please.' },
      ],
    });
    expect((await collect(first.messages.list({ limit: 1 }))).map(({ content }) => content)).toEqual([
      'My budget for the oven is £5k',
      'Noted.',
      'And a gas one, please.',
    ]);
    const [hit] = await first.messages.search('oven budget', { limit: 1 });
    expect(hit).toMatchObject({ id: message.id, text: 'My budget for the oven is £5k' });
    expect((await agent.messages.search('oven budget', { labels: { user: '42' } }))[0]?.sessionId).toBe(first.id);
    expect((await first.messages.update(message.id, { content: 'My budget is £6k' })).content).toBe('My budget is £6k');
    await first.messages.delete(message.id);
    await expect(first.messages.get(message.id)).rejects.toBeInstanceOf(Commonplace.NotFoundError);

    const fork = await first.fork({ id: 'chat-17-b' });
    expect((await fork.messages.list()).meta.total).toBe(2);
    expect((await agent.sessions.list({ labels: { user: '42' } })).data.map(({ id }) => id).sort()).toEqual([first.id, fork.id].sort());
    expect((await client.sessions.getByLabels(made.id, { id: 'chat-17' })).id).toBe(first.id);
    await fork.delete();
    await expect(fork.get()).rejects.toMatchObject({ status: 404, code: 'not_found', requestId: expect.any(String) });
    await expect(client.agent('nobody-has-this-handle').get()).rejects.toBeInstanceOf(Commonplace.NotFoundError);
  });

  test('memories, written and extracted', async () => {
    const client = clientOf(service());
    const made = await client.agents.create({ name: unique('Remembering'), configs: { memoryPipeline: true } });
    const session = await client.agent(made.id).sessions.open({ labels: { user: '42' } });
    const written = await session.memories.create({ kind: 'fact', content: 'User lives in Leeds' });
    await session.messages.create({ role: 'user', content: 'I prefer aisle seats.' });
    const status = await session.memories.waitUntilExtracted();
    expect(status).toMatchObject({ enabled: true, pending: 0, failed: 0 });
    const contents = (await collect(session.memories.list())).map(({ content }) => content);
    expect(contents).toContain('User prefers aisle seats');
    expect((await session.memories.search('where do they live', { limit: 1 }))[0]?.id).toBe(written.id);
    expect((await client.agent(made.id).memories.search('seats', { labels: { user: '42' } })).length).toBeGreaterThan(0);
    await session.memories.update(written.id, { content: 'User lives in York' });
    expect((await session.memories.history(written.id)).map(({ event }) => event)).toEqual(['created', 'edited']);
  });

  test('documents, from bytes and with progress, until they are found', async () => {
    const { documents } = clientOf(service());
    const progress: number[] = [];
    const text = `# Returns\n\nGoods can be returned within 30 days.\n${'Nothing else. '.repeat(10_000)}`;
    const uploaded = await documents.upload(new TextEncoder().encode(text), {
      filename: 'Rückgabe.md',
      labels: ['team=support'],
      onProgress: ({ sentBytes, totalBytes }) => progress.push(Math.floor((100 * sentBytes) / totalBytes)),
    });
    expect(uploaded).toMatchObject({ filename: 'Rückgabe.md', title: 'Rückgabe.md', labels: ['team=support'], status: 'processing' });
    expect([progress[0], progress.at(-1), progress.length]).toEqual([0, 100, 4]);
    expect(await documents.waitUntilIndexed(uploaded.id)).toMatchObject({ status: 'indexed' });
    const [hit] = await documents.search({ query: 'returning goods', labels: { team: 'support' }, limit: 1 });
    expect(hit?.documentId).toBe(uploaded.id);
    const content = await documents.content(uploaded.id);
    expect([content.type, await content.text()]).toEqual(['text/markdown; charset=utf-8', text]);
    const empty = await documents.upload(new Blob(['']), { filename: 'empty.txt' });
    await expect(documents.waitUntilIndexed(empty.id)).rejects.toBeInstanceOf(Commonplace.IndexingFailedError);
    await documents.delete(uploaded.id);
    expect((await documents.list({ status: 'indexed' })).data.map(({ id }) => id)).not.toContain(uploaded.id);
  });

  test('prompts: the cache asks by tag, and renders as the service does', async () => {
    const requests: string[] = [];
    const { url, accessKey, workspaceId } = service();
    const fetch: typeof globalThis.fetch = async (...args) => {
      const answer = await globalThis.fetch(...args);
      requests.push(`${answer.status}`);
      return answer;
    };
    const { prompts } = new Commonplace({ baseUrl: url, accessKey, workspaceId, fetch });
    const { promptId, handle } = await prompts.create({
      name: unique('Greeting'),
      type: 'text',
      content: 'Hello {{name}}!',
      production: true,
    });
    const variables = { name: 'Ada' };
    const prompt = await prompts.get(handle, { version: 'production' });
    expect(prompt.render(variables)).toBe((await prompts.render(handle, { variables })).text);
    requests.splice(0);
    await prompts.get(handle, { version: 'production', maxAgeMs: 0 });
    await expect.poll(() => requests).toEqual(['304']);
    await prompts.versions.create(promptId, { type: 'text', content: 'Good day {{name}}!', production: true });
    await expect.poll(async () => (await prompts.get(handle, { version: 'production', maxAgeMs: 0 })).content).toBe('Good day {{name}}!');
    const chat = [{ role: 'system', content: 'Help {{name}}.' }];
    const made = await prompts.create({ name: unique('Chat'), type: 'chat', content: JSON.stringify(chat) });
    expect((await prompts.get(made.handle)).renderMessages(variables)).toEqual((await prompts.render(made.handle, { variables })).messages);
  });

  test('errors say what to do', async () => {
    const client = clientOf(service());
    const error = await client.agents.create({ name: '' }).catch((caught) => caught);
    expect(error).toBeInstanceOf(Commonplace.BadRequestError);
    expect(error).toMatchObject({
      message: 'Name is required',
      code: 'validation_failed',
      details: [{ path: 'name', message: 'Name is required' }],
    });
    const { url } = service();
    await expect(new Commonplace({ baseUrl: url, accessKey: 'cpa_wrong' }).me.get()).rejects.toBeInstanceOf(
      Commonplace.AuthenticationError,
    );
    await expect(new Commonplace({ baseUrl: url }).workspaces.list()).rejects.toThrow('Not authenticated.');
    await expect(client.workspaces.list()).rejects.toBeInstanceOf(Commonplace.PermissionDeniedError);
    const baseUrl = await unusedUrl();
    const nowhere = new Commonplace({ baseUrl, accessKey: 'x', maxRetries: 0 });
    await expect(nowhere.me.get()).rejects.toThrow(`No answer from ${baseUrl}/api/v1: ECONNREFUSED`);
  });

  test('an access key knows its workspace', async () => {
    const { url, accessKey, workspaceId } = service();
    const client = new Commonplace({ baseUrl: url, accessKey });
    expect((await client.agents.create({ name: unique('Of the key') })).workspaceId).toBe(workspaceId);
  });

  test('workspaces, keys, members and the rest of what a user manages', async () => {
    const { admin } = service();
    const workspace = await admin.workspaces.create({ name: 'To be deleted' });
    const inside = admin.workspace(workspace.id);
    const key = await inside.accessKeys.create({ name: 'Reader', permissions: ['CAN_GET_AGENT'] });
    expect(key.key).toMatch(/^cpa_/);
    const invite = await inside.invites.create({ email: 'grace@example.com', role: 'readonly' });
    expect((await inside.invites.list()).data).toMatchObject([{ id: invite.id, status: 'pending' }]);
    expect((await collect(inside.members.list())).map(({ role }) => role)).toEqual(['owner']);
    expect((await collect(inside.audits.list({ action: 'access_key.create' }))).map(({ resourceId }) => resourceId)).toEqual([key.id]);
    expect(await admin.workspaces.stats(workspace.id)).toMatchObject({ agents: 0 });
    expect(await admin.workspaces.search(workspace.id, { query: 'nothing' })).toEqual([]);
    expect((await admin.me.get()).principalType).toBe('API_KEY');
    expect(await admin.health.ready()).toEqual({ status: 'ok' });
    await inside.accessKeys.delete(key.id);
    await admin.workspaces.delete(workspace.id);
    await expect(admin.workspaces.get(workspace.id)).rejects.toBeInstanceOf(Commonplace.NotFoundError);
  });

  test('a subject is forgotten, by agent or in all of a workspace, with receipts', async () => {
    const { admin, workspaceId } = service();
    const inside = admin.workspace(workspaceId);
    const { id } = await inside.agents.create({ name: unique('Forgetful'), configs: { retentionDays: 30 } });
    const agent = inside.agent(id);
    const user = unique('somebody');
    const session = await agent.sessions.create({ labels: { user } });
    await session.messages.create({ role: 'user', content: 'Forget me' });
    const receipt = await agent.forget({ labels: { user } });
    expect(receipt).toMatchObject({ agentId: id, labels: { user }, counts: { sessions: 1, messages: 1 } });
    expect((await inside.forget({ labels: { user } })).counts.sessions).toBe(0);
    expect(await inside.receipts.get(receipt.id)).toEqual(receipt);
    expect((await collect(inside.receipts.list())).map((one) => one.id)).toContain(receipt.id);
    await expect(session.get()).rejects.toBeInstanceOf(Commonplace.NotFoundError);
  });

  test('a workspace out of one and into another, without holding it', async () => {
    const { admin } = service();
    const [from, to] = [await admin.workspaces.create({ name: 'Source' }), await admin.workspaces.create({ name: 'Target' })];
    const source = admin.workspace(from.id);
    const agent = await source.agents.create({ name: 'Guide' });
    const session = await source.agent(agent.id).sessions.open({ id: 'chat-1' });
    await session.messages.createBatch({ messages: Array.from({ length: 100 }, (_, n) => ({ role: 'user', content: `Number ${n}` })) });
    const target = admin.workspace(to.id);
    const result = await target.import(await source.export());
    expect(result).toMatchObject({ counts: { agents: 1, sessions: 1, messages: 100 }, skipped: 0, errors: [] });
    const bytes = await new Response(await source.export({ vectors: true })).blob();
    expect(await target.import(bytes, { mode: 'keep-ids' })).toMatchObject({ counts: { agents: 0 }, skipped: 102, errors: [] });
    const [made] = (await target.agents.list()).data;
    expect((await collect(target.agent(made?.id).sessions.list())).map(({ externalId }) => externalId)).toEqual(['chat-1']);
    const stop = new AbortController();
    const stream = await source.export({}, { signal: stop.signal });
    stop.abort();
    await expect(new Response(stream).text()).rejects.toThrow();
    await expect(clientOf(service()).export()).rejects.toBeInstanceOf(Commonplace.PermissionDeniedError);
  });

  test('the same key is the same write, whatever the method', async () => {
    const client = clientOf(service());
    const once = { idempotencyKey: unique('once').replace(' ', '-') };
    const first = await client.agents.create({ name: unique('Once') }, once);
    await expect(client.agents.create({ name: 'Another' }, once)).rejects.toBeInstanceOf(Commonplace.ConflictError);
    const gone = { idempotencyKey: `${once.idempotencyKey}-gone` };
    for (const _ of [1, 2]) await client.agents.delete(first.id, gone);
    await expect(client.agents.delete(first.id)).rejects.toBeInstanceOf(Commonplace.NotFoundError);
  });
});
