import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { replaceFolder } from '../../../scripts/replace-folder.ts';

const module = new URL('../../../scripts/replace-folder.ts', import.meta.url).href;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-replace-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function fill(folder: string, text: string): string {
  mkdirSync(folder);
  for (const name of ['index.html', `${text}.js`]) writeFileSync(join(folder, name), text);
  return folder;
}

test('a folder takes the place of another, or of none, and leaves nothing beside it', () => {
  const place = newFolder();
  const dist = join(place, 'dist');
  for (const text of ['first', 'second']) {
    replaceFolder(dist, fill(join(place, '.dist-new'), text));
    expect(readdirSync(dist).sort()).toEqual([`${text}.js`, 'index.html'].sort());
  }
  expect(readdirSync(place)).toEqual(['dist']);
});

test('of several at once one is there, and whole', async () => {
  const place = newFolder();
  const dist = join(place, 'dist');
  const program = `
    const { replaceFolder } = await import(process.argv[1]);
    const { cpSync } = await import('node:fs');
    const [, , dist, from] = process.argv;
    for (let at = 0; at < 100; at++) {
      cpSync(from, from + at, { recursive: true });
      replaceFolder(dist, from + at);
    }`;
  const run = (text: string) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, module, dist, fill(join(place, text), text)]);
  await Promise.all([run('a'), run('b')]);
  const text = readFileSync(join(dist, 'index.html'), 'utf8');
  expect(readdirSync(dist).sort()).toEqual([`${text}.js`, 'index.html'].sort());
  expect(readdirSync(place).sort()).toEqual(['a', 'b', 'dist']);
});
