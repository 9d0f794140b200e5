import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { markdown } from './markdown.ts';
import { folderOf, itemsOf, read } from './read-for-test.ts';

test('a folder of texts, by their paths', async () => {
  const folder = folderOf({
    'a.md': '# Refunds\n\nFive days.',
    'deep/b.txt': '\uFEFFNote\r\n',
    'c.png': 'x',
    'empty.md': ' \n',
    'bad.txt': Buffer.from([0xff]),
    '.hidden.md': 'x',
  });
  symlinkSync('/etc/hostname', join(folder, 'out.txt'));
  const { documents, problems } = await read(markdown, folder);
  expect(documents).toMatchObject([
    { externalId: 'a.md', title: 'Refunds', filename: 'a.md', labels: [], createdAt: '2026-02-03T04:05:06.000Z' },
    { externalId: 'deep/b.txt', title: 'b', filename: 'b.txt' },
  ]);
  expect(Buffer.from(documents[0].content, 'base64').toString()).toBe('# Refunds\n\nFive days.');
  expect(problems.map((problem) => problem.split(':')[0])).toEqual(['.hidden.md', 'bad.txt', 'empty.md', 'out.txt']);
  await expect(itemsOf(markdown, join(folder, 'a.md'))).rejects.toThrow('is no folder');
});
