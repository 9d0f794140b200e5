/**
 * What belongs to no workspace (the audit of sign-ins, the idempotency keys of requests that make workspaces) has a nil one. Its shards are put
 * on the coordinator: nobody is kept from signing in by a worker that is down.
 */
import type pg from 'pg';
import type { Log } from '../../logging.ts';
import { NO_WORKSPACE_ID } from '../ids.ts';
import { FIRST_TABLE } from './table-places.ts';

/** Moving shards is for superusers, unless it was granted. */
const NOT_ALLOWED = '42501';

interface ShardPlace {
  readonly shardId: number;
  /** Whether no workspace shares the shard. */
  readonly isAlone: boolean;
  readonly nodeId: number;
  readonly groupId: number;
}

interface Coordinator {
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
  readonly takesShards: boolean;
}

/** Nothing where they are there already. A rebalancing moves them away, and the next start back; they are small. */
export async function keepAccountsOnCoordinator(client: Pick<pg.ClientBase, 'query'>, log: Log): Promise<void> {
  if ((await findShard(client)).groupId === 0) return;
  try {
    await moveToCoordinator(client);
    log.info({}, 'Citus: moved what belongs to no workspace to the coordinator');
  } catch (error) {
    if ((error as { code?: string }).code !== NOT_ALLOWED) throw error;
    log.warn(
      { reason: (error as Error).message },
      'Citus: what belongs to no workspace stays on a worker; run "migrate" once as a superuser to move it',
    );
  }
}

async function moveToCoordinator(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  if (!(await findShard(client)).isAlone) {
    const isolation = `select isolate_tenant_to_new_shard($1, $2::uuid, 'CASCADE', shard_transfer_mode => 'block_writes')`;
    await client.query(isolation, [FIRST_TABLE, NO_WORKSPACE_ID]);
  }
  const { shardId, nodeId } = await findShard(client);
  const coordinator = await findCoordinator(client);
  const setTakesShards = (takes: boolean) =>
    client.query(`select citus_set_node_property($1, $2, 'shouldhaveshards', $3)`, [coordinator.host, coordinator.port, takes]);
  await client.query('begin');
  try {
    // For this one alone: those of workspaces stay on the workers.
    if (!coordinator.takesShards) await setTakesShards(true);
    await client.query(`select citus_move_shard_placement($1, $2, $3, 'block_writes')`, [shardId, nodeId, coordinator.nodeId]);
    if (!coordinator.takesShards) await setTakesShards(false);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function findShard(client: Pick<pg.ClientBase, 'query'>): Promise<ShardPlace> {
  const { rows } = await client.query(
    `select s.shardid as "shardId", s.shardminvalue = s.shardmaxvalue as "isAlone", n.nodeid as "nodeId", n.groupid as "groupId"
     from pg_catalog.pg_dist_shard s
       join pg_catalog.pg_dist_placement p on p.shardid = s.shardid
       join pg_catalog.pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
     where s.shardid = get_shard_id_for_distribution_column($1, $2::uuid)`,
    [FIRST_TABLE, NO_WORKSPACE_ID],
  );
  return rows[0] as ShardPlace;
}

async function findCoordinator(client: Pick<pg.ClientBase, 'query'>): Promise<Coordinator> {
  const { rows } = await client.query(`
    select nodeid as "nodeId", nodename as host, nodeport as port, shouldhaveshards as "takesShards"
    from pg_catalog.pg_dist_node where groupid = 0 and noderole = 'primary'`);
  return rows[0] as Coordinator;
}
