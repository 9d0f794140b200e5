/** Packages as they are published, in packages/<name>/dist: plain JavaScript, declarations, and a description without anything of this repository. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Those that others install; the server has a way of its own. */
const names = ['client', 'ai-sdk', 'langchain', 'mastra', 'openai-agents'];

export function buildPackage(name: string, target: string): void {
  const source = join(root, 'packages', name);
  rmSync(target, { recursive: true, force: true });
  compile(source, name, target);
  // The compiler leaves the names of the sources in declarations.
  for (const file of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue;
    const path = join(target, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
  const { private: _, devDependencies: __, exports, ...description } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const published = { ...description, types: './index.d.ts', exports: builtExports(exports) };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  cpSync(join(source, 'README.md'), join(target, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
}

/** `./src/index.ts` is `./index.js`, with its types beside it. */
function builtExports(exports: Record<string, string>): Record<string, { types: string; default: string }> {
  const built = Object.entries(exports).map(([name, source]) => {
    const file = source.replace(/^\.\/src\/(.*)\.ts$/, './$1');
    return [name, { types: `${file}.d.ts`, default: `${file}.js` }] as const;
  });
  return Object.fromEntries(built);
}

/** Whoever imports the client has its sources compiled too; those are left behind. */
function compile(source: string, name: string, target: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-build-'));
  try {
    const tsc = join(root, 'node_modules/.bin/tsc');
    const options = ['--rootDir', join(root, 'packages'), '--outDir', folder];
    execFileSync(tsc, ['-p', join(source, 'tsconfig.build.json'), ...options], { stdio: 'inherit' });
    cpSync(join(folder, name, 'src'), target, { recursive: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) for (const name of names) buildPackage(name, join(root, 'packages', name, 'dist'));
