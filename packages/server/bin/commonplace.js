#!/usr/bin/env node
// Plain JavaScript that an older Node understands: where Node is too old for the program, the one that came with it runs it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const OLDEST = 26;
const platform = `${process.platform}-${process.arch}`;
const source = new URL('../src/main.ts', import.meta.url);
const isRepository = existsSync(source);
const main = isRepository ? source : new URL('../dist/app/main.js', import.meta.url);

if (Number.parseInt(process.versions.node, 10) >= OLDEST) await import(main.href);
else runWith(findNode() ?? giveUp());

/** Packed with the program, or the package for this platform; in the repository, a dependency. */
function findNode() {
  const places = isRepository ? ['node/bin/node'] : ['../dist/node/bin/node', `@commonplace/node-${platform}/bin/node`];
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

function runWith(binary) {
  const child = spawn(binary, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' });
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
