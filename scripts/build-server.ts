/**
 * Bundles packages/server into packages/server/.bundle-…, which `npm start` runs for as long as its sources are the same.
 * `--if-stale`: only where there is none of these sources.
 * `--on-install`: the same, for `npm install`, which must not fail for it: where the tools are left out (`--omit=dev`) or the build
 * fails, the service runs from its sources. In CI a build that fails is a failure.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDifference, writeManifest } from './fresh-bundle.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const server = join(root, 'packages/server');
const PREFIX = '.bundle-';
/** A service that runs loads parts of its bundle when they are first used, so that others are built beside it. */
const BUNDLES_KEPT = 3;
/** One without a manifest that was not touched for so long is no longer being built. */
const ABANDONED_MS = 60 * 60_000;

/** Beside what the bundler reads: what decides what it makes of it. Of the lock files, npm keeps the one of what is installed. */
const settings = [
  ...['package-lock.json', 'node_modules/.package-lock.json', 'tsconfig.json'],
  ...['server', 'contract', 'english', 'client'].map((name) => `packages/${name}/package.json`),
  ...['build-server', 'bundle-server', 'bundle-dashboard', 'fresh-bundle', 'try-server'].map((name) => `scripts/${name}.ts`),
];

function bundles(): string[] {
  const names = readdirSync(server).filter((name) => name.startsWith(PREFIX));
  return names.map((name) => join(server, name));
}

function isFresh(bundle: string): boolean {
  try {
    return findDifference(bundle, root) === undefined;
  } catch {
    return false;
  }
}

async function build(): Promise<void> {
  const bundle = join(server, PREFIX + randomUUID().slice(0, 8));
  mkdirSync(bundle);
  // The clock of the disk, which is that of the files.
  const readSinceMs = statSync(bundle).ctimeMs;
  try {
    const { bundleServer, copiedFolders } = await import('./bundle-server.ts');
    const { tryServer } = await import('./try-server.ts');
    const modules = await bundleServer(bundle, { 'fresh-bundle': join(root, 'scripts/fresh-bundle.ts') });
    const files = [
      ...modules.filter((id) => existsSync(id)),
      ...settings.map((path) => join(root, path)).filter((file) => existsSync(file)),
    ];
    await tryServer(join(bundle, 'app/main.js'));
    writeManifest(bundle, root, { files, folders: Object.values(copiedFolders), readSinceMs });
  } catch (error) {
    rmSync(bundle, { recursive: true, force: true });
    throw error;
  }
  dropOld(bundle);
}

function dropOld(newest: string): void {
  const builtMs = (bundle: string) => statSync(join(bundle, 'manifest.json'), { throwIfNoEntry: false })?.mtimeMs;
  const others = bundles().filter((bundle) => bundle !== newest);
  const whole = others.filter((bundle) => builtMs(bundle) !== undefined).sort((a, b) => (builtMs(b) ?? 0) - (builtMs(a) ?? 0));
  const abandoned = others.filter((bundle) => builtMs(bundle) === undefined && Date.now() - statSync(bundle).mtimeMs > ABANDONED_MS);
  for (const bundle of [...whole.slice(BUNDLES_KEPT - 1), ...abandoned]) rmSync(bundle, { recursive: true, force: true });
}

async function buildOnInstall(): Promise<void> {
  if (!existsSync(join(root, 'node_modules/rolldown'))) {
    console.log('The server is not bundled: its tools are not installed. It runs from its sources.');
    return;
  }
  try {
    await build();
  } catch (error) {
    if (process.env.CI) throw error;
    console.warn(error);
    console.warn('The server could not be bundled. It runs from its sources. `npm run build:server` tries again.');
  }
}

const onInstall = process.argv.includes('--on-install');
const isNeeded = !(onInstall || process.argv.includes('--if-stale')) || !bundles().some(isFresh);
if (isNeeded) await (onInstall ? buildOnInstall() : build());
