/** Starts the Citus of a test run, and stops it at the end. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { type CitusCluster, startCitus } from './citus-server.ts';
import { refusedStatements, scatteredStatements } from './coordinator-log.ts';

const buildDashboard = fileURLToPath(new URL('../../../../scripts/build-dashboard.ts', import.meta.url));

let cluster: CitusCluster | undefined;

export async function setup(root: TestProject): Promise<void> {
  execFileSync(process.execPath, [buildDashboard, '--if-stale'], { stdio: 'inherit' });
  cluster = await startCitus();
  process.once('exit', () => cluster?.stop());
  root.provide('postgres', { url: cluster.coordinatorUrl, workerUrls: cluster.workerUrls, runId: randomBytes(3).toString('hex') });
}

export async function teardown(): Promise<void> {
  const log = cluster?.coordinator?.readLog() ?? '';
  cluster?.stop();
  cluster = undefined;
  expectNone('Citus refused', refusedStatements(log));
  expectNone('Citus asked all workers for what one of them has, in', scatteredStatements(log));
}

function expectNone(what: string, statements: readonly string[]): void {
  if (statements.length > 0) throw new Error(`${what} ${statements.length} statements of the program:\n${statements.join('\n')}`);
}
