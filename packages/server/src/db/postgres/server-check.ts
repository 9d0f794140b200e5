/** Whether the server at the other end is one that can be used, and whether its connections have sessions of their own. */
import type pg from 'pg';
import { DatabaseUnusable } from '../errors.ts';
import { adviceFor } from './advice.ts';
import { type ConnectionOptions, connectPlainly, placeOf } from './connections.ts';
import { Hosts } from './hosts.ts';

const OLDEST_SERVER = 15;

interface ExaminedServer {
  /** A pooler in transaction mode is in between: two statements of a connection may meet two sessions. */
  readonly sharesSessions: boolean;
  /** The same for every way to one database of one running server. */
  readonly identity: string;
}

interface Examined {
  major: number;
  version: string;
  pid: number;
  identity: string;
}

export interface Ways {
  readonly hosts: Hosts;
  /** Around a pooler; the same where there is none. */
  readonly directHosts: Hosts;
  readonly sharesSessions: boolean;
}

/** How the server is reached, and whether a pooler shares sessions on the way; refuses one without a way around it. */
export async function examineWays(url: string, directUrl: string | undefined, connectTimeoutMs: number): Promise<Ways> {
  const hosts = new Hosts(url);
  const place = placeOf(hosts);
  const server = await examineServer({ hosts, connectTimeoutMs }, place);
  if (directUrl === undefined) {
    if (!server.sharesSessions) return { hosts, directHosts: hosts, sharesSessions: false };
    throw new DatabaseUnusable(
      `At ${place} a connection pooler in transaction mode is in front of PostgreSQL. Set COMMONPLACE_DATABASE_DIRECT_URL to the server itself, ` +
        'for notifications and migrations, or let the pooler use session mode for this database.',
    );
  }
  const directHosts = new Hosts(directUrl);
  const directPlace = placeOf(directHosts);
  const direct = await examineServer({ hosts: directHosts, connectTimeoutMs }, directPlace);
  if (direct.sharesSessions) {
    throw new DatabaseUnusable(
      `COMMONPLACE_DATABASE_DIRECT_URL leads to a connection pooler in transaction mode, at ${directPlace}. Let it name the PostgreSQL server itself.`,
    );
  }
  if (direct.identity !== server.identity) {
    throw new DatabaseUnusable(
      `COMMONPLACE_DATABASE_DIRECT_URL (${directPlace}) and COMMONPLACE_DATABASE_URL (${place}) lead to two databases. Let both lead to the same one.`,
    );
  }
  return { hosts, directHosts, sharesSessions: server.sharesSessions };
}

/** Refuses a server that can't be reached or is too old, before anything else is tried on it. */
async function examineServer(options: ConnectionOptions, place: string): Promise<ExaminedServer> {
  const clients: pg.Client[] = [];
  const connect = async () => {
    const client = await connectPlainly(options);
    clients.push(client);
    return client;
  };
  try {
    const client = await connect();
    const { rows } = await client.query<Examined>(
      `select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as version, pg_backend_pid() as pid,
         extract(epoch from pg_postmaster_start_time()) || ' ' || (select oid from pg_database where datname = current_database()) as identity`,
    );
    const row = rows[0] as Examined;
    if (row.major < OLDEST_SERVER) {
      throw new DatabaseUnusable(
        `PostgreSQL at ${place} is version ${row.version}; version ${OLDEST_SERVER} or later is needed. Upgrade it, or point the URL at another server.`,
      );
    }
    // The server greets each connection with the id of its process; a pooler, with a number of its own.
    const isDirect = (client as { processID?: number }).processID === row.pid;
    return { sharesSessions: !isDirect && (await meetsOtherSessions(client, connect)), identity: row.identity };
  } catch (error) {
    if (error instanceof DatabaseUnusable) throw error;
    throw new DatabaseUnusable(`Can't use PostgreSQL at ${place}: ${adviceFor(error)}`, { cause: error });
  } finally {
    for (const client of clients) client.end().catch(() => undefined);
  }
}

/** For people: which versions are there, and where. */
export async function describeServer(client: pg.ClientBase, place: string): Promise<string> {
  const { rows } = await client.query<{ version: string; pgvector: string | null; citus: string | null }>(
    `select split_part(current_setting('server_version'), ' ', 1) as version,
       (select extversion from pg_extension where extname = 'vector') as pgvector,
       (select extversion from pg_extension where extname = 'citus') as citus`,
  );
  const { version, pgvector, citus } = rows[0] as (typeof rows)[number];
  const extension = pgvector ? `pgvector ${pgvector}` : 'without pgvector, which is not needed';
  return `PostgreSQL ${version} at ${place}, ${extension}${citus ? `, Citus ${citus}` : ''}`;
}

/**
 * Whether a connection shares its server processes with others. A pooler that hands out the one used last gives the second
 * connection that of the first; one that hands them out in turn gives the first another each time.
 */
async function meetsOtherSessions(first: pg.Client, connect: () => Promise<pg.Client>): Promise<boolean> {
  const second = await connect();
  const pidOf = async (client: pg.Client) => (await client.query('select pg_backend_pid() as pid')).rows[0].pid as number;
  const own = await pidOf(first);
  await second.query('begin');
  const pids = [await pidOf(first)];
  const others = await pidOf(second);
  await second.query('commit');
  pids.push(await pidOf(first), await pidOf(first));
  return others === own || pids.some((pid) => pid !== own);
}
