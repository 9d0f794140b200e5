/**
 * Builds packages/dashboard into its dist/, which the service serves. `npm install` does it with `--if-stale`: only where the sources
 * changed, and not where the tools are left out (`--omit=dev`); the service then says that there is no dashboard.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleDashboard, root } from './bundle-dashboard.ts';

const stamp = join(root, 'packages/dashboard/dist/.sources');
const sources = [
  'packages/dashboard/{src,public,build}/**/*.*',
  'packages/dashboard/{index.html,vite.config.ts}',
  'packages/client/src/**/*.ts',
  'scripts/bundle-dashboard.ts',
];

/** Of every source and of the versions of what it is built with. */
function hashSources(): string {
  const hash = createHash('sha256');
  const files = [...globSync(sources, { cwd: root }), 'package-lock.json'].filter((file) => !file.includes('.test.')).sort();
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

async function buildUnlessFresh(ifStale: boolean): Promise<void> {
  if (ifStale && !existsSync(join(root, 'node_modules/vite'))) {
    console.log('The dashboard is not built: its tools are not installed. The API works without it.');
    return;
  }
  const hash = hashSources();
  if (ifStale && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  await bundleDashboard();
  writeFileSync(stamp, hash);
}

await buildUnlessFresh(process.argv.includes('--if-stale'));
