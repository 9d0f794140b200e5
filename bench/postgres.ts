/** A PostgreSQL whose commits reach the disk. The one that tests start keeps nothing, so it is started again with the server's own defaults. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { postgresSources, startPostgres } from '../packages/server/test/postgres-server.ts';

const run = promisify(execFile);

export interface Postgres extends AsyncDisposable {
  /** The address of a new, empty database. */
  newDatabase(): Promise<string>;
}

/** Undefined where the machine has none. BENCH_DATABASE_URL names a server to use as it is. */
export async function openPostgresServer(): Promise<Postgres | undefined> {
  const given = process.env.BENCH_DATABASE_URL;
  if (!given && postgresSources().length === 0) return undefined;
  const cluster = given ? { url: given, stop: () => undefined } : await startPostgres();
  const names: string[] = [];
  try {
    if (!given) await makeDurable(cluster.url);
    await requireDurable(cluster.url);
  } catch (error) {
    cluster.stop();
    throw error;
  }
  return {
    newDatabase: async () => {
      const name = `bench_${randomBytes(5).toString('hex')}`;
      await ask(cluster.url, `create database ${name}`);
      names.push(name);
      const url = new URL(cluster.url);
      url.pathname = `/${name}`;
      return url.href;
    },
    [Symbol.asyncDispose]: async () => {
      for (const name of names) await ask(cluster.url, `drop database if exists ${name} with (force)`);
      cluster.stop();
    },
  };
}

async function makeDurable(url: string): Promise<void> {
  const [row] = await ask<{ options: string; pid: string }>(
    url,
    `select pg_read_file('postmaster.opts') as options, split_part(pg_read_file('postmaster.pid'), e'\\n', 1) as pid`,
  );
  const [, bin, data] = /^(\S+)\/postgres "-D" "([^"]+)"/.exec(row?.options ?? '') ?? [];
  // A server in a container can't be seen from here.
  const root = await readlink(`/proc/${row?.pid}/root`).catch(() => undefined);
  if (bin === undefined || data === undefined || root === undefined) return;
  const { port } = new URL(url);
  const settings = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=200`;
  const restart = `${bin}/pg_ctl restart --wait --mode=fast --pgdata=${data} --log=${data}/../log --options="${settings}" </dev/null`;
  const asPostgres = process.getuid?.() === 0 ? ['su', 'postgres', '-s', '/bin/sh', '-c', `cd / && ${restart}`] : ['sh', '-c', restart];
  const [program, ...args] = root === '/' ? asPostgres : ['chroot', root, ...asPostgres];
  await run(program as string, args);
}

async function requireDurable(url: string): Promise<void> {
  const [row] = await ask<{ durable: boolean }>(
    url,
    `select current_setting('fsync') = 'on' and current_setting('synchronous_commit') = 'on' and current_setting('full_page_writes') = 'on' as durable`,
  );
  if (!row?.durable)
    console.warn('Bench: this PostgreSQL does not sync its commits; its writes are not comparable. Set BENCH_DATABASE_URL.');
}

async function ask<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
