/** A workspace with something of everything, taken out and brought in. */
import { type Answer, type Client, made, type TestApi, type TestWorkspace } from './api.ts';
import { LINES } from './transfer-lines.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a line, field by field.
export type ParsedLine = any;

export async function exportOf(client: Client, workspace: { url: string }, query = ''): Promise<string> {
  const { status, text, headers } = await client.get(`${workspace.url}/export${query}`);
  if (status !== 200 || headers['content-type'] !== 'application/x-ndjson') throw new Error(`Expected an export, got ${status}: ${text}`);
  return text;
}

export function importInto(workspace: TestWorkspace, text: string | Buffer, query = ''): Promise<Answer> {
  return workspace.owner.post(`${workspace.url}/import${query}`, text, LINES);
}

export function linesOf(text: string): ParsedLine[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What was taken out, with ids by the order in which they are named; without what time and place alone decide. */
export function contentsOf(text: string): string[] {
  const numbers = new Map<string, string>();
  return linesOf(text)
    .slice(1, -1)
    .map(({ type, data }) => {
      // Indexing moves a document's time, and what others say that of a memory.
      const { updatedAt, ...rest } = data;
      const kept = type === 'document' || type === 'memory' ? rest : data;
      return JSON.stringify({ type, data: kept }).replace(UUID, (id) => {
        if (!numbers.has(id)) numbers.set(id, `#${numbers.size}`);
        return numbers.get(id) as string;
      });
    });
}

async function upload(client: Client, url: string, fields: Record<string, string>, content: string): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([content]), 'notes.md');
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') as string;
  return made(await client.post(url, Buffer.from(await encoded.arrayBuffer()), { 'content-type': type })).id;
}

export async function newFullWorkspace(api: TestApi) {
  const workspace = await api.newWorkspace('All of it');
  const prompt = await api.newPrompt(workspace, { name: 'Greeting', content: 'Hello {{name}}', config: '{"temperature":0.2}' });
  for (const content of ['Good day {{name}}', 'Hi {{name}}'])
    made(await prompt.runtime.post(`${prompt.url}/versions`, { type: 'text', content, commitMessage: 'Another', meta: '{"by":"ada"}' }));
  const { body } = await prompt.runtime.get(`${prompt.url}/versions`);
  await prompt.runtime.put(`${prompt.url}/versions/${body.versions[1].id}`, { production: true, labels: ['tested'] });
  await prompt.runtime.put(`${prompt.url}/versions/${body.versions[2].id}`, { status: 'archived' });
  const documents = `${workspace.url}/documents`;
  const tea = await upload(
    prompt.runtime,
    documents,
    { title: 'Tea', labels: 'topic=tea;public', externalId: 'tea' },
    '# Tea\n\nGreen tea, 🍵.',
  );
  await upload(prompt.runtime, documents, { title: 'Salt' }, 'Salt is mined in the walrus mountains.');
  const configs = { memoryPipeline: true, memorySubject: 'user' };
  const agent = await api.newAgent(workspace, { name: 'Guide', promptId: prompt.id, kbLabels: { topic: 'tea' }, configs });
  const quiet = await api.newAgent(workspace, { name: 'Quiet' });
  await quiet.runtime.put(quiet.url, { status: 'archived' });

  const first = await api.newSession(agent, 'id=chat-1&user=ada', { title: 'First', meta: '{"channel":"mail"}' });
  await first.runtime.post(`${first.url}/messages`, { role: 'user', content: 'I live in Berlin.', meta: '{"n":1,"__proto__":{"a":1}}' });
  await first.runtime.post(`${first.url}/messages`, { role: 'assistant', content: 'Noted.' });
  await api.extractMemories();
  const second = await api.newSession(agent, 'user=ada&channel=web');
  await second.runtime.post(`${second.url}/messages`, { role: 'user', content: 'I moved to Paris last week. I am allergic to peanuts.' });
  await api.extractMemories();
  const third = await api.newSession(quiet, 'id=chat-1');
  const batch = Array.from({ length: 30 }, (_, n) => ({ role: 'user', content: `The okapi number ${n} eats leaves.` }));
  await third.runtime.post(`${third.url}/messages/batch`, { messages: batch });
  const written = made(await third.runtime.post(`${third.url}/memories`, { kind: 'fact', content: 'Okapis are shy', meta: '{"a":1}' }));
  await third.runtime.put(`${third.url}/memories/${written.id}`, { content: 'Okapis are very shy' });
  await third.runtime.put(`${third.url}`, { status: 'archived' });
  made(await third.runtime.post(`${third.url}/fork`, { title: 'A copy' }));
  await api.drainJobs();
  return { workspace, prompt, agent, quiet, first, second, third, tea, memoryId: written.id as string };
}

/** Piece by piece; `between` comes before the one at a place. */
export async function* inPieces(
  text: string,
  bytes: number,
  between: (at: number) => Promise<void> | void = () => {},
): AsyncGenerator<Buffer> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) {
    await between(at);
    yield all.subarray(at, at + bytes);
  }
}
