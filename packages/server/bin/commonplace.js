#!/usr/bin/env node
// Plain JavaScript that an older Node understands: where Node is too old for the program, the one that came with it runs it.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OLDEST = 26;
const platform = `${process.platform}-${process.arch}`;
const folder = fileURLToPath(new URL('..', import.meta.url));
const source = join(folder, 'src/main.ts');
const isRepository = existsSync(source);

if (Number.parseInt(process.versions.node, 10) >= OLDEST) await load(await findMain());
else await runWith((await findNode()) ?? giveUp());

/** In the repository, what was built of the sources as they are, else the sources. */
async function findMain() {
  if (!isRepository) return join(folder, 'dist/app/main.js');
  for (const bundle of bundlesNewestFirst()) {
    try {
      const { findDifference } = await load(join(bundle, 'app/fresh-bundle.js'));
      if (findDifference(bundle, join(folder, '../..')) === undefined) return join(bundle, 'app/main.js');
    } catch {
      // Half of one is none.
    }
  }
  return source;
}

function bundlesNewestFirst() {
  const bundles = readdirSync(folder).filter((name) => name.startsWith('.bundle-'));
  const whole = bundles.flatMap((name) => {
    const built = statSync(join(folder, name, 'manifest.json'), { throwIfNoEntry: false });
    return built ? [{ path: join(folder, name), builtMs: built.mtimeMs }] : [];
  });
  return whole.sort((a, b) => b.builtMs - a.builtMs).map(({ path }) => path);
}

function load(file) {
  return import(pathToFileURL(file).href);
}

/** Packed with the program, or the package for this platform; in the repository, a dependency. */
async function findNode() {
  const places = isRepository ? ['node/bin/node'] : ['../dist/node/bin/node', `@commonplace/node-${platform}/bin/node`];
  const { createRequire } = await import('node:module');
  const { resolve } = createRequire(import.meta.url);
  for (const place of places) {
    try {
      return resolve(place);
    } catch {
      // The next one, then.
    }
  }
  return undefined;
}

function giveUp() {
  console.error(
    `commonplace: Node.js ${OLDEST} or later is needed, this is ${process.versions.node}, and none came with the package for ${platform}. ` +
      `Install Node.js ${OLDEST} from https://nodejs.org; or, if the package was installed on another Node or without optional dependencies, install it again on this one.`,
  );
  process.exit(1);
}

async function runWith(binary) {
  const { spawn } = await import('node:child_process');
  const child = spawn(binary, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  child.on('error', (error) => {
    console.error(`commonplace: ${binary} can't be run: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    for (const name of signals) process.off(name, forward);
    process.kill(process.pid, signal);
  });
}
