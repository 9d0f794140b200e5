/** The client as it is published, in packages/client/dist: plain JavaScript, declarations, and a description without anything of this repository. */
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'packages/client');

export function buildClient(target: string): void {
  rmSync(target, { recursive: true, force: true });
  const tsc = join(root, 'node_modules/.bin/tsc');
  execFileSync(tsc, ['-p', join(source, 'tsconfig.build.json'), '--outDir', target], { stdio: 'inherit' });
  // The compiler leaves the names of the sources in declarations.
  for (const file of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue;
    const path = join(target, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
  const { private: _, exports: __, ...description } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const published = { ...description, types: './index.d.ts', exports: { '.': { types: './index.d.ts', default: './index.js' } } };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  cpSync(join(source, 'README.md'), join(target, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
}

if (import.meta.main) buildClient(join(source, 'dist'));
