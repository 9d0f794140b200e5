import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const scripts = fileURLToPath(new URL('../../../scripts/', import.meta.url));

/** A repository of the scripts alone, with a build tool that writes one page. */
function newRepository() {
  const root = mkdtempSync(join(tmpdir(), 'commonplace-build-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (file: string, text: string) => writeFileSync(join(root, file), text);
  for (const folder of ['scripts', 'packages/dashboard', 'node_modules/vite']) mkdirSync(join(root, folder), { recursive: true });
  for (const name of ['build-dashboard.ts', 'bundle-dashboard.ts', 'replace-folder.ts'])
    cpSync(join(scripts, name), join(root, 'scripts', name));
  write('package.json', '{"type":"module"}');
  write('packages/dashboard/tsconfig.json', '{}');
  write('node_modules/vite/package.json', '{"name":"vite","type":"module","exports":"./index.js"}');
  write(
    'node_modules/vite/index.js',
    `import { mkdirSync, writeFileSync } from 'node:fs';
    export async function build({ build: { outDir } }) {
      mkdirSync(outDir, { recursive: true });
      writeFileSync(outDir + '/index.html', process.env.PAGE ?? '');
      if (!process.env.PAGE) throw new Error('a page does not parse');
      return { output: [] };
    }`,
  );
  const build = async (flags: readonly string[], settings: Record<string, string> = {}) => {
    const env = { PATH: process.env.PATH ?? '', ...settings };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(root, 'scripts/build-dashboard.ts'), ...flags], { env });
    return stdout + stderr;
  };
  const page = () => readFileSync(join(root, 'packages/dashboard/dist/index.html'), 'utf8');
  return { root, write, build, page };
}

test('a build that fails keeps the one before and does not fail an install, except in CI', async () => {
  const { root, write, build, page } = newRepository();
  await build([], { PAGE: 'old' });
  write('packages/dashboard/index.html', 'changed');
  expect(await build(['--on-install'])).toContain('The one that was built before is served.');
  await expect(build(['--on-install'], { CI: 'true' })).rejects.toThrow('a page does not parse');
  await expect(build(['--if-stale'])).rejects.toThrow('a page does not parse');
  expect(page()).toBe('old');
  expect(readdirSync(join(root, 'packages/dashboard')).sort()).toEqual(['dist', 'index.html', 'tsconfig.json']);
});

test('it is built again where a source changed, and the settings of the compiler are one', async () => {
  const { write, build, page } = newRepository();
  await build(['--if-stale'], { PAGE: 'first' });
  await build(['--if-stale'], { PAGE: 'second' });
  expect(page()).toBe('first');
  write('packages/dashboard/tsconfig.json', '{"compilerOptions":{}}');
  await build(['--if-stale'], { PAGE: 'third' });
  expect(page()).toBe('third');
});

test('where the tools are left out, it says what is served', async () => {
  const { root, write, build } = newRepository();
  const leaveOutTools = () => rmSync(join(root, 'node_modules'), { recursive: true });
  await build([], { PAGE: 'old' });
  leaveOutTools();
  expect(await build(['--on-install'])).toBe('');
  write('packages/dashboard/index.html', 'changed');
  expect(await build(['--on-install'])).toContain('The one that was built before is served.');
  rmSync(join(root, 'packages/dashboard/dist'), { recursive: true });
  expect(await build(['--on-install'])).toContain('The API works without it.');
});
