/**
 * Builds packages/dashboard into its dist/, which the service serves.
 * `--if-stale`: only where the sources changed.
 * `--on-install`: the same, for `npm install`, which must not fail for it: where the tools are left out (`--omit=dev`) or the build
 * fails, what is there stays. In CI a build that fails is a failure.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleDashboard, root } from './bundle-dashboard.ts';
import { replaceFolder } from './replace-folder.ts';

const dashboard = join(root, 'packages/dashboard');
const dist = join(dashboard, 'dist');
const STAMP = '.sources';
const sources = [
  'packages/dashboard/{src,public,build}/**/*.*',
  'packages/dashboard/{index.html,vite.config.ts,tsconfig.json}',
  'packages/client/src/**/*.ts',
  'scripts/bundle-dashboard.ts',
  '{package-lock,tsconfig}.json',
];

/** Of every source and of the versions of what it is built with. */
function hashSources(): string {
  const hash = createHash('sha256');
  const files = globSync(sources, { cwd: root })
    .filter((file) => !file.includes('.test.'))
    .sort();
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function isFresh(hash: string): boolean {
  const stamp = join(dist, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

/** What the service serves while this can't be built. */
const whatIsServed = (): string =>
  existsSync(join(dist, 'index.html')) ? 'The one that was built before is served.' : 'The API works without it.';

/** In a folder of its own: two may build at once, and one that fails spoils nothing. */
async function build(hash: string): Promise<void> {
  const folder = join(dashboard, `.dist-${randomUUID()}`);
  try {
    await bundleDashboard(folder);
    writeFileSync(join(folder, STAMP), hash);
    replaceFolder(dist, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function buildOnInstall(hash: string): Promise<void> {
  if (!existsSync(join(root, 'node_modules/vite'))) {
    console.log(`The dashboard is not built: its tools are not installed. ${whatIsServed()}`);
    return;
  }
  try {
    await build(hash);
  } catch (error) {
    if (process.env.CI) throw error;
    console.warn(error);
    console.warn(`The dashboard could not be built. ${whatIsServed()} \`npm run build:dashboard\` tries again.`);
  }
}

const onInstall = process.argv.includes('--on-install');
const hash = hashSources();
if (!(onInstall || process.argv.includes('--if-stale')) || !isFresh(hash)) await (onInstall ? buildOnInstall(hash) : build(hash));
