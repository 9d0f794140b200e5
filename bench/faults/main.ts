/** `npm run bench -- faults`: nodes killed under load; `-- failover`: their PostgreSQL killed and its standby promoted. */
import { postgresBinaries } from '../../packages/server/test/postgres-server.ts';
import { openPostgresServer } from '../postgres.ts';
import { runFailover } from './failover.ts';
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
/** Who watches over servers is sure after some seconds that one is gone. */
const NOTICED_AFTER_MS = 3_000;
/** As a server has them that is not there for tests alone: without statistics, plans get worse as tables grow. */
const SETTINGS = { fsync: 'on', full_page_writes: 'on', autovacuum: 'on', autovacuum_naptime: 10 };
const HOW = { killed: 'killed by SIGKILL', vanished: 'gone without a word' } as const;

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

/** Twice, each time with half of the time before the primary is gone and half after it. */
export async function runFailoverSuite({ minutes, seed }: FaultEffort): Promise<void> {
  const binaries = await postgresBinaries();
  if (!binaries) return console.log('\nNot done: no PostgreSQL with pgvector is installed here, and a standby is made from its programs.');
  const common = { binaries, nodes: 3, seconds: minutes * 30, noticedAfterMs: NOTICED_AFTER_MS, pauseMs: PAUSE_MS, seed };
  for (const failure of ['killed', 'vanished'] as const) {
    const report = await runFailover({ ...common, failure, settings: SETTINGS });
    const times = `noticed after ${NOTICED_AFTER_MS / 1000} s, promoted in ${(report.promotedMs / 1000).toFixed(1)} s`;
    printReport(`Three nodes, their PostgreSQL ${HOW[failure]} and its standby promoted (${times})`, report);
  }
}
