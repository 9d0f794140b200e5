/** Several nodes under load, in small: `npm run bench -- faults failover` does the same for minutes. */
import { expect, inject, onTestFinished, test } from 'vitest';
import { runFailover } from '../../../bench/faults/failover.ts';
import { runNodeKills } from '../../../bench/faults/node-kills.ts';
import type { FaultReport } from '../../../bench/faults/run.ts';
import { createTestDatabase } from './database.ts';
import { letLeasesRunOut } from './leases.ts';
import { postgresBinaries } from './postgres-server.ts';

const SEED = 20_261_116;
const PAUSE_MS = 50;

/** Everything was tried, and nothing of it is wrong. */
function expectSound(report: FaultReport): void {
  expect(report.problems).toEqual([]);
  for (const [kind, { answers }] of report.gaps) expect(answers, kind).toBeGreaterThan(0);
  expect(report.acknowledged).toBeGreaterThan(0);
}

if (inject('postgres')) {
  test('what was acknowledged is there once and in order, though a node is killed again and again', async () => {
    const database = await createTestDatabase();
    onTestFinished(database.drop);
    const report = await runNodeKills({
      databaseUrl: database.url,
      seconds: 7,
      everySeconds: 2,
      pauseMs: PAUSE_MS,
      seed: SEED,
      beforeJudging: () => letLeasesRunOut(database.url),
    });
    expectSound(report);
    expect(report.kills).toBe(3);
  });

  const binaries = await postgresBinaries();
  if (!binaries && process.env.CI) throw new Error('Tests: the fail-over needs the programs of a PostgreSQL with pgvector on this machine');
  if (!binaries) console.warn('Tests: the fail-over to a standby is left out: no PostgreSQL with pgvector is installed here');
  if (binaries)
    test('what was acknowledged is on the standby that takes over when PostgreSQL is killed', async () => {
      const report = await runFailover({
        failure: 'killed',
        binaries,
        nodes: 2,
        seconds: 3,
        noticedAfterMs: 500,
        pauseMs: PAUSE_MS,
        seed: SEED,
        beforeJudging: letLeasesRunOut,
      });
      expectSound(report);
    });
}
