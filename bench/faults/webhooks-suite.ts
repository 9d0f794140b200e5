/** `npm run bench -- webhooks`: 10,000 events to a receiver that fails and hangs, the service killed ten times, on each engine. */
import { openPostgresServer } from '../postgres.ts';
import { heading, row } from '../table.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runWebhookKills } from './webhook-kills.ts';

export const MOST_EVENTS = 10_000;
const SESSIONS = 100;
const KILLS = 10;

export async function runWebhooksSuite({ events, seed }: { readonly events: number; readonly seed: number }): Promise<void> {
  await using folder = await temporaryFolder();
  await run('SQLite', { COMMONPLACE_DATA_DIR: folder.path }, events, seed);
  await using postgres = await openPostgresServer();
  if (postgres) await run('PostgreSQL', { COMMONPLACE_DATABASE_URL: await postgres.newDatabase() }, events, seed);
}

async function run(engine: string, environment: Readonly<Record<string, string>>, events: number, seed: number): Promise<void> {
  const report = await runWebhookKills({ environment, events, seed, sessions: SESSIONS, kills: KILLS });
  heading(`${engine}: ${events} events in ${SESSIONS} sessions, the service killed by SIGKILL ${report.kills} times`, ['Webhooks', '']);
  row(['requests', String(report.requests)]);
  row(['… that failed', String(report.failed)]);
  row(['… that were left hanging', String(report.hung)]);
  row(['… that were taken again', String(report.again)]);
  row(['missing, out of order, or not signed rightly', String(report.problems.length)]);
  row(['seconds', report.seconds.toFixed(0)]);
  for (const problem of report.problems.slice(0, 20)) console.error(`  ${problem}`);
  if (report.problems.length > 0) process.exitCode = 1;
}
