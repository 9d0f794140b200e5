/** `move`: everything from one engine to the other and back, by real processes. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { isSame, moveDatabase } from '../src/cli/moving/move.ts';
import { readPages } from '../src/cli/moving/pages.ts';
import type { Table } from '../src/cli/moving/tables.ts';
import { cli, serve, temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { type MigratableDatabase, migrate, pendingMigrations } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open.ts';
import { perEngine, raw, sql } from '../src/db/sql.ts';
import { createTestDatabase } from './database.ts';
import { fillEveryTable, openEmbedded, silent, tableNames } from './filled-database.ts';
import { migratedTemplate } from './migrated-template.ts';

const OWN_OF_EACH = ['schema_migrations', 'nodes'];

async function newPostgres(template?: typeof migratedTemplate): Promise<string> {
  const { url, drop } = await createTestDatabase(template);
  onTestFinished(drop);
  return url;
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The types of all columns by `table.column`, as PostgreSQL says them. */
function columnTypes(url: string): Promise<Map<string, string>> {
  return onServer(url, async (client) => {
    const { rows } = await client.query(
      `select table_name || '.' || column_name as name, data_type as type from information_schema.columns where table_schema = 'public'`,
    );
    return new Map(rows.map(({ name, type }) => [name, type]));
  });
}

/** A folder with rows in every table. */
async function newFilledFolder(): Promise<string> {
  const folder = temporaryFolder();
  await fillEveryTable(folder, await columnTypes(await newPostgres(migratedTemplate)));
  return folder;
}

/** By table: everything that is in it, without a word of what moves it. */
async function contentsOf(folder: string): Promise<Map<string, string>> {
  const db = await openEmbedded(folder);
  try {
    const contents = new Map<string, string>();
    for (const table of await tableNames(db)) {
      if (OWN_OF_EACH.includes(table)) continue;
      const rows = (await db.query(sql`select * from ${raw(table)}`)).map((row) =>
        JSON.stringify(row, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)),
      );
      contents.set(
        table,
        JSON.stringify(rows, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)),
      );
    }
    contents.set('sqlite_sequence', JSON.stringify(await db.query(sql`select name, seq from sqlite_sequence order by name`)));
    return contents;
  } finally {
    await db.close();
  }
}

/** Of what the command printed, table by table. */
function sumsOf(stdout: string): Map<string, string> {
  const lines = stdout.trimEnd().split('\n').slice(1);
  return new Map(lines.map((line) => [line.split(/\s+/)[0] as string, line.split(/\s+/).slice(1).join(' ')]));
}

const at = (dataDir: string) => ({ settings: { COMMONPLACE_DATA_DIR: dataDir } });

/** Both open in this process, as the command opens them. */
async function open(folder: string, url: string): Promise<[MigratableDatabase, MigratableDatabase]> {
  const embedded = await openEmbedded(folder);
  const postgres = await openDatabase({ databaseUrl: url, databasePoolSize: 2, dataDir: '' }, silent);
  return [embedded, postgres];
}

const closeBoth = async (both: readonly MigratableDatabase[]) => void (await Promise.all(both.map((db) => db.close())));

if (inject('postgres'))
  describe('with a PostgreSQL', () => {
    test('every table goes there and back, with every row as it was', async () => {
      const folder = await newFilledFolder();
      const url = await newPostgres();
      const there = await cli(['move', '--to', url], at(folder));
      expect(there).toMatchObject({ code: 0, stderr: expect.stringContaining('Set COMMONPLACE_DATABASE_URL') });
      const before = await contentsOf(folder);
      const sums = sumsOf(there.stdout);
      // What a later migration adds is in here, or this fails.
      const tablesOfServer = [...(await columnTypes(url)).keys()].map((name) => name.split('.')[0] as string);
      expect(new Set(sums.keys())).toEqual(new Set(tablesOfServer).difference(new Set(OWN_OF_EACH)));
      expect(new Set(sums.keys())).toEqual(new Set(before.keys()).difference(new Set(['sqlite_sequence'])));
      for (const sum of sums.values()) expect(sum).toMatch(/^3 [0-9a-f]{16} same$/);

      await onServer(url, (client) => client.query('create table strangers (id integer)'));
      const other = temporaryFolder();
      const back = await cli(['move', '--from', url, '--data-dir', other]);
      expect(back.stderr).toContain("Not moved, as it is not Commonplace's: the table strangers.");
      expect(back).toMatchObject({ code: 0, stderr: expect.stringContaining('Set COMMONPLACE_DATA_DIR') });
      expect(back.stdout).toBe(there.stdout);
      expect(await contentsOf(other)).toEqual(before);
      expect(there.stdout + there.stderr + back.stderr).not.toContain(new URL(url).password || 'no password');
    });

    test('the service goes on with the same keys and ids, and numbers rows after those that were', async () => {
      const settings = { COMMONPLACE_ADMIN_API_KEY: 'the-key-of-the-first-account' };
      const folder = temporaryFolder();
      const owner = { 'x-api-key': settings.COMMONPLACE_ADMIN_API_KEY };
      // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body, field by field.
      const ask = async (base: string, method: string, path: string, body?: object, by: object = owner): Promise<any> => {
        const answer = await fetch(`${base}/api/v1${path}`, {
          method,
          headers: { ...(body && { 'content-type': 'application/json' }), ...by },
          body: body ? JSON.stringify(body) : null,
        });
        expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
        return answer.json();
      };
      const first = await serve({ ...settings, COMMONPLACE_DATA_DIR: folder });
      const workspace = await ask(first.url, 'POST', '/workspaces', { name: 'Moved' });
      const W = `/workspaces/${workspace.id}`;
      const agent = await ask(first.url, 'POST', `${W}/agents`, { name: 'Guide' });
      const session = await ask(first.url, 'POST', `${W}/agents/${agent.id}/sessions`, { id: 'visit-1' });
      const S = `${W}/agents/${agent.id}/sessions/${session.id}`;
      const write = (base: string, content: string) => ask(base, 'POST', `${S}/messages`, { role: 'user', content });
      await write(first.url, 'I live in Lisbon.');
      const { key } = await ask(first.url, 'POST', `${W}/keys`, { name: 'app', permissions: ['CAN_LIST_SESSION_MESSAGES'] });
      const running = await cli(['move', '--to', await newPostgres()], at(folder));
      expect(running).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use by process') });
      await first.stop();

      const url = await newPostgres();
      expect(await cli(['move', '--to', url], at(folder))).toMatchObject({ code: 0 });
      const second = await serve({ ...settings, COMMONPLACE_DATABASE_URL: url, COMMONPLACE_DATABASE_POOL_SIZE: '4' });
      const read = async (base: string) => {
        const { messages } = await ask(base, 'GET', `${S}/messages`, undefined, { 'x-access-key': key });
        return messages.map(({ content }: { content: string }) => content).sort();
      };
      expect(await read(second.url)).toEqual(['I live in Lisbon.']);
      await write(second.url, 'I have a cat.');
      const served = await cli(['move', '--from', url], at(temporaryFolder()));
      expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining('A service is running on that PostgreSQL') });
      await second.stop();

      const back = temporaryFolder();
      expect(await cli(['move', '--from', url], at(back))).toMatchObject({ code: 0 });
      const third = await serve({ ...settings, COMMONPLACE_DATA_DIR: back });
      await write(third.url, 'I like tea.');
      expect(await read(third.url)).toEqual(['I have a cat.', 'I like tea.', 'I live in Lisbon.']);
      await third.stop();
    });

    test('a database that nobody has written to is moved, too', async () => {
      const folder = temporaryFolder();
      expect(await cli(['migrate'], at(folder))).toMatchObject({ code: 0 });
      const { code, stdout } = await cli(['move', '--to', await newPostgres()], at(folder));
      expect(code).toBe(0);
      for (const sum of sumsOf(stdout).values()) expect(sum).toMatch(/^0 0{16} same$/);
    });

    test('numbers that were given once are not given again', async () => {
      const folder = await newFilledFolder();
      const embedded = await openEmbedded(folder);
      await embedded.run(sql`delete from message_writes`);
      await embedded.close();
      const url = await newPostgres();
      expect(await cli(['move', '--to', url], at(folder))).toMatchObject({ code: 0 });
      const position = await onServer(url, async (client) => {
        const { rows } = await client.query(
          `insert into message_writes (workspace_id, session_id, messages, message_count, created_at)
           values (gen_random_uuid(), gen_random_uuid(), '[]', 0, now()) returning position`,
        );
        return Number(rows[0].position);
      });
      expect(position).toBeGreaterThan(2 ** 52 + 3);
    });

    test('a database that is not empty is refused, and stays as it was', async () => {
      const folder = await newFilledFolder();
      const url = await newPostgres(migratedTemplate);
      await onServer(url, (client) =>
        client.query(
          `insert into workspaces (id, name, handle, created_at, updated_at) values (gen_random_uuid(), 'Mine', 'mine', now(), now())`,
        ),
      );
      const { code, stdout, stderr } = await cli(['move', '--to', url], at(folder));
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('That database is not empty: there are rows in workspaces.');
      const count = await onServer(url, async (client) => (await client.query('select count(*) as n from users')).rows[0].n);
      expect(count).toBe('0');
      // Nor is one that holds rows replaced the other way, or brought up to this version first.
      const meddler = new DatabaseSync(join(folder, 'commonplace.db'));
      meddler.exec('delete from schema_migrations where version > 9');
      const back = await cli(['move', '--from', url], at(folder));
      expect(back).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
      expect(meddler.prepare('select max(version) as last from schema_migrations').get()).toEqual({ last: 9 });
      meddler.close();
    });

    test.each(['postgres', 'sqlite'] as const)('one that was stopped half way into %s is served to nobody, and goes on', async (engine) => {
      const folder = await newFilledFolder();
      const url = await newPostgres();
      const other = temporaryFolder();
      if (engine === 'sqlite') expect(await cli(['move', '--to', url], at(folder))).toMatchObject({ code: 0 });
      const both = await open(engine === 'postgres' ? folder : other, url);
      const [source, target] = (engine === 'postgres' ? both : both.toReversed()) as [MigratableDatabase, MigratableDatabase];
      let pages = 0;
      const stopped = moveDatabase(source, target, {
        resume: false,
        onProgress: () => {
          if (++pages === 20) throw new Error('stopped');
        },
      });
      await expect(stopped).rejects.toThrow('stopped');
      await expect(pendingMigrations(target)).rejects.toThrow('Not everything is in this database');
      await closeBoth(both);

      const args = engine === 'postgres' ? ['move', '--to', url] : ['move', '--from', url];
      const place = at(engine === 'postgres' ? folder : other);
      expect(await cli(args, place)).toMatchObject({ code: 1, stderr: expect.stringContaining('Go on with --resume') });
      const served = await cli(['serve'], engine === 'postgres' ? { settings: { COMMONPLACE_DATABASE_URL: url } } : place);
      expect(served).toMatchObject({ code: 1 });
      expect(served.stdout + served.stderr).toContain('Not everything is in this database');
      if (engine === 'postgres') {
        const stranger = await cli([...args, '--resume'], at(await newFilledFolder()));
        expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining('half filled from another one') });
      }
      const resumed = await cli([...args, '--resume'], place);
      expect(resumed).toMatchObject({ code: 0 });
      for (const sum of sumsOf(resumed.stdout).values()) expect(sum).toMatch(/^3 [0-9a-f]{16} same$/);
      expect(await cli([...args, '--resume'], place)).toMatchObject({ code: 1, stderr: expect.stringContaining('Leave out --resume') });
    });

    test('a row that differs is found: exit code 1, and nobody is served from there', async () => {
      const folder = await newFilledFolder();
      const url = await newPostgres(migratedTemplate);
      await onServer(url, (client) =>
        client.query(`create function spoil() returns trigger language plpgsql as $$ begin new.name := 'Eve'; return new; end $$;
                      create trigger spoil before insert on agents for each row when (new.name like 'name 2%') execute function spoil()`),
      );
      const { code, stdout, stderr } = await cli(['move', '--to', url], at(folder));
      expect(code).toBe(1);
      expect(sumsOf(stdout).get('agents')).toMatch(/^3 [0-9a-f]{16} DIFFERS: 3 rows, [0-9a-f]{16}$/);
      expect([...sumsOf(stdout).values()].filter((sum) => sum.endsWith('same'))).toHaveLength(sumsOf(stdout).size - 1);
      expect(stderr).toContain('agents differs.');
      expect((await cli(['serve'], { settings: { COMMONPLACE_DATABASE_URL: url } })).code).toBe(1);
    });

    test('a source that is written to meanwhile is found', async () => {
      const folder = await newFilledFolder();
      const both = await open(folder, await newPostgres());
      const [source, target] = both;
      onTestFinished(() => closeBoth(both));
      // By a connection that knows nothing of the folder's lock.
      const meddler = new DatabaseSync(join(folder, 'commonplace.db'));
      const moved = await moveDatabase(source, target, {
        resume: false,
        onProgress: ({ doing, table }) => {
          if (doing === 'comparing' && table === 'workspaces') meddler.exec('update workspace_quotas set messages = 1');
        },
      });
      meddler.close();
      expect(moved.filter((table) => !isSame(table)).map(({ name }) => name)).toEqual(['workspace_quotas']);
      await expect(pendingMigrations(target)).rejects.toThrow('Not everything is in this database');
    });
  });

test.each([
  [[], 'either --to or --from is needed'],
  [['--to', 'postgres://a/b', '--from', 'postgres://a/b'], 'either --to or --from is needed'],
  [['--to', '/somewhere'], '--to is the address of a PostgreSQL'],
])('%j is refused: %s', async (args, message) => {
  expect(await cli(['move', ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test('a folder without a database is named, and nothing is made there', async () => {
  const folder = `${temporaryFolder()}/none`;
  const { code, stderr } = await cli(['move', '--to', 'postgres://ada:sesame@127.0.0.1:1/books'], at(folder));
  expect(code).toBe(1);
  expect(stderr).toContain(`There is no database in ${folder}.`);
  expect(stderr).not.toContain('sesame');
});

test('pages are bounded by what they hold', async () => {
  const db = await openEmbedded(temporaryFolder());
  onTestFinished(() => db.close());
  await migrate(db);
  const contents: Table = {
    name: 'document_contents',
    columns: [
      { name: 'workspace_id', kind: 'id' },
      { name: 'document_id', kind: 'id' },
      { name: 'content', kind: 'bytes' },
    ],
    keys: { sqlite: ['workspace_id', 'document_id'], postgres: [] },
    numbered: undefined,
  };
  const id = (of: number) => createHash('sha256').update(String(of)).digest('hex').slice(0, 32);
  for (let row = 0; row < 600; row++) {
    const bytes = perEngine({ sqlite: `zeroblob(${row < 4 ? 3_000_000 : 10})`, postgres: '' });
    await db.run(
      sql`insert into document_contents (workspace_id, document_id, content) values (${'1'}, ${row < 4 ? `${row}` : `a${id(row)}`}, ${bytes})`,
    );
  }
  const pages: number[] = [];
  for await (const page of readPages(db, contents)) pages.push(page.length);
  expect(pages.slice(0, 3)).toEqual([1, 1, 1]);
  expect(pages.slice(3).every((rows) => rows <= 256)).toBe(true);
  expect(pages.reduce((sum, rows) => sum + rows)).toBe(600);
});
