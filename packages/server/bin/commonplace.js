#!/usr/bin/env node
// Plain JavaScript that an older Node understands: where Node is too old for the program, another one runs it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { fetchedNode, fetchNode } from './fetch-node.js';

const OLDEST = 26;
const source = new URL('../src/main.ts', import.meta.url);
const main = existsSync(source) ? source : new URL('../dist/app/main.js', import.meta.url);

if (Number.parseInt(process.versions.node, 10) >= OLDEST) await import(main.href);
else runWith(installedNode() ?? fetchedNode() ?? fetchedNow());

/** In the repository, where it is a dependency. */
function installedNode() {
  try {
    return createRequire(import.meta.url).resolve('node/bin/node');
  } catch {
    return undefined;
  }
}

function fetchedNow() {
  try {
    return fetchNode();
  } catch (error) {
    console.error(
      `commonplace: Node.js ${OLDEST} or later is needed, this is ${process.versions.node}, and another could not be fetched (${error.message}). Install one from https://nodejs.org, and try again.`,
    );
    process.exit(1);
  }
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
