/** `npm run bench -- faults`: nodes killed under load; `-- failover`: their PostgreSQL killed and its standby promoted. */
import { openPostgresServer } from '../postgres.ts';
import { runNodeKills } from './node-kills.ts';
import { printReport } from './table.ts';

export interface FaultEffort {
  readonly minutes: number;
  readonly everySeconds: number;
  readonly seed: number;
  /** A database to use as it is, in place of a new one: that of a Citus coordinator, for example. */
  readonly databaseUrl: string | undefined;
}

const PAUSE_MS = 100;

export async function runFaultsSuite({ minutes, everySeconds, seed, databaseUrl }: FaultEffort): Promise<void> {
  await using postgres = databaseUrl === undefined ? await openPostgresServer() : undefined;
  const url = databaseUrl ?? (await postgres?.newDatabase());
  if (url === undefined) return console.log('\nNot done: there is no PostgreSQL with pgvector here. Give one by --database.');
  const report = await runNodeKills({
    databaseUrl: url,
    seconds: minutes * 60,
    everySeconds,
    pauseMs: PAUSE_MS,
    seed,
    onKill: (kills) => console.log(`${kills} killed`),
  });
  printReport(`Three nodes, one of them killed by SIGKILL every ${everySeconds} s, ${report.kills} times`, report);
}
