/** Connections: where they go, how each is set up, and whether the server at the other end is one that can be used. */

import pg from 'pg';
import type { Log } from '../../logging.ts';
import { DatabaseUnusable } from '../errors.ts';
import type { Hosts } from './hosts.ts';
import { types } from './types.ts';

export const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface ConnectionOptions {
  readonly hosts: Hosts;
  /** How long to wait for a new connection, or for one of the pool to become free. */
  readonly connectTimeoutMs: number;
  /** How long to wait for any answer, where a server may be gone without a word. */
  readonly answerTimeoutMs?: number | undefined;
}

const OLDEST_SERVER = 15;
const OLDEST_PGVECTOR = '0.7.0';

export function clientConfig({ hosts, connectTimeoutMs, answerTimeoutMs }: ConnectionOptions): pg.ClientConfig {
  return {
    connectionString: hosts.url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    fallback_application_name: 'commonplace',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    pipeline: true,
    types,
  };
}

/** Settings of a session. Sent as a statement, not in the start-up packet, where an `options` of the URL would replace them. */
export function sessionSettings(settings: Readonly<Record<string, string | number>>): string {
  const all = { timezone: 'UTC', datestyle: 'ISO', bytea_output: 'hex', jit: 'off', ...settings };
  return Object.entries(all)
    .map(([name, value]) => `set ${name} = ${pg.escapeLiteral(String(value))}`)
    .join('; ');
}

/** host:port/database; never a user or a password. */
export function placeOf(hosts: Hosts): string {
  try {
    const { host, port, database } = new pg.Client({ connectionString: hosts.url });
    return `${hosts.names ?? `${host}:${port}`}/${database ?? ''}`;
  } catch (error) {
    throw new DatabaseUnusable('The database URL can not be read. Its form is postgres://user:password@host:5432/database', {
      cause: error,
    });
  }
}

/** A connection outside the pool, for what lasts: listening, migrating. */
export function connectAlone(options: ConnectionOptions, settings: Readonly<Record<string, string | number>>): Promise<pg.Client> {
  return options.hosts.connect(() => connectOnce(options, settings));
}

async function connectOnce(options: ConnectionOptions, settings: Readonly<Record<string, string | number>>): Promise<pg.Client> {
  const client = new options.hosts.Client(clientConfig(options));
  // A loss shows in the statements under way; without a listener it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(sessionSettings(settings));
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
}

/** Refuses a server that is too old or has no pgvector, before anything else is tried on it. */
export async function requireUsable(pool: pg.Pool, place: string): Promise<void> {
  let row: { major: number; version: string; pgvector: string | null };
  try {
    const result = await pool.query(
      `select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as version,
         (select coalesce(installed_version, default_version) from pg_available_extensions where name = 'vector') as pgvector`,
    );
    row = result.rows[0];
  } catch (error) {
    throw new DatabaseUnusable(`Can't use PostgreSQL at ${place}: ${adviceFor(error)}`, { cause: error });
  }
  if (row.major < OLDEST_SERVER) {
    throw new DatabaseUnusable(
      `PostgreSQL at ${place} is version ${row.version}; version ${OLDEST_SERVER} or later is needed. Upgrade it, or point the URL at another server.`,
    );
  }
  if (row.pgvector === null || isOlder(row.pgvector, OLDEST_PGVECTOR)) {
    const found = row.pgvector === null ? 'has no pgvector' : `has pgvector ${row.pgvector}`;
    throw new DatabaseUnusable(
      `PostgreSQL at ${place} ${found}; pgvector ${OLDEST_PGVECTOR} or later is needed. Install it on the server (on Debian: postgresql-${row.major}-pgvector), ` +
        'or use the image pgvector/pgvector:pg17.',
    );
  }
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}

function adviceFor(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  switch (code) {
    case 'ECONNREFUSED':
      return 'nothing listens there. Start the server, or correct the host and port of the URL.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name is not known. Correct the host of the URL.';
    case '28P01':
    case '28000':
      return 'the server refused the user or the password. Correct them in the URL, or allow the user in pg_hba.conf.';
    case '3D000':
      return 'the database does not exist. Create it with "createdb", or correct its name in the URL.';
    case '57P03':
      return 'the server is starting or stopping. Try again in a moment.';
    case '53300':
      return 'the server has no connection left. Raise its max_connections, or lower the pool sizes of those who use it.';
    default:
      if (/timeout/i.test(message)) return 'it did not answer in time. Check the host, the port and the firewall between.';
      if (/ssl|certificate|self-signed/i.test(message)) return `${message}. Set sslmode in the URL to what the server offers.`;
      return `${message}.`;
  }
}
