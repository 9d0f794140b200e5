/** The Node that an older one fetches: what is not the very file that it should be is never run, nor kept. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../src/cli/spawn-for-test.ts';

const module = fileURLToPath(new URL('../bin/fetch-node.js', import.meta.url));

/** With a stand-in for npm: a script that finds the folder to write to in "$4". */
function fetchWith(npm: string) {
  const [bin, cache] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
  const run = `import(${JSON.stringify(module)}).then(({ fetchNode }) => fetchNode()).catch(({ message }) => { console.log(message); })`;
  const env = { PATH: `${bin}:/usr/bin:/bin`, XDG_CACHE_HOME: cache };
  const { stdout } = spawnSync(process.execPath, ['-e', run], { env, encoding: 'utf8' });
  const folder = join(cache, 'commonplace');
  return { stdout, kept: existsSync(folder) ? readdirSync(folder) : [] };
}

test('an archive with other contents is refused', () => {
  const { stdout, kept } = fetchWith('echo something else > "$4/node.tgz"');
  expect(stdout).toContain('is not the file that it was: SHA-512');
  expect(kept).toStrictEqual([]);
});

test('where npm fails, what it says is passed on', () => {
  const { stdout, kept } = fetchWith(
    'echo "npm error network is unreachable" >&2; echo "npm error A complete log of this run" >&2; exit 1',
  );
  expect(stdout).toBe('npm failed: npm error network is unreachable\n');
  expect(kept).toStrictEqual([]);
});
