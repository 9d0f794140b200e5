/** Plain JavaScript in dist/, for places that can't run TypeScript as it is. */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
for (const folder of ['db/migrations', 'http/reference']) {
  cpSync(`packages/server/src/${folder}`, `dist/packages/server/src/${folder}`, { recursive: true });
}
