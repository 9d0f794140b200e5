/** The tokens of texts beside their vectors: stored with them, adopted in the background, and left out where they are turned off. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { made, openApi, type TestApi, type TestSession } from '../../test/api.ts';
import { drainBoth, restart, search, upload } from '../../test/embeddings-endpoint.ts';
import { log } from '../../test/kept-indexes.ts';
import { sql } from '../db/sql.ts';
import type { Job } from '../jobs/queue.ts';
import { messageItems } from '../messages/search.ts';
import { LOCAL_MODEL, LOCAL_MODEL_WITH_TOKENS } from './embedding/model-files.ts';
import { MODEL_SWITCH, modelSwitchJob } from './model-switch.ts';

const SAID = ['I am off to do some taekwondo tonight.', 'The soup needs more salt.', 'Our train leaves at seven.'];
const QUESTION = 'Which martial arts did they practise?';

async function open(environment: Record<string, string> = {}): Promise<TestApi> {
  const { api, close } = await openApi(environment);
  onTestFinished(close);
  return api;
}

async function say(session: TestSession): Promise<void> {
  const messages = SAID.map((content) => ({ role: 'user', content }));
  made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
  for (const content of SAID) made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content }));
  await upload(session.runtime, session.agent.workspace.url, SAID.map((text) => `# About\n\n${text}`).join('\n\n'));
}

/** How many vectors have tokens, and how many have none. */
async function countTokens(api: TestApi, { agent }: TestSession): Promise<{ some: number; none: number }> {
  const workspaceId = agent.workspace.id;
  const rows = await api.db.query(sql<{ size: number | null }>`
    select length(token_codes) as size from vectors where workspace_id = ${workspaceId}`);
  for (const { size } of rows) if (size !== null) expect(Number(size) % 48).toBe(0);
  return { some: rows.filter(({ size }) => size !== null).length, none: rows.filter(({ size }) => size === null).length };
}

async function tokensOf(api: TestApi, { runtime, url, agent }: TestSession): Promise<number[]> {
  const client = api.client(runtime.headers);
  const places = [`${url}/messages`, `${url}/memories`, `${agent.workspace.url}/documents`];
  const hits = await Promise.all(places.map(async (place) => (await search(client, place, QUESTION))[0]));
  for (const hit of hits) expect(hit.text).toContain('taekwondo');
  return hits.map(({ explain }) => explain.tokens);
}

test('what is embedded has its tokens beside its vector, and they count in every search', async () => {
  const api = await open();
  const session = await api.newSession();
  await say(session);
  await drainBoth(api);
  expect(await countTokens(api, session)).toMatchObject({ none: 0 });
  for (const tokens of await tokensOf(api, session)) expect(tokens).toBeGreaterThan(0);
});

test('a message that was just written is found before its tokens are stored', async () => {
  const api = await open();
  const session = await api.newSession();
  await say(session);
  await drainBoth(api);
  const written = made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content: 'And karate on Sunday!' }));
  const hits = await search(session.runtime, `${session.url}/messages`, QUESTION, { limit: 2 });
  expect(hits.map(({ text }) => text).sort()).toEqual(['And karate on Sunday!', SAID[0]]);
  await session.runtime.delete(`${session.url}/messages/${written.id}`);
  expect((await search(session.runtime, `${session.url}/messages`, QUESTION)).map(({ text }) => text)).not.toContain(
    'And karate on Sunday!',
  );
});

test('turned off, nothing is stored of them; turned on, they are made in the background while search goes on', async () => {
  const api = await open({ COMMONPLACE_TOKEN_VECTORS: 'off' });
  const session = await api.newSession();
  await say(session);
  await drainBoth(api);
  expect(await countTokens(api, session)).toMatchObject({ some: 0 });
  expect(await tokensOf(api, session)).toEqual([0, 0, 0]);

  const later = await restart(api, { tokenVectors: true });
  // By the vectors that there are.
  expect(await tokensOf(later, session)).toEqual([0, 0, 0]);
  await drainBoth(later);
  expect(await countTokens(later, session)).toMatchObject({ none: 0 });
  for (const tokens of await tokensOf(later, session)) expect(tokens).toBeGreaterThan(0);

  const off = await restart(later, { tokenVectors: false });
  await drainBoth(off);
  expect(await countTokens(off, session)).toMatchObject({ some: 0 });
});

test('a node with the former model leaves the change to one that has the new one', async () => {
  const api = await open({ COMMONPLACE_TOKEN_VECTORS: 'off' });
  const session = await api.newSession();
  await say(session);
  await drainBoth(api);
  const later = await restart(api, { tokenVectors: true });
  const kinds = await api.db.query(sql<{ kind: string }>`select kind from jobs where key = ${LOCAL_MODEL_WITH_TOKENS}`);
  expect(kinds).toEqual([{ kind: MODEL_SWITCH }]);

  const embedDocuments = vi.fn();
  const former = modelSwitchJob(api.db, api.clock, { ownModel: LOCAL_MODEL, items: [messageItems], embedDocuments }, log);
  const job = { payload: { model: LOCAL_MODEL_WITH_TOKENS } } as Job;
  await expect(former.run(job, new AbortController().signal)).rejects.toThrow('another model');
  expect(embedDocuments).not.toHaveBeenCalled();
  expect(await api.db.query(sql`select item_id from embedding_queue`)).toEqual([]);

  // As a node of the release before queues it, having indexed a document meanwhile.
  await api.db.run(sql`update jobs set kind = 'switch-model' where kind = ${MODEL_SWITCH}`);
  await drainBoth(later);
  expect(await countTokens(later, session)).toMatchObject({ none: 0 });
});
