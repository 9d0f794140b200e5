/** Builds the dashboard where its sources changed, starts the PostgreSQL of a test run where a chosen project needs one, and removes what the run left. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { dropTestDatabases } from './database.ts';
import { postgresSources, startPostgres } from './postgres-server.ts';

const buildDashboard = fileURLToPath(new URL('../../../scripts/build-dashboard.ts', import.meta.url));

let end: (() => Promise<void>) | undefined;

export async function setup(root: TestProject): Promise<void> {
  execFileSync(process.execPath, [buildDashboard, '--if-stale'], { stdio: 'inherit' });
  const needed = root.vitest.projects.some(({ name }) => name !== 'embedded');
  if (!needed || postgresSources().length === 0) {
    root.provide('postgres', undefined);
    return;
  }
  const server = await startPostgres();
  const runId = randomBytes(3).toString('hex');
  root.provide('postgres', { url: server.url, runId });
  end = async () => {
    if (process.env.TEST_DATABASE_URL) await dropTestDatabases(server.url, runId);
    server.stop();
  };
}

export async function teardown(): Promise<void> {
  await end?.();
}
