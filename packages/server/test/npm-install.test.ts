/** What whoever is new sees of `npm install`. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../src/cli/spawn-for-test.ts';

test('npm says nothing of packages that want a newer Node than the one that it runs on', () => {
  const folder = temporaryFolder();
  const write = (path: string, manifest: object) => writeFileSync(join(folder, path, 'package.json'), JSON.stringify(manifest));
  mkdirSync(join(folder, 'newer'));
  write('newer', { name: 'newer', version: '1.0.0', engines: { node: '>=999' } });
  write('.', { private: true, dependencies: { newer: 'file:newer' } });
  cpSync(fileURLToPath(new URL('../../../.npmrc', import.meta.url)), join(folder, '.npmrc'));
  const { status, stderr } = spawnSync('npm', ['install', '--offline'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: temporaryFolder() },
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  expect(stderr).not.toContain('EBADENGINE');
});
