/** Where the tables end up: on a new database, and on one that had rows before Citus came. */
import pg from 'pg';
import { pino } from 'pino';
import { expect, inject, onTestFinished, test } from 'vitest';
import { DatabaseUnusable } from '../../src/db/errors.ts';
import { NO_WORKSPACE_ID, newId } from '../../src/db/ids.ts';
import { type MigratableDatabase, migrate, readMigrations } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { distributeTables } from '../../src/db/postgres/citus.ts';
import { placeOfTable } from '../../src/db/postgres/table-places.ts';
import { types } from '../../src/db/postgres/types.ts';
import { sql } from '../../src/db/sql.ts';
import { addCitus, createPlainDatabase, dropCitusDatabase, urlOf } from './citus-databases.ts';

const log = pino({ level: 'silent' });
const servers = () => {
  const given = inject('postgres');
  if (!given?.workerUrls) throw new Error('This run has no Citus');
  return { url: given.url, workerUrls: given.workerUrls };
};

async function open(url: string): Promise<MigratableDatabase> {
  const db = await openDatabase({ databaseUrl: url, databasePoolSize: 2, dataDir: '' }, log);
  onTestFinished(() => db.close());
  return db;
}

/** On all servers, without Citus; the coordinator's address. */
async function newPlainDatabase(): Promise<{ name: string; url: string }> {
  const name = `test_citus_${newId().slice(-12)}`;
  onTestFinished(() => dropCitusDatabase(servers(), name));
  return { name, url: await createPlainDatabase(servers(), name) };
}

interface TableInCitus {
  readonly name: string;
  readonly hasWorkspace: boolean;
  readonly references: string[];
  readonly kind: string | null;
}

const tablesOf = (db: MigratableDatabase) =>
  db.query(sql<TableInCitus>`
    select c.relname as name, exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id') as "hasWorkspace",
      array(select r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid where f.contype = 'f' and f.conrelid = c.oid) as "references",
      t.citus_table_type as kind
    from pg_class c left join citus_tables t on t.table_name = c.oid
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`);

async function expectInPlace(db: MigratableDatabase): Promise<void> {
  const tables = (await tablesOf(db)).map((table) => [table.name, table.kind ?? 'plain', placeOfTable(table)]);
  expect(tables.length).toBeGreaterThan(30);
  expect(tables.filter(([, found, wanted]) => found !== wanted)).toEqual([]);
  const [{ groups }] = (await db.query(sql<{ groups: number }>`
    select count(distinct colocation_id) as groups from citus_tables where citus_table_type = 'distributed'`)) as [{ groups: number }];
  expect(groups, 'all tables of a workspace are on one worker').toBe(1);
}

test('every table of a new database is where the rule puts it, and the next start changes nothing', async () => {
  const { name, url } = await newPlainDatabase();
  await addCitus(servers(), name);
  const db = await open(url);
  await migrate(db);
  expect(db.isDistributed).toBe(true);
  await expectInPlace(db);
  const before = await db.query(sql`select shardid, placementid, groupid from pg_dist_placement order by 1, 2`);
  expect(await migrate(db)).toEqual([]);
  expect(await db.query(sql`select shardid, placementid, groupid from pg_dist_placement order by 1, 2`)).toEqual(before);
});

test('rows from before Citus came are distributed, and none is left behind', async () => {
  const { name, url } = await newPlainDatabase();
  const plain = await open(url);
  await migrate(plain);
  expect(plain.isDistributed).toBe(false);
  const workspaceIds = Array.from({ length: 20 }, newId);
  const now = new Date().toISOString();
  for (const id of workspaceIds) {
    await plain.batch([
      sql`insert into workspaces (id, name, handle, created_at, updated_at) values (${id}, ${'w'}, ${id}, ${now}, ${now})`,
      sql`insert into prompts (workspace_id, id, name, handle, description, last_version, created_at, updated_at)
          values (${id}, ${id}, ${'p'}, ${'p'}, ${''}, 1, ${now}, ${now})`,
      sql`insert into prompt_versions (workspace_id, prompt_id, version, id, type, content, config, labels, commit_hash, status, created_at, updated_at)
          values (${id}, ${id}, 1, ${id}, 'text', ${'c'}, ${'{}'}, ${'[]'}, ${'h'}, 'active', ${now}, ${now})`,
      sql`insert into new_messages (workspace_id, session_id, message_id, extracts, created_at) values (${id}, ${id}, ${id}, ${false}, ${now})`,
      sql`insert into message_writes (workspace_id, session_id, messages, message_count, created_at) values (${id}, ${id}, ${'[]'}, 0, ${now})`,
      sql`insert into idempotency_keys (workspace_id, scope, key, fingerprint, status, created_at, expires_at)
          values (${id}, ${'s'}, ${id}, ${'f'}, 200, ${now}, ${now})`,
    ]);
  }
  await plain.close();
  await addCitus(servers(), name);
  const db = await open(url);
  await migrate(db);
  await expectInPlace(db);
  for (const table of ['prompts', 'prompt_versions', 'message_writes', 'new_messages', 'idempotency_keys']) {
    const [row] = await onCoordinator(
      url,
      `select count(distinct workspace_id)::int as rows, pg_relation_size('${table}')::int as "left" from ${table}`,
    );
    expect(row, table).toEqual({ rows: 20, left: 0 });
  }
});

test('later migrations change tables that are distributed already, and theirs are distributed, too', async () => {
  const { name, url } = await newPlainDatabase();
  await addCitus(servers(), name);
  const db = await open(url);
  const migrations = await readMigrations('postgres');
  await migrate(db, migrations.slice(0, 11));
  expect(db.isDistributed).toBe(true);
  // Of a table that gets its workspace later.
  const now = new Date().toISOString();
  await db.run(sql`
    insert into idempotency_keys (scope, key, fingerprint, status, created_at, expires_at) values (${'s'}, ${'k'}, ${'f'}, 200, ${now}, ${now})`);
  expect(await migrate(db)).toEqual(migrations.slice(11));
  await expectInPlace(db);
  const [kept] = await db.query(sql`select workspace_id as "workspaceId", key from idempotency_keys`);
  expect(kept).toEqual({ workspaceId: NO_WORKSPACE_ID, key: 'k' });
  expect(await db.query(sql`select measured_edits from sessions where workspace_id = ${newId()}`)).toEqual([]);
});

test('what a crash left undone is done at the next start, and two nodes that start at once do it once', async () => {
  const { name, url } = await newPlainDatabase();
  const plain = await open(url);
  await migrate(plain);
  await plain.close();
  await addCitus(servers(), name);
  const client = new pg.Client({ connectionString: url, types });
  await client.connect();
  let made = 0;
  const failing = {
    query: (text: string, params?: unknown[]) => {
      if (/create_distributed_table/.test(text) && ++made > 7) throw new Error('the process is gone');
      return client.query(text, params);
    },
  };
  await expect(distributeTables(failing as unknown as pg.Client, 'here', log)).rejects.toThrow('the process is gone');
  await client.end();
  const nodes = await Promise.all([open(url), open(url)]);
  await Promise.all(nodes.map((db) => migrate(db)));
  for (const db of nodes) await expectInPlace(db);
});

test('what belongs to no workspace is on the coordinator, and is brought back there', async () => {
  const { name, url } = await newPlainDatabase();
  await addCitus(servers(), name);
  const db = await open(url);
  await migrate(db);
  const place = async () => {
    const [row] = await onCoordinator(
      url,
      `select p.groupid as place, s.shardid::int as id from pg_dist_shard s join pg_dist_placement p on p.shardid = s.shardid
       where s.shardid = get_shard_id_for_distribution_column('audits', '00000000-0000-0000-0000-000000000000'::uuid)`,
    );
    return row as { place: number; id: number };
  };
  const { place: first, id } = await place();
  expect(first).toBe(0);
  const [nodes] = await onCoordinator(
    url,
    `select min(nodeid) filter (where groupid = 0) as home, min(nodeid) filter (where groupid = 1) as other from pg_dist_node`,
  );
  const { home, other } = nodes as { home: number; other: number };
  await onCoordinator(url, `select citus_move_shard_placement(${id}, ${home}, ${other}, 'block_writes')`);
  expect((await place()).place).toBe(1);
  await migrate(db);
  expect((await place()).place).toBe(0);
});

test('a worker is refused, with the address of its coordinator', async () => {
  const { name } = await newPlainDatabase();
  await addCitus(servers(), name);
  const worker = urlOf(servers().workerUrls[0] as string, name);
  const opening = openDatabase({ databaseUrl: worker, databasePoolSize: 2, dataDir: '' }, log);
  await expect(opening).rejects.toThrow(DatabaseUnusable);
  await expect(opening).rejects.toThrow(`is a worker of Citus. Point the URL at its coordinator at ${new URL(servers().url).host}.`);
});

test('a coordinator without an address of its own is refused, with the command that gives it one', async () => {
  const { name, url } = await newPlainDatabase();
  await addCitus(servers(), name, { withCoordinator: false });
  const db = await open(url);
  await expect(migrate(db)).rejects.toThrow('citus_set_coordinator_host');
});

async function onCoordinator(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
