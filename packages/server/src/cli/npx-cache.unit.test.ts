import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { npxTarget } from './npx-cache.ts';
import { temporaryFolder } from './spawn-for-test.ts';

const PROGRAM = 'node_modules/@commonplace/server/dist/app/main.js';

test.each([
  ['a version from a registry', '^0.1.0', () => '@commonplace/server'],
  ['a tarball', 'file:../../../a.tgz', (home: string) => join(home, 'a.tgz')],
])('in the cache of npx, it is %s', (_, installedFrom, expected) => {
  const home = temporaryFolder();
  const cached = join(home, '.npm/_npx/0a1b2c');
  mkdirSync(cached, { recursive: true });
  writeFileSync(join(cached, 'package.json'), JSON.stringify({ dependencies: { '@commonplace/server': installedFrom } }));
  expect(npxTarget(join(cached, PROGRAM))).toBe(expected(home));
});

test('where the program is installed in a folder, it is nothing', () => {
  expect(npxTarget(join('/srv/commonplace', PROGRAM))).toBeUndefined();
  expect(npxTarget()).toBeUndefined();
});
