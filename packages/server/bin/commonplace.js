#!/usr/bin/env node
// Plain JavaScript that an older Node understands: where Node is too old for the program, the one that npm installed beside it runs it.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const OLDEST = 26;
const main = new URL('../src/main.ts', import.meta.url);

if (Number.parseInt(process.versions.node, 10) >= OLDEST) await import(main.href);
else runWith(installedNode());

function installedNode() {
  try {
    return createRequire(import.meta.url).resolve('node/bin/node');
  } catch {
    console.error(
      `commonplace: Node.js ${OLDEST} or later is needed, and this is ${process.versions.node}. Run "npm install", which brings one along.`,
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
