import { expect, test } from 'vitest';
import type { FolderFile, LeftOut } from './folder.ts';
import { titleOf } from './folder.ts';
import { planSync, type SyncedDocument } from './plan.ts';

const file = (path: string, checksum = path): FolderFile => ({ path, externalId: `f:${path}`, checksum, title: path });
const document = (path: string, changes: Partial<SyncedDocument> = {}): SyncedDocument => ({
  id: `id of ${path}`,
  externalId: `f:${path}`,
  checksum: path,
  title: path,
  labels: [],
  status: 'indexed',
  ...changes,
});
const plan = (files: FolderFile[], documents: SyncedDocument[], leftOut: LeftOut[] = []) =>
  planSync('f:', { files, leftOut }, documents, []);
const many = (count: number) => Array.from({ length: count }, (_, index) => document(`${index}`));

test('what is as it was stays; what differs in its bytes, its title or its labels is uploaded', () => {
  const files = ['same', 'bytes', 'title', 'labels', 'new'].map((path) => file(path));
  const documents = [
    document('same'),
    document('bytes', { checksum: 'x' }),
    document('title', { title: 'x' }),
    document('labels', { labels: ['x'] }),
  ];
  const { uploads, unchanged, deletions, doubt } = plan(files, documents);
  expect(uploads.map(({ file: { path }, kind }) => `${kind} ${path}`)).toEqual([
    'changed bytes',
    'changed title',
    'changed labels',
    'new new',
  ]);
  expect({ unchanged, deletions, doubt }).toEqual({ unchanged: 1, deletions: [], doubt: undefined });
});

test('one that could not be indexed is tried again; one that is still on its way is not', () => {
  const { failed, unchanged } = plan(
    [file('a'), file('b')],
    [document('a', { status: 'failed' }), document('b', { status: 'processing' })],
  );
  expect(failed.map(({ path }) => path)).toEqual(['a']);
  expect(unchanged).toBe(1);
});

test('a text is moved where it arrives under another name, and deleted where it was there all along', () => {
  const twin = plan([file('b', 'same')], [document('a', { checksum: 'same' }), document('b', { checksum: 'same', title: 'b' })]);
  expect(twin.deletions).toMatchObject([{ path: 'a', movedTo: undefined }]);
  const moved = plan([file('b', 'same'), file('c')], [document('a', { checksum: 'same' }), document('c')]);
  expect(moved.deletions).toMatchObject([{ path: 'a', movedTo: { file: { path: 'b' }, documentId: undefined } }]);
  const arriving = plan(
    [file('b', 'same')],
    [document('a', { checksum: 'same' }), document('b', { checksum: 'same', status: 'processing' })],
  );
  expect(arriving.deletions).toMatchObject([{ path: 'a', movedTo: { documentId: 'id of b' } }]);
  expect(arriving.doubt).toBeUndefined();
});

test('what could not be read is not taken for deleted, nor anything below it', () => {
  const left = (path: string, hasText: boolean): LeftOut => ({ path, hasText, reason: '', isFailure: false });
  const documents = ['large.md', 'locked/a.md', 'locked.md', 'empty.md', 'cafe\u0301.md'.normalize('NFC')].map((path) => document(path));
  const { deletions } = plan([], documents, [
    left('large.md', true),
    left('locked/', true),
    left('empty.md', false),
    left('cafe\u0301.md', true),
  ]);
  expect(deletions.map(({ path }) => path)).toEqual(['locked.md', 'empty.md']);
});

test.for([
  [1, 1, true],
  [20, 20, true],
  [20, 11, true],
  [22, 11, false],
  [20, 10, false],
  [10, 9, true],
  [4, 3, false],
] as const)('of %d documents %d go: in doubt %s', ([total, gone, isInDoubt]) => {
  const { doubt } = plan(
    many(total)
      .slice(gone)
      .map(({ title }) => file(title)),
    many(total),
  );
  expect(doubt !== undefined).toBe(isInDoubt);
});

test('the title is the first heading of the first level, or the name of the file', () => {
  expect(titleOf('a/b.c.md', 'Intro\n\n## Two\n\n# One #\n')).toBe('One');
  expect(titleOf('a/b.c.md', '```\n# no heading\n```\n')).toBe('b.c');
  expect(titleOf('a/b.txt', '# no heading')).toBe('b');
  expect(titleOf('a/b.md', '#\n\ntext')).toBe('b');
  expect(titleOf('a/ .md', 'text'), 'a title is never blank').toBe(' .md'.trim());
  expect([...titleOf('a.md', `# ${'😀'.repeat(300)}`)]).toHaveLength(255);
});
