/** Documents by the caller's own id, as they are uploaded, listed and deleted. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { aTime, atOnce, made, refusal, test } from '../../test/api.ts';
import { newKnowledge } from '../../test/documents.ts';
import { newId } from '../db/ids.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('an upload with an id of its own answers it, everywhere; one without answers none', async ({ api }) => {
  const { runtime, url, upload } = await newKnowledge(api);
  const named = made(await upload({ externalId: 'Handbook/ä b%20c.md' }));
  expect(named).toMatchObject({ externalId: 'Handbook/ä b%20c.md', status: 'processing' });
  const unnamed = made(await upload());
  expect(unnamed).not.toHaveProperty('externalId');
  expect((await runtime.get(`${url}/${named.id}`)).body).toEqual(named);
  expect((await runtime.get(url)).body.documents).toEqual([unnamed, named]);
});

test('the same bytes again are the document as it is: nothing is written, and nothing is indexed', async ({ api }) => {
  const { workspace, upload, indexed, rows } = await newKnowledge(api);
  const sent = { externalId: 'tea', content: '# Tea\n\nSteep it.', labels: 'topic=tea' };
  const document = await indexed(sent);
  expect(await upload(sent)).toMatchObject({ status: 200, body: document });
  expect(await upload({ ...sent, labels: ' topic=tea ; topic=tea' })).toMatchObject({ status: 200, body: document });
  expect(await rows()).toMatchObject({ documents: 1, chunks: 1, jobs: 0, former_texts: 0 });
  expect((await workspace.owner.get(`${workspace.url}/audits?action=document.update`)).body.audits).toEqual([]);
});

test('changed labels of the same bytes are in force at once, and nothing is indexed again', async ({ api }) => {
  const { workspace, upload, indexed, search, rows } = await newKnowledge(api);
  const sent = { externalId: 'tea', content: 'Steep the walrus tea.' };
  const before = await indexed({ ...sent, labels: 'lang=en' });
  expect(await search('walrus', { labels: { lang: 'en' } })).toHaveLength(1);
  const { status, body } = await upload({ ...sent, labels: 'lang=de,new', filename: 'tea.md' });
  expect(status).toBe(200);
  expect(body).toEqual({ ...before, labels: ['lang=de', 'new'], filename: 'tea.md', updatedAt: aTime });
  expect(await rows()).toMatchObject({ jobs: 0, former_texts: 0 });
  expect(await search('walrus', { labels: { lang: 'en' } })).toEqual([]);
  expect(await search('walrus', { labels: { lang: 'de', new: '' } })).toMatchObject([
    { documentId: before.id, labels: { lang: 'de', new: '' } },
  ]);
  expect(await upload(sent), 'labels that are not sent stay').toMatchObject({ body: { labels: ['lang=de', 'new'], filename: 'a.md' } });
  expect(await upload({ ...sent, labels: '' })).toMatchObject({ status: 200, body: { labels: [], filename: 'a.md' } });
  const { body: audits } = await workspace.owner.get(`${workspace.url}/audits?action=document.update`);
  expect(audits.audits).toHaveLength(3);
  expect(audits.audits[0]).toMatchObject({ resourceId: before.id, detail: { externalId: 'tea', title: 'A title' } });
});

test('labels that change while the document is being indexed do not begin it anew', async ({ api }) => {
  const { upload, search, read } = await newKnowledge(api);
  const sent = { externalId: 'tea', content: 'The walrus.' };
  const { id } = made(await upload({ ...sent, labels: 'lang=en' }));
  expect(await upload({ ...sent, labels: 'lang=de' })).toMatchObject({
    status: 200,
    body: { id, status: 'processing', labels: ['lang=de'] },
  });
  await api.drainJobs();
  expect(await read(id)).toMatchObject({ status: 'indexed', chunksTotal: 1, chunksIndexed: 1 });
  expect(await search('walrus', { labels: { lang: 'de' } })).toHaveLength(1);
});

test.for([
  ['bytes', { content: 'The carpenter.' }],
  ['title', { title: 'Another title' }],
  ['type', { filename: 'a.txt' }],
] as const)('other %s: the document is replaced under its id, by what was sent', async ([, change], { api }) => {
  const { workspace, runtime, url, upload, indexed } = await newKnowledge(api);
  const sent = { externalId: 'one', title: 'A title', filename: 'a.md', content: 'The walrus.', labels: 'a' };
  const before = await indexed(sent);
  const now = { ...sent, ...change, labels: 'b' };
  const { status, body } = await upload(now);
  expect(status).toBe(200);
  const isMarkdown = now.filename.endsWith('.md');
  expect(body).toEqual({
    ...before,
    title: now.title,
    filename: now.filename,
    contentType: isMarkdown ? 'text/markdown' : 'text/plain',
    chunkingStrategy: isMarkdown ? 'markdown' : 'text',
    checksum: sha256(now.content),
    size: { value: now.content.length, unit: 'bytes' },
    charCount: now.content.length,
    labels: ['b'],
    status: 'processing',
    chunksTotal: 0,
    chunksIndexed: 0,
    updatedAt: aTime,
  });
  expect((await runtime.get(`${url}/${before.id}/content`)).text).toBe(now.content);
  expect((await runtime.get(url)).body).toMatchObject({ documents: [{ id: before.id }], _meta: { total: 1 } });
  await api.drainJobs();
  expect((await runtime.get(`${url}/${before.id}`)).body).toEqual({
    ...body,
    status: 'indexed',
    chunksTotal: 1,
    chunksIndexed: 1,
    updatedAt: aTime,
  });
  const { body: audits } = await workspace.owner.get(`${workspace.url}/audits?action=document.replace`);
  expect(audits.audits).toMatchObject([{ resourceId: before.id, detail: { title: now.title, filename: now.filename, externalId: 'one' } }]);
});

test('the list is filtered by the id, which is compared as it is', async ({ api }) => {
  const { runtime, url, upload } = await newKnowledge(api);
  const { upload: elsewhere } = await newKnowledge(api);
  const ids = ['a/b.md', 'A/B.md', 'a/b.md ', '*', 'a&b=c'];
  const documents = [];
  for (const externalId of ids) documents.push(made(await upload({ externalId })));
  made(await elsewhere({ externalId: 'a/b.md' }));
  made(await elsewhere({ externalId: 'there' }));
  for (const [index, externalId] of ids.entries()) {
    const { body } = await runtime.get(`${url}?externalId=${encodeURIComponent(externalId)}`);
    expect(body).toEqual({ documents: [documents[index]], _meta: { limit: 50, offset: 0, total: 1 } });
  }
  const none = { documents: [], _meta: { limit: 50, offset: 0, total: 0 } };
  expect((await runtime.get(`${url}?externalId=there`)).body).toEqual(none);
  expect((await runtime.get(`${url}?externalId=*&status=indexed`)).body).toEqual(none);
  // A script whose variable is unset must not take the first document of all for its own.
  expect(await runtime.get(`${url}?externalId=`)).toEqual(refusal(400, 'External id is required', 'externalId'));
});

test('a document is deleted by its id, and nothing else', async ({ api }) => {
  const { workspace, runtime, url, indexed, upload, search, rows } = await newKnowledge(api);
  const { id } = await indexed({ externalId: 'a b', content: 'The walrus.' });
  const other = await indexed({ externalId: 'other', content: 'The carpenter.' });
  const deletion = `${url}?externalId=${encodeURIComponent('a b')}`;
  expect((await runtime.delete(deletion)).status).toBe(204);
  expect((await search('walrus')).map(({ documentId }) => documentId)).toEqual([other.id]);
  expect(await runtime.delete(deletion)).toEqual(refusal(404, 'Document not found'));
  expect((await runtime.get(url)).body.documents).toEqual([other]);
  expect(await rows()).toMatchObject({ documents: 1, document_contents: 1, chunks: 1, vectors: 1 });
  // Its id is free.
  expect(made(await upload({ externalId: 'a b' })).id).not.toBe(id);
  const { body } = await workspace.owner.get(`${workspace.url}/audits?action=document.delete`);
  expect(body.audits).toMatchObject([{ resourceId: id }]);
});

test('what can’t be an id is refused', async ({ api }) => {
  const { runtime, url, upload } = await newKnowledge(api);
  const stranger = await newKnowledge(api);
  made(await stranger.upload({ externalId: 'theirs' }));
  expect(await upload({ externalId: '' })).toEqual(refusal(400, 'External id is required', 'externalId'));
  expect(await upload({ externalId: 'x'.repeat(256) })).toEqual(refusal(400, 'External id must not exceed 255 characters', 'externalId'));
  expect(await upload({ externalId: 'a\0b' })).toMatchObject({ status: 400 });
  // What a form's parser makes of bytes that are no UTF-8.
  expect(await upload({ externalId: 'a\ufffd' })).toEqual(refusal(400, 'External id must be valid UTF-8 text', 'externalId'));
  expect((await upload({ externalId: '😀'.repeat(255) })).status).toBe(201);
  expect(await runtime.delete(url)).toEqual(refusal(400, 'External id is required', 'externalId'));
  expect(await runtime.delete(`${url}?externalId=`)).toEqual(refusal(400, 'External id is required', 'externalId'));
  expect(await runtime.delete(`${url}?externalId=a&externalId=b`)).toMatchObject({ status: 400 });
  expect(await runtime.delete(`${url}?externalId=${'x'.repeat(256)}`)).toMatchObject({ status: 400 });
  expect(await runtime.get(`${url}?externalId=${'x'.repeat(256)}`)).toMatchObject({ status: 400 });
  expect(await runtime.delete(`${url}?externalId=theirs`)).toEqual(refusal(404, 'Document not found'));
});

test('of many uploads with one id at once, one makes the document and the last to write decides what is found', async ({ api }) => {
  const { upload, runtime, url, search, rows } = await newKnowledge(api);
  const { answers, statuses } = await atOnce(12, (index) =>
    upload({ externalId: 'one', content: `The walrus ${index}.` }, index % 2 === 0 ? {} : { 'idempotency-key': newId() }),
  );
  expect(statuses).toEqual({ 200: 11, 201: 1 });
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  await api.drainJobs();
  const { body } = await runtime.get(url);
  expect(body.documents).toMatchObject([{ status: 'indexed', chunksTotal: 1, chunksIndexed: 1 }]);
  const hits = await search('walrus');
  expect(hits.map(({ text }) => sha256(text))).toEqual([body.documents[0].checksum]);
  expect(await rows()).toEqual({ documents: 1, document_contents: 1, chunks: 1, vectors: 1, former_texts: 0, jobs: 0 });
});

test('an upload is repeated with its Idempotency-Key, whatever was uploaded since', async ({ api }) => {
  const { upload, read } = await newKnowledge(api);
  const headers = { 'idempotency-key': newId() };
  const first = await upload({ externalId: 'one', content: 'First.' }, headers);
  expect(first.status).toBe(201);
  expect((await upload({ externalId: 'one', content: 'Second.' })).status).toBe(200);
  const again = await upload({ externalId: 'one', content: 'First.' }, headers);
  expect(again).toMatchObject({ status: 201, body: first.body });
  expect(await read(first.body.id)).toMatchObject({ checksum: sha256('Second.') });
});
