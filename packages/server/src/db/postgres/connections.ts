/** Connections: where they go, and how each is set up. */

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
  return assignments('set', { timezone: 'UTC', datestyle: 'ISO', bytea_output: 'hex', jit: 'off', ...settings });
}

/** What a pooler in transaction mode keeps for a client, whichever session it has. All else would be left behind for others. */
export const sharedSessionSettings = assignments('set', { timezone: 'UTC', datestyle: 'ISO' });

/** The statement that begins a transaction with settings of its own. */
export function beginWith(settings: Readonly<Record<string, string | number>>): string {
  return ['begin', assignments('set local', settings)].filter(Boolean).join('; ');
}

function assignments(verb: 'set' | 'set local', settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${verb} ${name} = ${pg.escapeLiteral(String(value))}`)
    .join('; ');
}

/** host:port/database; never a user or a password. */
export function placeOf(hosts: Hosts): string {
  try {
    const { host, port, database } = new pg.Client({ connectionString: hosts.url });
    return `${hosts.names ?? `${host}:${port}`}/${database ?? ''}`;
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code !== undefined && path !== undefined) {
      throw new DatabaseUnusable(
        `The database URL names a file that can not be read: ${path} (${code}). Correct sslrootcert, sslcert or sslkey.`,
        {
          cause: error,
        },
      );
    }
    throw new DatabaseUnusable('The database URL can not be read. Its form is postgres://user:password@host:5432/database', {
      cause: error,
    });
  }
}

/** A connection outside the pool, for what lasts: listening, migrating. */
export function connectAlone(options: ConnectionOptions, settings: Readonly<Record<string, string | number>>): Promise<pg.Client> {
  return options.hosts.connect(() => connectOnce(options, (client) => client.query(sessionSettings(settings))));
}

/** As it comes, without settings of its own. */
export function connectPlainly(options: ConnectionOptions): Promise<pg.Client> {
  return options.hosts.connect(() => connectOnce(options, async () => undefined));
}

async function connectOnce(options: ConnectionOptions, setUp: (client: pg.Client) => Promise<unknown>): Promise<pg.Client> {
  const client = new options.hosts.Client(clientConfig(options));
  // A loss shows in the statements under way; without a listener it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await setUp(client);
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
}
