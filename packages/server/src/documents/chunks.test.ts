/** The chunks of a document, with their places in its text. */
import { expect } from 'vitest';
import { type Answer, refusal, test, walk } from '../../test/api.ts';
import { newKnowledge } from '../../test/documents.ts';
import { openWithEndpoint } from '../../test/embeddings-endpoint.ts';

/** What a page reads of the stored file, by code points. */
const codePointsOf = (file: Answer) => [...new TextDecoder().decode(Buffer.from(file.text))];

const sentence = 'The 🫖 whistles, and “naïve” guests 👩‍👩‍👧 arrive at the café. ';

test.for([
  [
    'Markdown',
    'a.md',
    `# Tea 🍵\r\n\r\n${sentence.repeat(60)}\r\n\r\n## Rules\n\n- one\n- two\n\n\`\`\`\n${'x = "🫖"\n'.repeat(300)}\`\`\`\n`,
  ],
  ['plain text', 'a.txt', `${sentence.repeat(80)}\n\n${'𝄞'.repeat(3_000)}\n\n\n  indented, and then some  \n`],
  ['text with NUL', 'a.txt', `Before\0after. ${sentence.repeat(40)}`],
  ['text after a byte order mark', 'a.md', `\u{feff}# Tea\n\n${sentence.repeat(40)}`],
] as const)('%s: what stands from start to end is the chunk', async ([, filename, content], { api }) => {
  const { indexed, runtime, url } = await newKnowledge(api);
  const { id, chunksTotal } = await indexed({ filename, content });
  const { rows: chunks } = await walk(runtime, `${url}/${id}/chunks`, 'chunks', 2);
  expect(chunks.length).toBeGreaterThan(1);
  expect(chunks).toHaveLength(chunksTotal);
  const text = codePointsOf(await runtime.get(`${url}/${id}/content`));
  for (const [index, chunk] of chunks.entries()) {
    const { start, end, text: shown } = chunk;
    expect(text.slice(start, end).join('').replaceAll('\0', '\ufffd')).toBe(shown);
    expect(chunk).toMatchObject({ id: `${id}:${index}`, index, indexed: true });
    // Nothing but white space is left out, and what is in two chunks is in both alike.
    const before = chunks[index - 1]?.end ?? 0;
    expect(text.slice(before, Math.max(before, start)).join('').trim()).toBe('');
  }
  expect(text.slice(chunks.at(-1)?.end).join('').trim()).toBe('');
});

test('prose overlaps, and its overlap is in both places', async ({ api }) => {
  const { indexed, runtime, url } = await newKnowledge(api);
  const numbered = Array.from({ length: 120 }, (_, index) => `Guest number ${index} drinks a cup of 🍵.`).join(' ');
  const { id } = await indexed({ filename: 'a.txt', content: numbered });
  const { body } = await runtime.get(`${url}/${id}/chunks`);
  const text = [...numbered];
  const overlaps = body.chunks.slice(1).map((chunk: Answer['body'], index: number) => {
    const before = body.chunks[index];
    expect(chunk.start).toBeLessThan(before.end);
    return [
      before.text.endsWith(text.slice(chunk.start, before.end).join('')),
      chunk.text.startsWith(text.slice(chunk.start, before.end).join('')),
    ];
  });
  expect(overlaps.length).toBeGreaterThan(1);
  expect(overlaps.flat()).not.toContain(false);
  expect(body._meta).toMatchObject({ total: body.chunks.length });
});

test('while a file is replaced, the chunks are those that are found; a refused one has no vector', async () => {
  const { api, endpoint } = await openWithEndpoint();
  const { indexed, upload, runtime, url, search } = await newKnowledge(api);
  endpoint.fault = 'picky';
  const chunksOf = async (id: string) => (await runtime.get(`${url}/${id}/chunks`)).body.chunks;
  const { id } = await indexed({ externalId: 'x', content: '# Old\n\nThe walrus.\n\n# Salt\n\nThe forbidden salt.' });
  const old = [
    { id: `${id}:0`, index: 0, start: 0, end: 18, heading: 'Old', text: '# Old\n\nThe walrus.', indexed: true },
    { id: `${id}:1`, index: 1, start: 20, end: 47, heading: 'Salt', text: '# Salt\n\nThe forbidden salt.', indexed: false },
  ];
  expect(await chunksOf(id)).toEqual(old);
  expect((await upload({ externalId: 'x', content: '# New\n\nThe carpenter.' })).status).toBe(200);
  expect(await chunksOf(id)).toEqual(old);
  expect((await search('walrus'))[0]).toMatchObject({ chunkId: old[0]?.id, text: old[0]?.text });
  await api.drainJobs();
  expect(await chunksOf(id)).toMatchObject([{ text: '# New\n\nThe carpenter.', indexed: true }]);
  // A replacement that fails leaves what is found.
  expect((await upload({ externalId: 'x', content: ' \n' })).status).toBe(200);
  await api.drainJobs();
  expect(await chunksOf(id)).toMatchObject([{ text: '# New\n\nThe carpenter.', indexed: true }]);
});

test('of a document that was never indexed the chunks are those that were cut, and of none it is 404', async ({ api }) => {
  const { upload, runtime, url, workspace } = await newKnowledge(api);
  const { body: document } = await upload({ content: 'Some text.' });
  expect((await runtime.get(`${url}/${document.id}/chunks`)).body).toEqual({ chunks: [], _meta: { limit: 50, offset: 0, total: 0 } });
  await api.drainJobs();
  expect((await runtime.get(`${url}/${document.id}/chunks`)).body.chunks).toHaveLength(1);
  expect(await runtime.get(`${url}/${workspace.id}/chunks`)).toEqual(refusal(404, 'Document not found'));
  const elsewhere = await newKnowledge(api);
  expect(await elsewhere.runtime.get(`${elsewhere.url}/${document.id}/chunks`)).toEqual(refusal(404, 'Document not found'));
  expect(await runtime.get(`${url}/${document.id}/chunks?cursor=IngiCg`)).toEqual(
    refusal(400, 'Cursor must be one that a page of this list gave', 'cursor'),
  );
  expect((await runtime.delete(`${url}/${document.id}`)).status).toBe(204);
  expect(await runtime.get(`${url}/${document.id}/chunks`)).toEqual(refusal(404, 'Document not found'));
});
