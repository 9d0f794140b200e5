/** Plain JavaScript in dist/, for places that can't run TypeScript as it is. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
for (const folder of ['db/migrations', 'http/reference']) {
  cpSync(`packages/server/src/${folder}`, `dist/packages/server/src/${folder}`, { recursive: true });
}
// What the server imports by name is what was built too: through the links of the workspaces it would find TypeScript.
mkdirSync('dist/node_modules/@commonplace', { recursive: true });
for (const name of ['contract', 'english']) {
  const description = readFileSync(`packages/${name}/package.json`, 'utf8');
  writeFileSync(`dist/packages/${name}/package.json`, description.replaceAll('.ts"', '.js"'));
  symlinkSync(`../../packages/${name}`, `dist/node_modules/@commonplace/${name}`);
}
