/** A PostgreSQL and its standby by streaming replication: what the first acknowledges is on both, so that the second can take over. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Binaries, type StartedCluster, startCluster } from './cluster.ts';

export interface ReplicatedPair extends AsyncDisposable {
  readonly primary: StartedCluster;
  readonly standby: StartedCluster;
  /** Makes the standby the primary; resolves when it takes writes. */
  promote(): Promise<void>;
}

const PATIENCE_MS = 60_000;

/** `settings`: of both, beside those that tests have. */
export async function startReplicatedPair(
  binaries: Binaries,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<ReplicatedPair> {
  await using servers = new AsyncDisposableStack();
  const primary = await startCluster(binaries, { settings: { ...settings, synchronous_commit: 'on' } });
  servers.defer(() => primary.stop());
  const standby = await startCluster(binaries, {
    settings: { ...settings, synchronous_commit: 'on' },
    makeData: (data) => {
      const connection = `--host=127.0.0.1 --port=${primary.port} --username=postgres`;
      return `pg_basebackup --pgdata=${data} ${connection} --wal-method=stream --checkpoint=fast --write-recovery-conf --no-sync`;
    },
  });
  servers.defer(() => standby.stop());
  // From here on a commit waits until it is on the disk of both.
  await ask(primary.url, `alter system set synchronous_standby_names = '*'`);
  await ask(primary.url, 'select pg_reload_conf()');
  await untilSynchronous(primary.url);
  const held = servers.move();
  return {
    primary,
    standby,
    promote: async () => {
      await ask(standby.url, 'select pg_promote(true, 60)');
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function untilSynchronous(url: string): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const rows = await ask<{ state: string }>(url, 'select sync_state as state from pg_stat_replication');
    if (rows.some(({ state }) => state === 'sync')) return;
    if (performance.now() > deadlineMs) throw new Error('The standby did not come up to its primary');
    await sleep(50);
  }
}

async function ask<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
