/** The suites `http` and `agents`: reads and writes through the whole stack, beside a bare route and beside the engines alone. */
import { join } from 'node:path';
import type { Samples } from './bare-server.ts';
import { cpuSecondsOf } from './cpu.ts';
import type { Direct } from './direct.ts';
import type { Load } from './load.ts';
import { CONNECTIONS, type Measure } from './measure.ts';
import type { Way } from './plain.ts';
import { openPostgresServer } from './postgres.ts';
import { Processes } from './processes.ts';
import { type Aim, reportRates, reportRatios } from './rates.ts';
import { BODIES, type Resource, type ResourceName, ROWS, resources } from './resources.ts';
import { type Case, type Effort, type Generator, loadCase, measureCases } from './rounds.ts';
import { call, type Service, startService } from './service.ts';
import { temporaryFolder } from './temporary-folder.ts';

export async function runHttp(effort: Effort, resourceName: ResourceName): Promise<void> {
  const resource = resources[resourceName];
  await using processes = new Processes();
  await using folder = await temporaryFolder();
  await using postgres = await openPostgresServer();
  if (!postgres) console.warn('Bench: no PostgreSQL with pgvector here; its rows are left out');
  await using running = new Processes();

  const generator = await processes.helper<Load, Measure>('load.ts');
  const embedded = await startService(running, { COMMONPLACE_DATA_DIR: join(folder.path, 'service') });
  const filled = await fill(embedded, resource);
  const cases = [
    ...(await bareCases(running, generator, filled)),
    ...(await directCases(running, 'SQLite, plain', 'plain', join(folder.path, 'plain'), resourceName)),
    ...(await directCases(running, 'SQLite, our engine', 'ours', join(folder.path, 'ours'), resourceName)),
    ...httpCases(generator, 'Commonplace on SQLite', embedded, filled),
  ];
  if (postgres) {
    const service = await startService(running, { COMMONPLACE_DATABASE_URL: await postgres.newDatabase() });
    cases.push(
      ...(await directCases(running, 'PostgreSQL, plain', 'plain', await postgres.newDatabase(), resourceName)),
      ...(await directCases(running, 'PostgreSQL, our engine', 'ours', await postgres.newDatabase(), resourceName)),
      ...httpCases(generator, 'Commonplace on PostgreSQL', service, await fill(service, resource)),
    );
  }
  const rounds = await measureCases(cases, effort);
  reportRates(
    `${resourceName}: ${CONNECTIONS} callers at once, median of ${effort.rounds} interleaved rounds of ${effort.seconds} s`,
    rounds,
  );
  reportRatios(rounds, aims);
}

/** What the service holds, and what it answered. */
interface Filled {
  readonly collection: string;
  readonly items: readonly string[];
  readonly bodies: readonly string[];
  readonly samples: Samples;
}

async function fill(service: Service, resource: Resource): Promise<Filled> {
  const workspace = await call<{ id: string }>(service, 'POST', '/api/v1/workspaces', { name: 'Bench' });
  const collection = resource.collectionPattern.replace(':workspaceId', workspace.id);
  const items: string[] = [];
  let created: { id: string } = { id: '' };
  while (items.length < ROWS) {
    created = await call<{ id: string }>(service, 'POST', collection, resource.body(items.length));
    items.push(`${collection}/${created.id}`);
  }
  const item = await call<object>(service, 'GET', items[0] as string);
  const samples = { itemPath: resource.itemPattern, collectionPath: resource.collectionPattern, item, created };
  return { collection, items, bodies: Array.from({ length: BODIES }, (_, turn) => JSON.stringify(resource.body(turn))), samples };
}

async function bareCases(processes: Processes, generator: Generator, filled: Filled): Promise<Case[]> {
  const bare = await processes.helper<Samples, string>('bare-server.ts');
  return httpCases(generator, 'bare Fastify', { url: await bare.ask(filled.samples), apiKey: 'none', pid: bare.pid }, filled);
}

function httpCases(generator: Generator, name: string, service: Service, filled: Filled): Case[] {
  const reads = filled.items.map((path) => ({ method: 'GET' as const, path }));
  const writes = filled.bodies.map((body) => ({ method: 'POST' as const, path: filled.collection, body }));
  return [loadCase(generator, `${name}, GET`, service, reads), loadCase(generator, `${name}, POST`, service, writes)];
}

async function directCases(processes: Processes, name: string, way: Way, place: string, resource: ResourceName): Promise<Case[]> {
  const direct = await processes.helper<Direct, Measure>('direct.ts', way, place, resource);
  return (['read', 'write'] as const).map((operation) => ({
    name: `${name}, ${operation}`,
    cpuSeconds: () => cpuSecondsOf(direct.pid),
    run: (seconds) => direct.ask({ operation, seconds }),
  }));
}

const aims: readonly Aim[] = [
  { of: 'Commonplace on SQLite, GET', to: 'bare Fastify, GET', aim: 0.5 },
  { of: 'Commonplace on SQLite, POST', to: 'bare Fastify, POST', aim: 0.28 },
  { of: 'Commonplace on PostgreSQL, GET', to: 'PostgreSQL, plain, read', aim: 0.7 },
  { of: 'Commonplace on PostgreSQL, POST', to: 'PostgreSQL, plain, write', aim: 0.7 },
  { of: 'Commonplace on PostgreSQL, GET', to: 'PostgreSQL, our engine, read' },
  { of: 'Commonplace on PostgreSQL, POST', to: 'PostgreSQL, our engine, write' },
];
