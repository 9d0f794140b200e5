/** Citus: whether the server is a coordinator of it, and the tables put where they belong. */
import type pg from 'pg';
import type { Log } from '../../logging.ts';
import { DatabaseUnusable } from '../errors.ts';
import { keepAccountsOnCoordinator } from './account-shards.ts';
import { DISTRIBUTION_COLUMN, FIRST_TABLE, keyWithWorkspace, placeOfTable, type TableKeys, type TablePlace } from './table-places.ts';

/** On the coordinator with all that hangs on it by foreign keys. */
const FIRST_LOCAL_TABLE = 'users';

type Asking = Pick<pg.ClientBase, 'query'>;

/** Refuses a worker: the tables of the coordinator are not there. Whether the tenant tables are distributed. */
export async function readDistribution(client: Asking, place: string): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('pg_catalog.pg_dist_local_group') is not null as "hasCitus"`);
  if (!rows[0].hasCitus) return false;
  const group = await client.query('select groupid from pg_catalog.pg_dist_local_group');
  if (group.rows[0]?.groupid > 0) {
    const { rows: coordinators } = await client.query('select nodename, nodeport from pg_catalog.pg_dist_node where groupid = 0');
    const where = coordinators[0] ? ` at ${coordinators[0].nodename}:${coordinators[0].nodeport}` : '';
    throw new DatabaseUnusable(
      `PostgreSQL at ${place} is a worker of Citus. Point the URL at its coordinator${where}. Nothing was changed.`,
    );
  }
  const found = await client.query('select 1 from pg_catalog.pg_dist_partition where logicalrelid = to_regclass($1)::oid', [FIRST_TABLE]);
  return found.rows.length > 0;
}

interface FoundTable extends TableKeys {
  /** As Citus has it now; null for one that it does not know. */
  readonly kind: 'distributed' | 'local' | 'reference' | null;
  /** Rows from before it was distributed, which nobody sees any more. */
  readonly leftBytes: number;
  readonly primaryKeyName: string | null;
}

/**
 * Puts every table where it belongs that is not there yet, each in a transaction of its own: what a crash leaves undone is done at the next
 * start. Only under the migration lock. Whether the tenant tables are distributed now.
 */
export async function distributeTables(client: Asking, place: string, log: Log): Promise<boolean> {
  const isDistributed = await readDistribution(client, place);
  if (!(await hasWorkers(client, isDistributed, log))) return isDistributed;
  const tables = await findTables(client);
  if (!tables.some(({ name }) => name === FIRST_TABLE)) return isDistributed;
  const waiting = (wanted: TablePlace) => tables.filter((table) => placeOfTable(table) === wanted && table.kind === null);
  const local = waiting('local');
  if (local.length > 0) {
    await addLocalTables(client, local);
    log.info({ tables: local.map(({ name }) => name) }, 'Citus: these tables stay on the coordinator, and commit with the workers');
  }
  const distributed = waiting('distributed');
  for (const table of distributed) {
    await distributeTable(client, table);
    log.info({ table: table.name }, 'Citus: distributed a table by workspace');
    // Early: the tables after it follow it there.
    if (table.name === FIRST_TABLE) await keepAccountsOnCoordinator(client, log);
  }
  await keepAccountsOnCoordinator(client, log);
  for (const { name } of (await findTables(client)).filter((table) => table.kind === 'distributed' && table.leftBytes > 0))
    await client.query('select truncate_local_data_after_distributing_table($1)', [name]);
  return true;
}

async function hasWorkers(client: Asking, isDistributed: boolean, log: Log): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('pg_catalog.pg_dist_node') is not null as "hasCitus"`);
  if (!rows[0].hasCitus) return false;
  const nodes = await client.query(`
    select count(*) filter (where groupid = 0) as coordinators, count(*) filter (where shouldhaveshards) as workers
    from pg_catalog.pg_dist_node where isactive and noderole = 'primary'`);
  const { coordinators, workers } = nodes.rows[0] as { coordinators: number; workers: number };
  if (workers === 0) {
    if (!isDistributed)
      log.info({}, 'Citus is installed and has no worker: all tables stay here. Add one with citus_add_node, and migrate again');
    return false;
  }
  if (coordinators === 0) {
    throw new DatabaseUnusable(
      'Citus does not know the address of its coordinator, which is needed to commit there and on a worker together. ' +
        `Run "select citus_set_coordinator_host('<host that the workers reach>', <port>)" on the coordinator, and start again.`,
    );
  }
  return true;
}

/** Those that others refer to come first. */
async function findTables(client: Asking): Promise<FoundTable[]> {
  const { rows } = await client.query(`
    select c.relname as name,
      exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = '${DISTRIBUTION_COLUMN}' and not a.attisdropped) as "hasWorkspace",
      coalesce((select array_agg(a.attname::text order by k.place) from pg_index i, unnest(i.indkey) with ordinality k (number, place), pg_attribute a
        where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = k.number), '{}') as "primaryKey",
      case when p.partmethod = 'h' then 'distributed' when p.repmodel = 't' then 'reference' when p.logicalrelid is not null then 'local' end as kind,
      pg_relation_size(c.oid) as "leftBytes",
      (select conname from pg_constraint k where k.contype = 'p' and k.conrelid = c.oid) as "primaryKeyName",
      array(select r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
        where f.contype = 'f' and f.conrelid = c.oid) as "references"
    from pg_class c left join pg_catalog.pg_dist_partition p on p.logicalrelid = c.oid
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
      and not coalesce((select bool_or(d.deptype = 'e') from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid), false)
    order by name`);
  const rank = ({ name, references }: FoundTable) => (name === FIRST_TABLE ? -1 : references.length);
  return (rows as FoundTable[]).toSorted((a, b) => rank(a) - rank(b));
}

async function addLocalTables(client: Asking, tables: readonly FoundTable[]): Promise<void> {
  const first = tables.find(({ name }) => name === FIRST_LOCAL_TABLE);
  const names = first ? [first.name] : tables.map(({ name }) => name);
  // One that was added brings along those that it refers to, and those that refer to it.
  for (const name of names) await client.query('select citus_add_local_table_to_metadata($1, cascade_via_foreign_keys => true)', [name]);
}

async function distributeTable(client: Asking, table: FoundTable): Promise<void> {
  const { name } = table;
  const key = keyWithWorkspace(table);
  await client.query('begin');
  try {
    if (key) {
      await client.query(`alter table ${name} drop constraint ${table.primaryKeyName}`);
      await client.query(`alter table ${name} add primary key (${key.join(', ')})`);
      // What is taken in the order of its position is found by it still.
      if (table.primaryKey.join() === 'position') await client.query(`create index ${name}_by_position on ${name} (position)`);
    }
    // The number of shards is the server's own setting, citus.shard_count.
    const together = name === FIRST_TABLE ? 'none' : FIRST_TABLE;
    await client.query(`select create_distributed_table($1, '${DISTRIBUTION_COLUMN}', colocate_with => $2)`, [name, together]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
