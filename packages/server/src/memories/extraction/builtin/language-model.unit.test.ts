/** The language model of the built-in extractor takes 70 MB, and a second one would: only its thread loads it. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const english = fileURLToPath(new URL('../../../../../english/src/', import.meta.url));
const server = fileURLToPath(new URL('../../../', import.meta.url));
const IMPORT = /^(?:import|export)\s+(?!type\b)[^;]*?from '([^']+)'/gm;

const importsOf = (file: string) => [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, name]) => name as string);

/** Whether a module of the package loads the model, through whichever others. */
function loadsModel(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  return importsOf(file).some(
    (name) => name.startsWith('wink') || (name.startsWith('.') && name.endsWith('.ts') && loadsModel(join(dirname(file), name), seen)),
  );
}

test('the thread of the extractor loads the language model, and nothing else of the service does', () => {
  const loading = globSync('**/*.ts', { cwd: server, exclude: ['**/*.test.ts'] }).filter((path) =>
    importsOf(join(server, path))
      .filter((name) => name.startsWith('@commonplace/english/'))
      .some((name) => loadsModel(join(english, `${name.slice('@commonplace/english/'.length)}.ts`))),
  );
  expect(loading).toEqual(['memories/extraction/builtin/thread.ts']);
});
