/** What is otherwise in a browser. */
import { afterEach, expect, test, vi } from 'vitest';
import { json, stubFetch } from '../test/stub-fetch.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

async function inBrowser(fetch: typeof globalThis.fetch) {
  vi.stubGlobal('document', {});
  vi.stubGlobal('process', undefined);
  vi.resetModules();
  const { Commonplace } = await import('./commonplace.ts');
  return new Commonplace({ baseUrl: 'http://service.test', accessKey: 'key', workspaceId: 'w', fetch });
}

test('the version goes in a header that browsers let pass', async () => {
  const { fetch, sent } = stubFetch(json({ id: 'a' }));
  await (await inBrowser(fetch)).agents.get('a');
  expect(Object.keys(sent[0]?.headers ?? {})).toEqual(['accept', 'x-commonplace-client', 'x-access-key']);
});

test('an upload is sent in one piece, and its progress told at the beginning and at the end', async () => {
  const seen: [number, number][] = [];
  const { fetch, sent } = stubFetch(json({ id: 'd' }));
  const client = await inBrowser(fetch);
  const onProgress = ({ sentBytes, totalBytes }: { sentBytes: number; totalBytes: number }) => seen.push([sentBytes, totalBytes]);
  await client.documents.upload(new Blob(['x'.repeat(200_000)]), { filename: 'a.txt', onProgress });
  const body = sent[0]?.body as Uint8Array | undefined;
  const length = body?.length;
  expect(seen).toEqual([
    [0, length],
    [length, length],
  ]);
});
