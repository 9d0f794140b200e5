/** A Citus of a test's own, whose servers it may end hard; and the API on it. */
import { inject, onTestFinished } from 'vitest';
import { raw, sql } from '../../src/db/sql.ts';
import { openApi, type TestApi, type TestWorkspace } from '../api.ts';
import type { StartedCluster } from '../cluster.ts';
import { createCitusDatabase } from './citus-databases.ts';
import { type CitusCluster, startCitus } from './citus-server.ts';

export interface OwnCitus {
  readonly api: TestApi;
  readonly url: string;
  readonly coordinator: StartedCluster;
  readonly workers: readonly StartedCluster[];
}

/** Servers of somebody else's are not ended. */
export const canStartOwn = process.env.TEST_CITUS_URL === undefined && inject('engine') === 'postgres';

export async function startOwnCitus(environment: Readonly<Record<string, string>> = {}): Promise<OwnCitus> {
  const cluster: CitusCluster = await startCitus();
  onTestFinished(() => cluster.stop());
  const { coordinator, workers } = cluster;
  if (!coordinator || !workers) throw new Error('These servers can not be ended by a test');
  const url = await createCitusDatabase({ url: cluster.coordinatorUrl, workerUrls: cluster.workerUrls }, 'own');
  const { api, close } = await openApi({ COMMONPLACE_DATABASE_URL: url, ...environment });
  onTestFinished(close);
  return { api, url, coordinator, workers };
}

/** On which worker a workspace is, as a number from 0. */
export async function workerOf({ api }: OwnCitus, workspaceId: string): Promise<number> {
  const { place } = await api.db.one(sql<{ place: number }>`
    select p.groupid as place from pg_dist_placement p where p.shardid = get_shard_id_for_distribution_column(${raw(`'agents'`)}, ${workspaceId}::uuid)`);
  return place - 1;
}

/** A workspace on each of the workers. */
export async function newWorkspacePerWorker(citus: OwnCitus): Promise<TestWorkspace[]> {
  const found: TestWorkspace[] = [];
  while (found.filter(Boolean).length < citus.workers.length) {
    const workspace = await citus.api.newWorkspace();
    found[await workerOf(citus, workspace.id)] ??= workspace;
  }
  return found;
}
