import { expect, test } from 'vitest';
import { json, stubFetch } from '../test/stub-fetch.ts';
import { Commonplace } from './commonplace.ts';

const documentIn = (status: string) => json({ id: 'd', filename: 'a.md', status, ...(status === 'failed' && { error: 'It is empty' }) });
const clientOn = (fetch: typeof globalThis.fetch) =>
  new Commonplace({ baseUrl: 'http://service.test', accessKey: 'key', workspaceId: 'w', fetch });

test('a document is waited for until it is indexed', async () => {
  const { fetch, sent } = stubFetch(documentIn('processing'), documentIn('processing'), documentIn('indexed'));
  expect(await clientOn(fetch).documents.waitUntilIndexed('d')).toMatchObject({ status: 'indexed' });
  expect(sent).toHaveLength(3);
});

test('one that failed is an error that says why', async () => {
  const error = await clientOn(stubFetch(documentIn('failed')).fetch)
    .documents.waitUntilIndexed('d')
    .catch((caught) => caught);
  expect(error).toBeInstanceOf(Commonplace.IndexingFailedError);
  expect(error).toMatchObject({ message: 'a.md could not be indexed: It is empty', document: { id: 'd' } });
});

test('the wait ends after timeoutMs, and by its signal', async () => {
  const { documents } = clientOn(stubFetch(documentIn('processing')).fetch);
  await expect(documents.waitUntilIndexed('d', { timeoutMs: 1 })).rejects.toBeInstanceOf(Commonplace.WaitTimeoutError);
  await expect(documents.waitUntilIndexed('d', { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(Commonplace.APIUserAbortError);
  const controller = new AbortController();
  setTimeout(() => controller.abort());
  await expect(documents.waitUntilIndexed('d', { signal: controller.signal })).rejects.toBeInstanceOf(Commonplace.APIUserAbortError);
});

test('memories are waited for until no message is left and nothing is rebuilt', async () => {
  const status = (pending: number, regenerating: boolean) => json({ pending, regenerating, failed: 1 });
  const { fetch, sent } = stubFetch(status(2, false), status(0, true), status(0, false));
  expect(await clientOn(fetch).memories.waitUntilExtracted('a', 's')).toMatchObject({ failed: 1 });
  expect(sent).toHaveLength(3);
});
