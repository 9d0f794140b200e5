import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { LARGEST_FILE_BYTES } from '@commonplace/contract/documents';
import { expect } from 'vitest';
import { type Answer, anId, aTime, type Client, made, refusal, type TestApi, test, walk } from '../../test/api.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';

interface Sent {
  title?: string;
  filename?: string;
  content?: string | Uint8Array<ArrayBuffer>;
  labels?: string;
}

async function send(client: Client, url: string, form: FormData): Promise<Answer> {
  const encoded = new Response(form);
  const contentType = encoded.headers.get('content-type') as string;
  return client.post(url, Buffer.from(await encoded.arrayBuffer()), { 'content-type': contentType });
}

function formOf({ title = 'A title', filename = 'a.md', content = 'Some text.', labels }: Sent = {}): FormData {
  const form = new FormData();
  form.append('title', title);
  form.append('file', new Blob([content]), filename);
  if (labels !== undefined) form.append('labels', labels);
  return form;
}

async function newKnowledge(api: TestApi) {
  const workspace = await api.newWorkspace();
  const runtime = await api.newAccessKey(workspace);
  const url = `${workspace.url}/documents`;
  return {
    workspace,
    runtime,
    url,
    upload: (sent: Sent = {}) => send(runtime, url, formOf(sent)),
    /** Uploaded and indexed. */
    indexed: async (sent: Sent = {}): Promise<Answer['body']> => {
      const { id } = made(await send(runtime, url, formOf(sent)));
      await api.drainJobs();
      const { body } = await runtime.get(`${url}/${id}`);
      expect(body).toMatchObject({ status: 'indexed' });
      return body;
    },
    search: async (query: string, more: Record<string, unknown> = {}): Promise<Answer['body'][]> => {
      const { status, body, text } = await runtime.post(`${url}/search`, { query, ...more });
      expect(status, text).toBe(200);
      return body.results;
    },
  };
}

test('an upload answers every field, and is the same when it is read and listed', async ({ api }) => {
  const { workspace, runtime, url, upload } = await newKnowledge(api);
  const content = '# Tea\n\nGreen 🍵 and black.\n';
  const { status, body } = await upload({ title: ' About tea ', filename: 'tea.MD', content, labels: 'topic=tea; public' });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: anId,
    workspaceId: workspace.id,
    title: 'About tea',
    filename: 'tea.MD',
    contentType: 'text/markdown',
    checksum: createHash('sha256').update(content).digest('hex'),
    size: { value: Buffer.byteLength(content), unit: 'bytes' },
    charCount: [...content].length,
    status: 'processing',
    labels: ['topic=tea', 'public'],
    chunkingStrategy: 'markdown',
    chunkSize: 1200,
    chunkOverlap: 120,
    chunksTotal: 0,
    chunksIndexed: 0,
    createdAt: aTime,
    updatedAt: body.createdAt,
  });
  expect(await runtime.get(`${url}/${body.id}`)).toMatchObject({ status: 200, body });
  expect((await runtime.get(url)).body).toEqual({ documents: [body], _meta: { limit: 50, offset: 0, total: 1 } });

  await api.drainJobs();
  const { body: indexed } = await runtime.get(`${url}/${body.id}`);
  expect(indexed).toEqual({ ...body, status: 'indexed', chunksTotal: 1, chunksIndexed: 1, updatedAt: aTime });
});

test('a plain text', async ({ api }) => {
  const { upload } = await newKnowledge(api);
  const { body } = await upload({ filename: 'C:\\notes\\a.txt', content: 'x' });
  expect(body).toMatchObject({ filename: 'a.txt', contentType: 'text/plain', chunkingStrategy: 'text', labels: [], charCount: 1 });
});

test('what is wrong with an upload is said in the order of the rules, and nothing is kept of it', async ({ api }) => {
  const { workspace, runtime, url, upload } = await newKnowledge(api);
  const tooLarge = new Uint8Array(LARGEST_FILE_BYTES + 1).fill(0x61);
  const broken = new Uint8Array([0x61, 0xff]);
  const refusals: [Sent, string, string][] = [
    [{ filename: 'a.pdf', content: tooLarge, title: '', labels: '_a' }, 'Only .txt and .md files are allowed', 'file'],
    [{ content: tooLarge, title: '', labels: '_a' }, 'File must not exceed 2 MB', 'file'],
    [{ content: broken, title: '', labels: '_a' }, 'File must be valid UTF-8 text', 'file'],
    [{ title: '', labels: '_a' }, 'Title is required', 'title'],
    [{ title: ' \n ', labels: '_a' }, 'Title is required', 'title'],
    [{ title: 'x'.repeat(256), labels: '_a' }, 'Title must not exceed 255 characters', 'title'],
    [{ labels: 'fine,_a=1' }, 'Labels must not use keys starting with _', 'labels'],
  ];
  for (const [sent, message, path] of refusals) expect(await upload(sent), message).toEqual(refusal(400, message, path));

  const withoutFile = new FormData();
  withoutFile.append('labels', '_a');
  expect(await send(runtime, url, withoutFile)).toEqual(refusal(400, 'File is required', 'file'));
  const asText = new FormData();
  asText.append('title', 'A title');
  asText.append('file', 'some text');
  expect(await send(runtime, url, asText)).toEqual(refusal(400, 'File is required', 'file'));
  const withoutTitle = new FormData();
  withoutTitle.append('file', new Blob(['x']), 'a.txt');
  expect(await send(runtime, url, withoutTitle)).toEqual(refusal(400, 'Title is required', 'title'));
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', '']) {
    expect(await runtime.post(url, '{"title":"A title"}', { 'content-type': type })).toMatchObject({
      status: 415,
      body: { errorMessage: 'Content-Type must be multipart/form-data', code: 'unsupported_media_type' },
    });
  }
  expect((await runtime.post(url, 'no form', { 'content-type': 'multipart/form-data; boundary=x' })).status).toBe(400);
  for (const table of ['documents', 'document_contents', 'document_labels', 'chunks']) {
    expect(await api.countRows(table, workspace.id), table).toBe(0);
  }
});

test('a form that is not taken says why', async ({ api }) => {
  const { workspace, runtime, url } = await newKnowledge(api);
  const bytes = new Blob(['Some text.']);
  const fields = (count: number) => Array.from({ length: count }, (_, index): [string, string] => [`field${index}`, 'x']);
  const named = 'The form must not have a field that is named like a property of every object, such as __proto__ or constructor';
  const forms: [(readonly [string, string | Blob])[], string][] = [
    [[['__proto__', 'x']], named],
    [[['constructor', 'x']], named],
    [[['__proto__', bytes]], 'The form must not have more than one file'],
    [[['file', bytes]], 'The form must not have more than one file'],
    [[['other', bytes]], 'The form must not have more than one file'],
    [fields(20), 'The form must not have more than 20 fields and one file'],
  ];
  for (const [added, message] of forms) {
    const form = formOf();
    for (const [name, value] of added) form.append(name, value as string);
    const answer = await send(runtime, url, form);
    expect([answer.status, answer.body.code, answer.body.errorMessage]).toEqual([400, 'bad_request', message]);
  }
  const part = (head: string, value: string) => `--x\r\ncontent-disposition: form-data; name="${head}\r\n\r\n${value}\r\n`;
  const raw: [string, string][] = [
    [`${part('__proto__"; filename="a.md"', 'x')}--x--\r\n`, named],
    [
      `${part('labels"\r\ncontent-type: application/json', '[')}--x--\r\n`,
      'The form has a field that is sent as application/json and is not valid JSON',
    ],
    [part('title"', 'cut off'), 'The form is not valid multipart/form-data'],
  ];
  for (const [body, message] of raw) {
    const answer = await runtime.post(url, body, { 'content-type': 'multipart/form-data; boundary=x' });
    expect([answer.status, answer.body.code, answer.body.errorMessage]).toEqual([400, 'bad_request', message]);
  }
  expect(await api.countRows('documents', workspace.id)).toBe(0);
});

test('a file of exactly 2 MB is accepted, whatever the order of the form, and its bytes come back the same', async ({ api }) => {
  const { runtime, url } = await newKnowledge(api);
  const content = Buffer.alloc(LARGEST_FILE_BYTES, 'é\n');
  const form = new FormData();
  form.append('labels', 'a');
  form.append('file', new Blob([content]), 'large.txt');
  form.append('title', '😀'.repeat(255));
  const { id, ...body } = made(await send(runtime, url, form));
  expect(body).toMatchObject({ title: '😀'.repeat(255), size: { value: LARGEST_FILE_BYTES, unit: 'bytes' }, labels: ['a'] });
  expect(body.charCount).toBe([...content.toString()].length);
  const answer = await api.app.server.inject({ url: `/api/v1${url}/${id}/content`, headers: runtime.headers });
  expect(answer.statusCode).toBe(200);
  expect(answer.rawPayload.equals(content)).toBe(true);
  // Nobody waits for two megabytes of vectors here.
  expect((await runtime.delete(`${url}/${id}`)).status).toBe(204);
});

test.for([
  ['commas', 'b=2, a=1,public,b=2'],
  ['semicolons', ' b=2;a=1 ; public;;a=1'],
  ['a JSON array', '["b=2", " a=1", "public", "b=2"]'],
] as const)('labels sent with %s are kept in order, trimmed and without doubles', async ([, labels], { api }) => {
  const { upload } = await newKnowledge(api);
  expect(made(await upload({ labels }))).toMatchObject({ labels: ['b=2', 'a=1', 'public'] });
});

test.for([
  ['nothing', ''],
  ['white space', ' \r\n\t\u3000'],
  ['a byte order mark', '\ufeff'],
] as const)('a file of %s fails, and says why', async ([, content], { api }) => {
  const { runtime, url, upload, search } = await newKnowledge(api);
  const { id, status } = made(await upload({ content }));
  expect(status).toBe('processing');
  await api.drainJobs();
  const { body } = await runtime.get(`${url}/${id}`);
  expect(body).toMatchObject({ status: 'failed', error: 'The file is empty: there is no text to index', chunksTotal: 0, chunksIndexed: 0 });
  expect((await runtime.get(`${url}?status=failed`)).body.documents).toEqual([body]);
  expect(await search('A title')).toEqual([]);
  expect((await runtime.get(`${url}/${id}/content`)).status).toBe(200);
});

test('the content is a download with its type, its name and a tag', async ({ api }) => {
  const { runtime, url, upload } = await newKnowledge(api);
  const content = '\ufeffText\0 with\r\n🍵';
  const { id, checksum } = made(await upload({ filename: 'naïve tea.md', content }));
  const { status, headers, text } = await runtime.get(`${url}/${id}/content`);
  expect(status).toBe(200);
  expect(text).toBe(content);
  expect(headers).toMatchObject({
    'content-type': 'text/markdown; charset=utf-8',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent('naïve tea.md')}`,
    etag: `"${checksum}"`,
    'cache-control': 'private, no-cache',
  });
  const again = await runtime.get(`${url}/${id}/content`, { 'if-none-match': `"${checksum}"` });
  expect(again).toMatchObject({ status: 304, text: '' });
  expect((await runtime.get(`${url}/${id}/content`, { 'if-none-match': '"other"' })).status).toBe(200);
});

test('a text with NUL in it, in its headings too, is indexed and found on either engine', async ({ api }) => {
  const { indexed, search } = await newKnowledge(api);
  const { id } = await indexed({ content: '# The sam\0ovar\n\nBoils wa\0ter.' });
  expect(await search('boils')).toEqual([
    expect.objectContaining({ documentId: id, heading: 'The sam\ufffdovar', text: '# The sam\ufffdovar\n\nBoils wa\ufffdter.' }),
  ]);
});

test('documents are listed by a label, with a value or bare, and by their status too', async ({ api }) => {
  const { runtime, url, upload } = await newKnowledge(api);
  const english = made(await upload({ title: 'English', labels: 'lang=en;public' })).id;
  const empty = made(await upload({ title: 'Empty', labels: 'lang=en', content: '' })).id;
  await upload({ title: 'French', labels: 'lang=fr' });
  await api.drainJobs();
  const withLabel = async (label: string, more = '') => {
    const { body } = await runtime.get(`${url}?label=${encodeURIComponent(label)}${more}`);
    return { ids: body.documents.map(({ id }: { id: string }) => id), total: body._meta.total };
  };
  expect(await withLabel('lang=en')).toEqual({ ids: [empty, english], total: 2 });
  expect(await withLabel('lang=en', '&limit=1')).toEqual({ ids: [empty], total: 2 });
  expect(await withLabel('public')).toEqual({ ids: [english], total: 1 });
  expect(await withLabel('lang=en', '&status=failed')).toEqual({ ids: [empty], total: 1 });
  expect(await withLabel('lang')).toEqual({ ids: [], total: 0 });
  expect((await withLabel('')).total).toBe(3);
  expect(await runtime.get(`${url}?label=${'x'.repeat(321)}`)).toEqual(refusal(400, 'Label must not exceed 320 characters', 'label'));
});

test('documents are listed newest first, by pages, and by status', async ({ api }) => {
  const { runtime, url, upload } = await newKnowledge(api);
  const ids: string[] = [];
  for (let index = 0; index < 5; index++)
    ids.unshift(made(await upload({ title: `Document ${index}`, content: index === 2 ? '' : 'x' })).id);
  expect((await runtime.get(`${url}?status=processing`)).body._meta.total).toBe(5);
  await api.drainJobs();
  const { rows } = await walk(runtime, url, 'documents', 2);
  expect(rows.map(({ id }) => id)).toEqual(ids);
  expect((await runtime.get(`${url}?limit=2&offset=1`)).body).toMatchObject({
    documents: [{ id: ids[1] }, { id: ids[2] }],
    _meta: { limit: 2, offset: 1, total: 5 },
  });
  const withStatus = async (status: string) => {
    const { body } = await runtime.get(`${url}?status=${status}`);
    return { ids: body.documents.map(({ id }: { id: string }) => id), total: body._meta.total };
  };
  expect(await withStatus('failed')).toEqual({ ids: [ids[2]], total: 1 });
  expect(await withStatus('indexed')).toEqual({ ids: ids.filter((_, index) => index !== 2), total: 4 });
  expect(await withStatus('processing')).toEqual({ ids: [], total: 0 });
  expect((await withStatus('')).total).toBe(5);
  expect(await runtime.get(`${url}?status=done`)).toEqual(refusal(400, 'Status must be one of: processing indexed failed', 'status'));
});

test('a missing document is 404 wherever it is asked for, another workspace’s too', async ({ api }) => {
  const { indexed } = await newKnowledge(api);
  const { runtime, url } = await newKnowledge(api);
  const { id: strange } = await indexed();
  for (const id of [newId(), strange, 'nonsense']) {
    expect(await runtime.get(`${url}/${id}`)).toEqual(refusal(404, 'Document not found'));
    expect(await runtime.get(`${url}/${id}/content`)).toEqual(refusal(404, 'Document not found'));
    expect(await runtime.delete(`${url}/${id}`)).toEqual(refusal(404, 'Document not found'));
    expect(await runtime.post(`${url}/${id}/reindex`)).toEqual(refusal(404, 'Document not found'));
  }
});

test('a hit names its document, its chunk, its score, its text and its labels as a map', async ({ api }) => {
  const { indexed, search } = await newKnowledge(api);
  const content = '# Kitchen\n\n## Tea\n\nSteep the sencha for two minutes.\n\n## Coffee\n\nGrind the beans finely.\n';
  const { id } = await indexed({ title: 'House rules', content, labels: 'room=kitchen,public' });
  const hits = await search('sencha');
  expect(hits[0]).toEqual({
    documentId: id,
    chunkId: `${id}:1`,
    score: expect.any(Number),
    text: '## Tea\n\nSteep the sencha for two minutes.',
    labels: { room: 'kitchen', public: '' },
    title: 'House rules',
    heading: 'Kitchen › Tea',
  });
  const [explained] = await search('sencha', { explain: true });
  expect(explained).toEqual({
    ...hits[0],
    explain: { lexical: expect.any(Number), vector: expect.any(Number), tokens: expect.any(Number), neighbours: 0, signals: {} },
  });
  const { lexical, vector, tokens } = explained.explain;
  expect(lexical + vector + tokens).toBeCloseTo(explained.score, 9);
});

test('scores lie between 0 and 1, the best first, within the limit and above the least', async ({ api }) => {
  const { indexed, search } = await newKnowledge(api);
  const beasts = ['cat', 'dog', 'horse', 'owl', 'trout', 'beetle', 'whale', 'sparrow'];
  await indexed({ content: beasts.map((beast) => `# The ${beast}\n\nA ${beast} needs food, water and some company.`).join('\n\n') });
  const hits = await search('What does an owl eat?', { limit: 100 });
  const scores = hits.map(({ score }) => score);
  expect(hits[0].heading).toBe('The owl');
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  for (const score of scores) {
    expect(score).toBeGreaterThan(0);
    expect(score).toBeLessThanOrEqual(1);
  }
  expect(await search('What does an owl eat?', { limit: 3 })).toEqual(hits.slice(0, 3));
  const least = hits[2].score;
  expect(await search('What does an owl eat?', { minScore: least })).toEqual(hits.filter(({ score }) => score >= least));
  expect(await search('What does an owl eat?', { minScore: 1 })).toEqual(hits.filter(({ score }) => score >= 1));
});

test('every pair of labels that is asked for must be the document’s; a bare word has an empty value', async ({ api }) => {
  const { upload, search } = await newKnowledge(api);
  const content = 'The lighthouse keeper lights the lamp.';
  const labelled = ['lang=en,public,team=a', 'lang=en,team=b', 'lang=de,public', ''];
  const ids: string[] = [];
  for (const labels of labelled) ids.push(made(await upload({ content, labels })).id);
  await api.drainJobs();
  const found = async (labels?: Record<string, string> | null) => {
    const hits = await search('lighthouse', labels === undefined ? {} : { labels });
    return hits.map(({ documentId }) => ids.indexOf(documentId)).sort();
  };
  expect(await found()).toEqual([0, 1, 2, 3]);
  expect(await found(null)).toEqual([0, 1, 2, 3]);
  expect(await found({})).toEqual([0, 1, 2, 3]);
  expect(await found({ lang: 'en' })).toEqual([0, 1]);
  expect(await found({ lang: 'en', team: 'b' })).toEqual([1]);
  expect(await found({ public: '' })).toEqual([0, 2]);
  expect(await found({ public: '', lang: 'de' })).toEqual([2]);
  expect(await found({ lang: 'fr' })).toEqual([]);
  expect(await found({ lang: '' })).toEqual([]);
  expect(await found({ lang: 'EN' })).toEqual([]);
  expect(await found({ lang: 'en', public: 'yes' })).toEqual([]);
});

test('an agent sees the documents that have all of its labels', async ({ api }) => {
  const { workspace, runtime, indexed } = await newKnowledge(api);
  const newAgent = async (kbLabels: Record<string, string>) =>
    made(await runtime.post(`${workspace.url}/agents`, { name: 'An agent', description: 'Reads.', kbLabels })).id;
  await indexed({ title: 'One', content: 'Walrus one.', labels: 'team=support,lang=en' });
  await indexed({ title: 'Two', content: 'Walrus two.', labels: 'team=support,lang=de' });
  await indexed({ title: 'Three', content: 'Walrus three.' });
  const seen = async (kbLabels: Record<string, string>, labels?: Record<string, string>) => {
    const { status, body } = await runtime.post(`${workspace.url}/agents/${await newAgent(kbLabels)}/documents/search`, {
      query: 'walrus',
      ...(labels && { labels }),
    });
    expect(status).toBe(200);
    return body.results.map(({ title }: { title: string }) => title).sort();
  };
  expect(await seen({})).toEqual(['One', 'Three', 'Two']);
  expect(await seen({ team: 'support' })).toEqual(['One', 'Two']);
  expect(await seen({ team: 'support', lang: 'de' })).toEqual(['Two']);
  expect(await seen({ team: 'sales' })).toEqual([]);
  expect(await seen({ team: 'support' }, { lang: 'en' })).toEqual(['One']);
  // A filter narrows, it never widens.
  expect(await seen({ lang: 'de' }, { lang: 'en' })).toEqual([]);
  expect(await runtime.post(`${workspace.url}/agents/${newId()}/documents/search`, { query: 'walrus' })).toEqual(
    refusal(404, 'Agent not found'),
  );
});

test('only what is indexed is found, and what is deleted is gone at once and altogether', async ({ api }) => {
  const { workspace, runtime, url, upload, search } = await newKnowledge(api);
  const { id } = made(await upload({ content: 'The walrus and the carpenter.' }));
  expect(await search('walrus')).toEqual([]);
  await api.drainJobs();
  expect(await search('walrus')).toHaveLength(1);
  expect(await search('a sea mammal with tusks')).toHaveLength(1);
  expect((await runtime.delete(`${url}/${id}`)).status).toBe(204);
  expect(await search('walrus')).toEqual([]);
  expect(await search('a sea mammal with tusks')).toEqual([]);
  expect(await runtime.get(`${url}/${id}`)).toEqual(refusal(404, 'Document not found'));
  expect(await runtime.get(`${url}/${id}/content`)).toEqual(refusal(404, 'Document not found'));
  for (const table of ['documents', 'document_contents', 'document_labels', 'chunks', 'vectors']) {
    expect(await api.countRows(table, workspace.id), table).toBe(0);
  }
});

test('reindexing begins anew: the document is found again once it is indexed', async ({ api }) => {
  const { workspace, runtime, url, indexed, search } = await newKnowledge(api);
  const before = await indexed({ content: '# One\n\nThe walrus.\n\n# Two\n\nThe carpenter.' });
  const hits = await search('walrus');
  const { status, body } = await runtime.post(`${url}/${before.id}/reindex`);
  expect(status).toBe(202);
  expect(body).toEqual({ ...before, status: 'processing', chunksIndexed: 0, updatedAt: aTime });
  expect(await search('walrus')).toEqual([]);
  await api.drainJobs();
  expect((await runtime.get(`${url}/${before.id}`)).body).toEqual({ ...before, updatedAt: aTime });
  expect(await search('walrus')).toEqual(hits);
  expect(await api.countRows('chunks', workspace.id)).toBe(2);
  expect(await api.countRows('vectors', workspace.id)).toBe(2);
});

test('a failed document can be tried again', async ({ api }) => {
  const { runtime, url, upload } = await newKnowledge(api);
  const { id } = made(await upload({ content: '' }));
  await api.drainJobs();
  const { body } = await runtime.post(`${url}/${id}/reindex`);
  expect(body).toMatchObject({ status: 'processing' });
  expect(body).not.toHaveProperty('error');
  await api.drainJobs();
  expect((await runtime.get(`${url}/${id}`)).body).toMatchObject({ status: 'failed', error: expect.stringContaining('empty') });
});

test('a job finds its document deleted, before it begins or meanwhile, and leaves nothing behind', async ({ api }) => {
  const { workspace, runtime, url, upload } = await newKnowledge(api);
  const before = made(await upload());
  expect((await runtime.delete(`${url}/${before.id}`)).status).toBe(204);
  await api.drainJobs();
  const sections = Array.from({ length: 60 }, (_, index) => `# Section ${index}\n\nSomething is said here.`).join('\n\n');
  const during = made(await upload({ content: sections }));
  const draining = api.drainJobs();
  // The first group of chunks is stored: the job is in the middle of it.
  while ((await runtime.get(`${url}/${during.id}`)).body.chunksIndexed === 0) await turn();
  expect((await runtime.delete(`${url}/${during.id}`)).status).toBe(204);
  await draining;
  for (const table of ['documents', 'document_contents', 'chunks', 'vectors', 'jobs']) {
    expect(await api.countRows(table, workspace.id), table).toBe(0);
  }
});

test('progress rises from 0 of all to all, and the chunks are what the offsets say', async ({ api }) => {
  const { workspace, runtime, url, upload } = await newKnowledge(api);
  const content = Array.from({ length: 40 }, (_, index) => `# Section 😀 ${index}\n\nSomething is said here.`).join('\n\n');
  const { id } = made(await upload({ content }));
  const seen = new Set<string>();
  const draining = api.drainJobs();
  for (;;) {
    const { body } = await runtime.get(`${url}/${id}`);
    seen.add(`${body.chunksIndexed} of ${body.chunksTotal}`);
    if (body.status === 'indexed') break;
    expect(body.status).toBe('processing');
    await turn();
  }
  await draining;
  expect([...seen].at(-1)).toBe('40 of 40');
  const done = [...seen].map((progress) => Number.parseInt(progress, 10));
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  const stored = await api.db.query(sql<{ position: number; text: string; start: number; end: number }>`
    select position, text, start_offset as start, end_offset as "end" from chunks
    where workspace_id = ${workspace.id} and document_id = ${id} order by position`);
  expect(stored.map(({ position }) => position)).toEqual(Array.from({ length: 40 }, (_, position) => position));
  for (const { text, start, end } of stored) expect([...content].slice(start, end).join('')).toBe(text);
});

test('a document that no job will come back to is taken up again', async ({ api }) => {
  const { workspace, runtime, url, upload } = await newKnowledge(api);
  const { id } = made(await upload({ content: 'The walrus.' }));
  await api.db.run(sql`delete from jobs where workspace_id = ${workspace.id}`);
  await api.drainJobs();
  expect((await runtime.get(`${url}/${id}`)).body.status).toBe('processing');
  api.clock.advance(11 * 60_000);
  await api.app.jobRunner.schedulePeriodic();
  await api.drainJobs();
  expect((await runtime.get(`${url}/${id}`)).body.status).toBe('indexed');
});

test('a document whose job was given up, because its process was killed too often, fails with that reason', async ({ api }) => {
  const { workspace, runtime, url, upload } = await newKnowledge(api);
  const { id } = made(await upload({ content: 'The walrus.' }));
  const failedAt = new Date(api.clock.nowMs() + 1_000).toISOString();
  await api.db.run(sql`
    update jobs set state = 'failed', failed_at = ${failedAt}, last_error = 'The process that ran the job stopped' where workspace_id = ${workspace.id}`);
  api.clock.advance(11 * 60_000);
  await api.app.jobRunner.schedulePeriodic();
  await api.drainJobs();
  const failed = { status: 'failed', error: 'The process that ran the job stopped' };
  expect((await runtime.get(`${url}/${id}`)).body).toMatchObject(failed);
  // A person may try again; what was given up before is no reason to give up now.
  expect((await runtime.post(`${url}/${id}/reindex`)).status).toBe(202);
  await api.drainJobs();
  expect((await runtime.get(`${url}/${id}`)).body.status).toBe('indexed');
});

test('uploads, deletions and indexing again are in the audit', async ({ api }) => {
  const { workspace, runtime, url, indexed } = await newKnowledge(api);
  const { id } = await indexed({ title: 'A title', filename: 'a.txt' });
  await runtime.post(`${url}/${id}/reindex`);
  await runtime.delete(`${url}/${id}`);
  const { body } = await workspace.owner.get(`${workspace.url}/audits`);
  const ofDocument = body.audits.filter(({ resourceId }: { resourceId: string }) => resourceId === id);
  expect(ofDocument.map(({ action }: { action: string }) => action)).toEqual(['document.delete', 'document.reindex', 'document.create']);
});

test('documents and chunks are counted in the statistics of the workspace', async ({ api }) => {
  const { workspace, runtime, indexed } = await newKnowledge(api);
  await indexed({ content: '# One\n\na\n\n# Two\n\nb' });
  expect((await runtime.get(`${workspace.url}/stats`)).body).toMatchObject({ documents: 1, chunks: 2 });
});

test('a search ends with the best hits that fit an answer, labels counted', { timeout: 120_000 }, async ({ api }) => {
  const { runtime, url, indexed } = await newKnowledge(api);
  const content = Array.from({ length: 100 }, (_, index) => `# Section ${index}\n\nTea number ${index} is steeped.`).join('\n\n');
  const labels = JSON.stringify(Array.from({ length: 100 }, (_, index) => `${index}=${'🫖'.repeat(240)}`));
  await indexed({ filename: 'tea.md', content, labels });
  const { status, body, text } = await runtime.post(`${url}/search`, { query: 'tea that is steeped', limit: 100 });
  expect(status).toBe(200);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_001_000);
  expect(body.results.length).toBeGreaterThan(50);
  expect(body.results.length).toBeLessThan(100);
});
