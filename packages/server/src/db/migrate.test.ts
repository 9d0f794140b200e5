import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../test/database.ts';
import { DatabaseUnusable } from './errors.ts';
import { newId } from './ids.ts';
import { type MigratableDatabase, type Migration, migrate, newerMigrations, pendingMigrations, readMigrations } from './migrate.ts';
import { openDatabase } from './open.ts';
import { perEngine, raw, sql } from './sql.ts';

const log = pino({ level: 'silent' });
const engine = inject('engine');

type Place = Parameters<typeof openDatabase>[0];

/** Where an empty database is, or can be. */
async function newPlace(): Promise<Place> {
  if (engine === 'postgres') {
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    return { databaseUrl: url, databasePoolSize: 2, dataDir: '' };
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'commonplace-migrate-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return { databaseUrl: undefined, databasePoolSize: 2, dataDir };
}

async function open(place: Place): Promise<MigratableDatabase> {
  const db = await openDatabase(place, log);
  onTestFinished(() => db.close());
  return db;
}

const tableNames = perEngine({
  sqlite: `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`,
  postgres: `select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE' order by name`,
});
const tablesOf = async (db: MigratableDatabase) => (await db.query(sql<{ name: string }>`${tableNames}`)).map(({ name }) => name);
const recorded = (db: MigratableDatabase) =>
  db.query(sql<{ version: number; name: string; checksum: string }>`
    select version, name, checksum, applied_at as "appliedAt" from schema_migrations order by version`);

const table = (version: number, script = `create table step_${version} (id integer primary key);`): Migration => ({
  version,
  name: `step_${version}`,
  script,
  checksum: `checksum of ${script}`,
});

test('the released migrations are numbered from 1 without a gap, and both engines have the same', async () => {
  const [sqlite, postgres] = await Promise.all([readMigrations('sqlite'), readMigrations('postgres')]);
  expect(sqlite.length).toBeGreaterThan(0);
  expect(sqlite.map(({ version }) => version)).toEqual(sqlite.map((_, index) => index + 1));
  expect(postgres.map(({ version, name }) => [version, name])).toEqual(sqlite.map(({ version, name }) => [version, name]));
});

test('a fresh database gets all, and the next start none', async () => {
  const db = await open(await newPlace());
  const known = await readMigrations(engine);
  expect(await pendingMigrations(db)).toEqual(known);
  expect(await migrate(db)).toEqual(known);
  expect(await tablesOf(db)).toEqual(expect.arrayContaining(['audits', 'jobs', 'schema_migrations', 'users', 'workspaces']));
  const rows = await recorded(db);
  expect(rows).toMatchObject(known.map(({ version, name, checksum }) => ({ version, name, checksum })));

  expect(await pendingMigrations(db)).toEqual([]);
  expect(await migrate(db)).toEqual([]);
  expect(await recorded(db)).toEqual(rows);
});

test('what is new runs alone, in the order of versions', async () => {
  const db = await open(await newPlace());
  const first = table(1);
  expect(await migrate(db, [first])).toEqual([first]);
  // The third needs the second: in another order it fails.
  const second = table(2);
  const third = table(3, 'alter table step_2 add column name text;');
  expect(await migrate(db, [first, second, third])).toEqual([second, third]);
  expect(await tablesOf(db)).toEqual(['schema_migrations', 'step_1', 'step_2']);
});

test('a migration that was changed after it ran is refused, and nothing is done', async () => {
  const db = await open(await newPlace());
  await migrate(db, [table(1)]);
  const before = await recorded(db);
  const changed = { ...table(1), checksum: 'another' };
  for (const attempt of [() => migrate(db, [changed, table(2)]), () => pendingMigrations(db, [changed])]) {
    const error = await attempt().catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(DatabaseUnusable);
    expect(String(error)).toContain(
      'Migration 1 (step_1) was changed after this database ran it. Restore the file as it was released. Nothing was changed.',
    );
  }
  expect(await recorded(db)).toEqual(before);
  expect(await tablesOf(db)).toEqual(['schema_migrations', 'step_1']);
});

test('a database that a newer program migrated is refused with what to do, and left as it is', async () => {
  const place = await newPlace();
  const newer = await open(place);
  await migrate(newer, [table(1), table(2), table(3)]);
  const before = await recorded(newer);
  const error = await migrate(newer, [table(1)]).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(DatabaseUnusable);
  expect(String(error)).toContain(
    'The database is newer than this program: it has migration 2 (step_2), and this program knows up to 1. ' +
      'Run the newer program, or restore a backup from before the upgrade. Nothing was changed.',
  );
  // Newer by its head alone, and with something of ours still to run: refused before that runs.
  await expect(migrate(newer, [table(1), table(2), table(4)])).rejects.toThrow('it has migration 3 (step_3)');
  expect(await recorded(newer)).toEqual(before);
  expect(await tablesOf(newer)).toEqual(['schema_migrations', 'step_1', 'step_2', 'step_3']);
});

test('a program works beside a newer one whose migrations only expand, or take away what it no longer uses', async () => {
  const db = await open(await newPlace());
  const known = await readMigrations(engine);
  const newest = known.at(-1)?.version as number;
  const expanding = table(newest + 1, 'alter table workspaces add column from_the_future text;');
  await migrate(db, [...known, expanding]);
  expect(await migrate(db)).toEqual([]);
  expect(await newerMigrations(db)).toMatchObject([{ version: newest + 1, name: expanding.name }]);

  const unused = String(newest).padStart(4, '0');
  const contracting = table(
    newest + 2,
    `-- compatible from ${unused}: nothing reads it.\nalter table workspaces drop column from_the_future;`,
  );
  await migrate(db, [...known, expanding, contracting]);
  expect(await migrate(db)).toEqual([]);

  // One that brings migrations of its own is not older, but another program.
  await expect(migrate(db, [...known, table(newest + 9)])).rejects.toThrow('The database is newer than this program');
  expect(await tablesOf(db)).not.toContain(`step_${newest + 9}`);

  const tooNew = String(newest + 1).padStart(4, '0');
  const breaking = table(
    newest + 3,
    `-- compatible from ${tooNew}: nothing reads it since then.\ncreate table last (id integer primary key);`,
  );
  await migrate(db, [...known, expanding, contracting, breaking]);
  await expect(migrate(db)).rejects.toThrow(`it has migration ${newest + 3}`);
  expect(await migrate(db, [...known, expanding])).toEqual([]);
});

test('a database of a program that knew nothing of compatibility learns it with the next migration', async () => {
  const db = await open(await newPlace());
  const time = engine === 'sqlite' ? 'text' : 'timestamptz';
  await db.run(
    raw(
      `create table schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at ${time} not null)`,
    ),
  );
  const first = table(1);
  const asBefore = ({ version, name, checksum }: Migration) => sql`
    insert into schema_migrations (version, name, checksum, applied_at) values (${version}, ${name}, ${checksum}, ${new Date().toISOString()})`;
  await db.run(asBefore(first));
  expect(await migrate(db, [first])).toEqual([]);
  const second = table(11);
  expect(await migrate(db, [first, second])).toEqual([second]);
  // And the program from before goes on with its own way to record.
  await db.run(asBefore(table(12)));
  const rows = await db.query(sql`select version, compatible_from as "from" from schema_migrations order by version`);
  expect(rows).toEqual([
    { version: 1, from: null },
    { version: 11, from: 9 },
    { version: 12, from: null },
  ]);
});

test('a script that fails leaves nothing of itself, keeps those before it, and can be run once mended', async () => {
  const db = await open(await newPlace());
  const broken = table(2, 'create table half (id integer primary key); insert into half (id) values (1); create table half (id integer);');
  await expect(migrate(db, [table(1), broken, table(3)])).rejects.toThrow(/half/);
  expect(await tablesOf(db)).toEqual(['schema_migrations', 'step_1']);
  expect(await recorded(db)).toMatchObject([{ version: 1 }]);
  expect((await migrate(db, [table(1), table(2), table(3)])).map(({ version }) => version)).toEqual([2, 3]);
});

test('a first script that fails leaves a database as empty as it was', async () => {
  const db = await open(await newPlace());
  await expect(migrate(db, [table(1, 'create table one (id integer primary key); this is not sql;')])).rejects.toThrow();
  expect(await tablesOf(db)).toEqual([]);
  expect(await pendingMigrations(db)).toEqual(await readMigrations(engine));
});

if (engine === 'postgres')
  test('ten nodes that start at once on one database migrate it once', async () => {
    const place = await newPlace();
    const nodes = await Promise.all(Array.from({ length: 10 }, () => open(place)));
    const ran = await Promise.all(nodes.map((node) => migrate(node)));
    const known = await readMigrations(engine);
    expect(ran.filter((migrations) => migrations.length > 0)).toEqual([known]);
    for (const node of nodes) expect(await recorded(node)).toHaveLength(known.length);
  });

test('memories that were there before know their agent', async () => {
  const db = await open(await newPlace());
  const known = await readMigrations(engine);
  await migrate(
    db,
    known.filter(({ version }) => version <= 5),
  );
  const [workspaceId, agentId, sessionId, goneId] = [newId(), newId(), newId(), newId()];
  const now = new Date(0).toISOString();
  await db.run(sql`
    insert into sessions (workspace_id, id, agent_id, external_id, named, title, status, labels, labels_key, meta, message_count, message_edits,
      memory_count, memory_edits, last_activity_at, created_at, updated_at)
    values (${workspaceId}, ${sessionId}, ${agentId}, 'one', ${true}, '', 'active', '{}', '', '{}', 0, 0, 1, 0, ${now}, ${now}, ${now})`);
  for (const id of [sessionId, goneId])
    await db.run(sql`
      insert into memories (workspace_id, session_id, id, kind, content, meta, version, source, created_at, updated_at)
      values (${workspaceId}, ${id}, ${newId()}, 'fact', 'One', '{}', 1, 'written', ${now}, ${now})`);
  await migrate(db);
  const found = await db.query(sql<{ sessionId: string; agentId: string | null }>`
    select session_id as "sessionId", agent_id as "agentId" from memories where workspace_id = ${workspaceId}`);
  expect(new Map(found.map((row) => [row.sessionId, row.agentId]))).toEqual(
    new Map([
      [sessionId, agentId],
      [goneId, null],
    ]),
  );
});

test('what there is in the workspaces that were there before is counted', async () => {
  const db = await open(await newPlace());
  const all = await readMigrations(engine);
  await migrate(
    db,
    all.filter(({ version }) => version < 8),
  );
  const [id, now] = [newId(), new Date().toISOString()];
  await db.run(sql`insert into workspaces (id, name, handle, created_at, updated_at) values (${id}, 'Ours', 'ours', ${now}, ${now})`);
  await migrate(db, all);
  const pending = await db.query(sql<{ metric: string; createdAt: string }>`
    select metric, created_at as "createdAt" from pending_counts where workspace_id = ${id} order by metric`);
  expect(pending.map(({ metric }) => metric)).toEqual(['documents', 'jobsWaiting']);
  for (const { createdAt } of pending) expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});
