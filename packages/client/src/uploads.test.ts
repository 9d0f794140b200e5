import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CommonplaceError } from './errors.ts';
import { progressBody } from './progress.ts';
import { formOf, type UploadSource } from './uploads.ts';

const text = '# Größe\n\nWithin 30 days.';
const bytes = new TextEncoder().encode(text);
const folder = mkdtempSync(join(tmpdir(), 'commonplace-upload-'));
const path = join(folder, 'returns.md');
writeFileSync(path, text);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const halves = async function* () {
  yield bytes.slice(0, 9);
  yield new TextDecoder().decode(bytes.slice(9));
};

/** As whoever receives it reads it. */
async function read(source: UploadSource, fields: Parameters<typeof formOf>[1] = {}): Promise<Record<string, string>> {
  const { bytes: body, contentType } = await formOf(source, fields);
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
  const file = form.get('file') as File;
  const texts = [...form].filter(([, value]) => typeof value === 'string') as [string, string][];
  return { ...Object.fromEntries(texts), filename: file.name, content: await file.text() };
}

const sources: [string, UploadSource][] = [
  ['path', path],
  ['File', new File([text], 'returns.md')],
  ['Blob', new Blob([text])],
  ['Uint8Array', bytes],
  ['part of a buffer', new Uint8Array([0, ...bytes, 0]).subarray(1, bytes.length + 1)],
  ['ArrayBuffer', bytes.slice().buffer],
  ['ReadableStream', new Blob([text]).stream()],
  ['async iterable', halves()],
];

test.for(sources)('from a %s', async ([, source]) => {
  expect(await read(source, { filename: 'returns.md', labels: ['team=support', 'a,b'] })).toEqual({
    title: 'returns.md',
    labels: '["team=support","a,b"]',
    filename: 'returns.md',
    content: text,
  });
});

test('a path, a File and a file that is streamed have names of their own', async () => {
  expect(await read(path, { title: 'Returns' })).toMatchObject({ title: 'Returns', filename: 'returns.md' });
  expect(await read(new File([text], 'named.txt'))).toMatchObject({ title: 'named.txt', filename: 'named.txt' });
  expect(await read(createReadStream(path))).toMatchObject({ filename: 'returns.md', content: text });
  // Bun gives a File the path that it was opened by.
  expect(await read(new File([text], 'folder/named.txt'))).toMatchObject({ filename: 'named.txt' });
  await expect(read(bytes)).rejects.toThrow('filename is required');
});

test('a name can’t break the form', async () => {
  const form = await formOf(bytes, { filename: 'a"; name="title\r\n.md' });
  expect(new TextDecoder().decode(form.bytes)).toContain('filename="a%22; name=%22title%0D%0A.md"');
});

test('2 MB are taken, a byte more is not, and a stream without end is not read to it', async () => {
  const largest = new Uint8Array(2_097_152);
  expect((await formOf(largest, { filename: 'a.txt' })).bytes.length).toBeGreaterThan(largest.length);
  await expect(formOf(new Uint8Array(2_097_153), { filename: 'a.txt' })).rejects.toThrow('File must not exceed 2 MB');
  let isOver = false;
  const endless = async function* () {
    try {
      for (;;) yield new Uint8Array(65_536);
    } finally {
      isOver = true;
    }
  };
  await expect(formOf(endless(), { filename: 'a.txt' })).rejects.toThrow('File must not exceed 2 MB');
  expect(isOver).toBe(true);
});

test('a path that is not there is an error', async () => {
  const missing = await formOf(join(folder, 'missing.md'), {}).catch((error) => error);
  expect(missing).toBeInstanceOf(CommonplaceError);
  expect(missing.message).toMatch(/missing\.md can’t be read: ENOENT/);
});

test('progress is what was taken from the stream, and a retry begins again', async () => {
  const seen: number[] = [];
  const upload = { bytes: new Uint8Array(150_000), onProgress: ({ sentBytes }: { sentBytes: number }) => seen.push(sentBytes) };
  for (const _ of [1, 2]) {
    const reader = (progressBody(upload, true).body as ReadableStream<Uint8Array>).getReader();
    expect(seen.splice(0)).toEqual([0]);
    await reader.read();
    expect(seen.splice(0)).toEqual([]);
    await reader.read();
    expect(seen.splice(0)).toEqual([65_536]);
    await reader.read();
    expect((await reader.read()).done).toBe(true);
    expect(seen.splice(0)).toEqual([131_072, 150_000]);
  }
});
