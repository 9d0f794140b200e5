/** A pgbouncer in front of the PostgreSQL of a test run: the one installed, or the program that TEST_PGBOUNCER names. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from './cluster.ts';

const program = [process.env.TEST_PGBOUNCER, '/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(
  (path) => path !== undefined && existsSync(path),
);

/** In CI it has to be there. */
export const hasPgbouncer = program !== undefined || Boolean(process.env.CI);

/** The URL of the same database by way of a pooler. */
export async function startPgbouncer(url: string, settings: Readonly<Record<string, string | number>>): Promise<string> {
  if (program === undefined) throw new Error('Tests: no pgbouncer: install it, or set TEST_PGBOUNCER to the program');
  const { hostname, port: serverPort, username } = new URL(url);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-pgbouncer-'));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const all = { listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', auth_type: 'any', ...settings };
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username}`,
    '[pgbouncer]',
    ...Object.entries(all).map(([name, value]) => `${name} = ${value}`),
  ];
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 });
  // It refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(program, [...asNobody, file], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    if (child.kill('SIGTERM')) await ended;
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('process up')) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`pgbouncer ended with ${code}: ${output}`)));
  });
  const pooled = new URL(url);
  pooled.port = String(port);
  return pooled.href;
}
