/** Starts the Citus of a test run, and stops it at the end. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { type CitusCluster, startCitus } from './citus-server.ts';

const buildDashboard = fileURLToPath(new URL('../../../../scripts/build-dashboard.ts', import.meta.url));

let cluster: CitusCluster | undefined;

export async function setup(root: TestProject): Promise<void> {
  execFileSync(process.execPath, [buildDashboard, '--if-stale'], { stdio: 'inherit' });
  cluster = await startCitus();
  process.once('exit', () => cluster?.stop());
  root.provide('postgres', { url: cluster.coordinatorUrl, workerUrls: cluster.workerUrls, runId: randomBytes(3).toString('hex') });
}

export async function teardown(): Promise<void> {
  const refused = refusedStatements(cluster?.coordinator?.readLog() ?? '');
  cluster?.stop();
  cluster = undefined;
  if (refused.length > 0) throw new Error(`Citus refused ${refused.length} statements of the program:\n${refused.join('\n')}`);
}

/** "feature_not_supported", and "indeterminate_datatype", which a part of a statement is answered by that a worker can't read by itself. */
const REFUSED = ['0A000', '42P18'];

/** Of the log of the coordinator; a plan that outlived its table has a code of those too, and is made again. */
function refusedStatements(log: string): string[] {
  const entries = log.split(/^(?=[0-9A-Z]{5}:)/m);
  const refused = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const code = REFUSED.find((refusal) => entry.startsWith(`${refusal}:ERROR:`));
    if (code === undefined || entry.includes('cached plan must not change result type')) continue;
    const statement = entries.slice(index + 1, index + 4).find((next) => next.startsWith(`${code}:STATEMENT:`)) ?? '';
    refused.add(`${entry.slice(6).trim()} ${statement.slice(`${code}:STATEMENT:`.length).replace(/\s+/g, ' ').trim()}`);
  }
  return [...refused];
}
