/** Databases for tests: each test file gets its own, copied from a template that is made once a run. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import {
  type CitusServers,
  copyCitusDatabase,
  createCitusDatabase,
  dropCitusDatabase,
  isSealed,
  sealCitusTemplate,
  urlOf,
} from './citus/citus-databases.ts';

declare module 'vitest' {
  interface ProvidedContext {
    engine: 'sqlite' | 'postgres';
    /** The server of this run; undefined where there is none. */
    postgres:
      | { readonly url: string; readonly runId: string /** Where it is a coordinator of Citus. */; readonly workerUrls?: readonly string[] }
      | undefined;
  }
}

export interface TestDatabase {
  readonly url: string;
  /** Ends whatever is still connected, and removes the database. */
  drop(): Promise<void>;
}

export interface Template {
  /** Names what the template holds; each name is prepared once a run. */
  readonly name: string;
  /** Fills the template, and closes its connections before it resolves. */
  prepare(url: string): Promise<void>;
}

const empty: Template = { name: 'empty', prepare: async () => undefined };

/** A fresh PostgreSQL database, with pgvector created and what the template holds. */
export async function createTestDatabase(template: Template = empty): Promise<TestDatabase> {
  const server = inject('postgres');
  if (!server) throw new Error('This run has no PostgreSQL');
  const name = `test_${server.runId}_${randomBytes(5).toString('hex')}`;
  if (server.workerUrls) return createOnCitus({ ...server, workerUrls: server.workerUrls }, template, name);
  await onServer(server.url, async (client) => {
    const source = await requireTemplate(client, server, template);
    await client.query(`create database ${name} template ${source}`);
  });
  const drop = () => onServer(server.url, (client) => client.query(`drop database if exists ${name} with (force)`));
  return { url: urlOf(server.url, name), drop: async () => void (await drop()) };
}

async function createOnCitus(servers: CitusServers & { runId: string }, template: Template, name: string): Promise<TestDatabase> {
  const source = `test_${servers.runId}_template_${template.name}`;
  await onServer(servers.url, async (client) => {
    if (await isSealed(client, source)) return;
    await client.query('select pg_advisory_lock(hashtext($1))', [source]);
    if (await isSealed(client, source)) return;
    // One that a failure left unfinished.
    await dropCitusDatabase(servers, source);
    await template.prepare(await createCitusDatabase(servers, source));
    await sealCitusTemplate(servers, source);
  });
  return { url: await copyCitusDatabase(servers, source, name), drop: () => dropCitusDatabase(servers, name) };
}

/** The template of this name, made by whoever comes first while the others wait. */
async function requireTemplate(client: pg.Client, server: { url: string; runId: string }, template: Template): Promise<string> {
  const name = `test_${server.runId}_template_${template.name}`;
  const exists = async () => (await client.query('select 1 from pg_database where datname = $1', [name])).rowCount === 1;
  if (await exists()) return name;
  await client.query('select pg_advisory_lock(hashtext($1))', [name]);
  if (await exists()) return name;
  const unfinished = `${name}_unfinished`;
  await client.query(`drop database if exists ${unfinished} with (force)`);
  await client.query(`create database ${unfinished}`);
  const url = urlOf(server.url, unfinished);
  await onServer(url, (inside) => inside.query('create extension vector'));
  await template.prepare(url);
  await client.query(`alter database ${unfinished} rename to ${name}`);
  return name;
}

/** Removes every database of a run. For the end of the run. */
export async function dropTestDatabases(url: string, runId: string): Promise<void> {
  await onServer(url, async (client) => {
    const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [`test_${runId}_`]);
    for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
  });
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
