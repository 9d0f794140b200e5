import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findDifference, writeManifest } from '../../../scripts/fresh-bundle.ts';
import { temporaryFolder } from '../src/cli/spawn-for-test.ts';

const LONG_AGO = new Date('2026-01-01');

/** Two sources, a folder that is read as one, what is installed, and a bundle of them. */
function newBundle() {
  const root = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('src/main.ts', 'one');
  write('src/other.ts', 'two');
  write('src/migrations/0001_first.sql', 'create');
  write('node_modules/.package-lock.json', '{"fastify":"5.0.0"}');
  write('bundle/app/main.js', 'one, two');
  const bundle = join(root, 'bundle');
  const files = ['src/main.ts', 'src/other.ts', 'node_modules/.package-lock.json'].map((path) => join(root, path));
  // Later than everything that was written.
  const readSinceMs = Math.max(...[...files, bundle].map((file) => statSync(file).ctimeMs)) + 1;
  writeManifest(bundle, root, { files, folders: [join(root, 'src/migrations')], readSinceMs });
  return { root, bundle, files, write, difference: () => findDifference(bundle, root) };
}

test('a bundle of the sources as they are is fresh, wherever they are', () => {
  const { root, difference } = newBundle();
  expect(difference()).toBeUndefined();
  const copy = join(temporaryFolder(), 'copy');
  cpSync(root, copy, { recursive: true });
  expect(findDifference(join(copy, 'bundle'), copy)).toBeUndefined();
});

test.each<[string, (root: string) => void]>([
  ['touched', (root) => utimesSync(join(root, 'src/main.ts'), new Date(), new Date())],
  [
    'replaced by one with the same text',
    (root) => {
      cpSync(join(root, 'src/main.ts'), join(root, 'copy.ts'));
      renameSync(join(root, 'copy.ts'), join(root, 'src/main.ts'));
    },
  ],
  ['joined by one that nothing imports', (root) => writeFileSync(join(root, 'src/new.ts'), '')],
])('a source that was only %s makes no difference', (_what, change) => {
  const { root, difference } = newBundle();
  change(root);
  expect(difference()).toBeUndefined();
});

describe('what was changed is named', () => {
  test.each<[string, string, (file: string) => void]>([
    ['a source that is longer', 'src/main.ts', (file) => appendFileSync(file, ' more')],
    ['a source of the same length', 'src/main.ts', (file) => writeFileSync(file, 'eno')],
    ['a source that is gone', 'src/other.ts', (file) => rmSync(file)],
    ['a file of a folder', 'src/migrations/0001_first.sql', (file) => writeFileSync(file, 'drop')],
    ['another version of a package', 'node_modules/.package-lock.json', (file) => writeFileSync(file, '{"fastify":"5.0.1"}')],
    ['a part of the bundle that was cut off', 'app/main.js', (file) => truncateSync(file.replace('/app/', '/bundle/app/'), 3)],
    ['a part of the bundle that is gone', 'app/main.js', (file) => rmSync(file.replace('/app/', '/bundle/app/'))],
  ])('%s', (_what, path, change) => {
    const { root, difference } = newBundle();
    change(join(root, path));
    expect(difference()).toBe(path);
  });

  test('a source of the same length that was given its old times again', () => {
    const { root, difference } = newBundle();
    const file = join(root, 'src/main.ts');
    const { atime, mtime } = statSync(file);
    writeFileSync(file, 'eno');
    utimesSync(file, atime, mtime);
    expect(difference()).toBe('src/main.ts');
  });

  test('a file that joined a folder', () => {
    const { write, difference } = newBundle();
    write('src/migrations/0002_second.sql', '');
    expect(difference()).toBe('src/migrations');
  });
});

test('a bundle whose manifest is gone or cut off is none', () => {
  const { bundle, difference } = newBundle();
  truncateSync(join(bundle, 'manifest.json'), 40);
  expect(difference).toThrow();
  rmSync(join(bundle, 'manifest.json'));
  expect(difference).toThrow();
});

test('what changes while it is built is not taken for what was built', () => {
  const { root, bundle, files } = newBundle();
  const readSinceMs = Math.max(...files.map((file) => statSync(file).ctimeMs));
  const written = () => writeManifest(bundle, root, { files, folders: [], readSinceMs });
  expect(written).toThrow('changed while the server was built');
  // Its time says nothing: the system notes when it was given.
  for (const file of files) utimesSync(file, LONG_AGO, LONG_AGO);
  expect(written).toThrow('changed while the server was built');
});
