/** `serve`: the service from start to stop. */
import type { AddressInfo } from 'node:net';
import { styleText } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type App, createApp } from '../app.ts';
import { hashSecret } from '../auth/secrets.ts';
import { findApiKeyCaller } from '../auth/store.ts';
import { type Config, readConfig } from '../config.ts';
import type { Database } from '../db/database.ts';
import { type MigratableDatabase, migrate, newerMigrations } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { findDashboard } from '../http/dashboard.ts';
import { closeStartingServer, createStartingServer } from '../http/starting.ts';
import { createLogger } from '../logging.ts';
import { hasUsers } from '../users/store.ts';
import { programName } from './command.ts';
import { type Facts, firstScreen } from './first-screen.ts';
import { StopRequest } from './stop-request.ts';
import { readVersion } from './version.ts';

export async function run(): Promise<number> {
  const config = readConfig(process.env);
  const terminal = process.stdout.isTTY === true;
  const log = await createLogger(config.logLevel, terminal);
  const stop = new StopRequest(log);
  await using service = await start(config, log);
  if (terminal) process.stdout.write(firstScreen(await factsOf(config, service), styleText));
  await stop.made;
  await service.close();
  log.info('stopped');
  return stop.exitCode;
}

interface Service extends AsyncDisposable {
  readonly db: Database;
  /** Where it can be reached from this machine. */
  readonly localUrl: string;
  /** Answers what is under way, then lets go of everything. */
  close(): Promise<void>;
}

async function start(config: Config, log: Logger): Promise<Service> {
  await using parts = new AsyncDisposableStack();
  const { db, app } = await prepare(config, log, parts);
  parts.defer(() => endKeptAlive(app.server));
  await listen(app.server, config, log);
  app.start();
  const held = parts.move();
  const close = () => held.disposeAsync();
  return { db, localUrl: localUrlOf(app.server), close, [Symbol.asyncDispose]: close };
}

/** May take long, where there is much to migrate or others migrate: meanwhile the port is answered. */
async function prepare(config: Config, log: Logger, parts: AsyncDisposableStack): Promise<{ db: Database; app: App }> {
  await using starting = new AsyncDisposableStack();
  // A port that is not yet known is asked by nobody.
  if (config.port !== 0) {
    const server = await createStartingServer(config, log);
    starting.defer(() => closeStartingServer(server));
    await listen(server, config);
  }
  const db = await openDatabase(config, log);
  parts.defer(() => db.close());
  for (const { version, name } of await migrate(db)) log.info({ version, migration: name }, 'migrated');
  for (const { version, name } of await newerMigrations(db))
    log.warn({ version, migration: name }, 'the database was migrated by a newer program, beside which this one works');
  await joinNodes(db);
  const app = await createApp(config, db, log);
  parts.defer(() => app.close());
  return { db, app };
}

/** PostgreSQL's nodes tell each other what was revoked; the embedded engine has but one. */
async function joinNodes(db: MigratableDatabase): Promise<void> {
  if ('join' in db && typeof db.join === 'function') await db.join();
}

/** Says where, to the log that is given: the framework has none. */
async function listen(server: FastifyInstance, { host, port }: Config, log?: Logger): Promise<void> {
  const say = (address: string) => {
    const text = `listening at ${address}`;
    log?.info(text);
    return text;
  };
  try {
    await server.listen({ host, port, listenTextResolver: say });
  } catch (error) {
    throw new Error(whyNotListening(error as NodeJS.ErrnoException, host, port), { cause: error });
  }
}

function whyNotListening(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use. Stop what listens there, or set COMMONPLACE_PORT to another port (0 takes a free one).`;
    case 'EADDRNOTAVAIL':
      return `This machine does not have the address ${host}. Set COMMONPLACE_HOST to one that it has, or to 0.0.0.0 for all of them.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host name ${host} is not known. Set COMMONPLACE_HOST to an address of this machine, or to 0.0.0.0 for all of them.`;
    case 'EACCES':
      return `This user may not listen on port ${port}. Set COMMONPLACE_PORT to a port from 1024 up.`;
    default:
      return `Can't listen on ${host}, port ${port}: ${error.message}.`;
  }
}

/** A server that closes ends what is idle then; a connection that becomes so with its last answer would hold it up for a minute. */
function endKeptAlive({ server }: FastifyInstance): void {
  const looking = setInterval(() => server.closeIdleConnections(), 50);
  server.once('close', () => clearInterval(looking));
}

function localUrlOf({ server }: FastifyInstance): string {
  const { address, port, family } = server.address() as AddressInfo;
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function factsOf(config: Config, { db, localUrl }: Service): Promise<Facts> {
  const apiKey = config.admin?.apiKey;
  return {
    version: readVersion(),
    url: process.env.COMMONPLACE_PUBLIC_URL?.trim() ? config.publicUrl : localUrl,
    everywhere: config.host === '0.0.0.0' || config.host === '::',
    database: await db.describe(),
    embedded: db.engine === 'sqlite',
    hasAccount: await hasUsers(db),
    adminKey: apiKey === undefined ? 'none' : (await findApiKeyCaller(db, hashSecret(apiKey))) ? 'works' : 'unknown',
    program: programName(),
    dashboard: findDashboard() !== undefined,
  };
}
