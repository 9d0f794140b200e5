/** Databases of Citus: one of the same name on every server, each a copy of a template that is made once a run. */
import pg from 'pg';

export interface CitusServers {
  readonly url: string;
  readonly workerUrls: readonly string[];
}

const allUrls = ({ url, workerUrls }: CitusServers) => [url, ...workerUrls];

/** An empty database with Citus and pgvector, the workers known to the coordinator. */
export async function createCitusDatabase(servers: CitusServers, name: string): Promise<string> {
  const url = await createPlainDatabase(servers, name);
  await addCitus(servers, name);
  return url;
}

/** An empty database on every server, with pgvector and without Citus. */
export async function createPlainDatabase(servers: CitusServers, name: string): Promise<string> {
  await onEach(servers, undefined, async (client) => {
    // Said on each server by hand; Citus would pass on the statement.
    await client.query('set citus.enable_create_database_propagation = off');
    await client.query(`create database ${name}`);
  });
  await onEach(servers, name, async (client) => void (await client.query('create extension vector')));
  return urlOf(servers.url, name);
}

/** As one does by hand: the extension everywhere, then the coordinator's own address and those of the workers. */
export async function addCitus(servers: CitusServers, name: string, { withCoordinator = true } = {}): Promise<void> {
  await onEach(servers, name, async (client) => void (await client.query('create extension citus')));
  await onServer(urlOf(servers.url, name), async (client) => {
    const address = (of: string) => [new URL(of).hostname, Number(new URL(of).port)];
    if (withCoordinator) await client.query('select citus_set_coordinator_host($1, $2)', address(servers.url));
    for (const worker of servers.workerUrls) await client.query('select citus_add_node($1, $2)', address(worker));
  });
}

/** Nobody may connect from now on: what works in the background of Citus would keep it from being copied. */
export async function sealCitusTemplate(servers: CitusServers, name: string): Promise<void> {
  await onEach(servers, undefined, async (client) => {
    await client.query(`update pg_database set datallowconn = false, datistemplate = true where datname = '${name}'`);
    await endConnections(client, name);
  });
}

export async function isSealed(client: pg.Client, name: string): Promise<boolean> {
  return (await client.query('select 1 from pg_database where datname = $1 and datistemplate', [name])).rowCount === 1;
}

export async function copyCitusDatabase(servers: CitusServers, template: string, name: string): Promise<string> {
  await onEach(servers, undefined, async (client) => {
    await client.query('set citus.enable_create_database_propagation = off');
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  });
  return urlOf(servers.url, name);
}

export async function dropCitusDatabase(servers: CitusServers, name: string): Promise<void> {
  await onEach(servers, undefined, async (client) => {
    await client.query('set citus.enable_create_database_propagation = off');
    await client.query(`update pg_database set datistemplate = false, datallowconn = false where datname = '${name}'`);
    await endConnections(client, name);
    await client.query(`drop database if exists ${name} with (force)`);
  });
}

async function endConnections(client: pg.Client, name: string): Promise<void> {
  await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name]);
}

async function onEach(servers: CitusServers, database: string | undefined, work: (client: pg.Client) => Promise<void>): Promise<void> {
  await Promise.all(allUrls(servers).map((url) => onServer(database === undefined ? url : urlOf(url, database), work)));
}

async function onServer(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

export function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
