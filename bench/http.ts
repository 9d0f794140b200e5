/** The suite `http`: reads and writes through the whole stack, beside a bare route and beside the engines alone. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Samples } from './bare-server.ts';
import type { Direct, Way } from './direct.ts';
import type { Load } from './load.ts';
import { CONNECTIONS, type Measure, median, medianRatio } from './measure.ts';
import { openPostgresServer } from './postgres.ts';
import { type Helper, Processes } from './processes.ts';
import { body, collectionPath, collectionPattern, itemPattern, ROWS } from './resources.ts';
import { call, type Service, startService } from './service.ts';
import { heading, rateRow, ratioRow } from './table.ts';

const WARM_UP_SECONDS = 3;

export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
}

interface Case {
  readonly name: string;
  run(seconds: number): Promise<Measure>;
}

type Generator = Helper<Load, Measure>;

export async function runHttp(effort: Effort): Promise<void> {
  await using processes = new Processes();
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  folders.defer(() => rm(folder, { recursive: true, force: true }));
  await using postgres = await openPostgresServer();
  if (!postgres) console.warn('Bench: no PostgreSQL with pgvector here; its rows are left out');
  await using running = new Processes();

  const generator = await processes.helper<Load, Measure>('load.ts');
  const embedded = await startService(running, { COMMONPLACE_DATA_DIR: join(folder, 'service') });
  const filled = await fill(embedded);
  const cases = [
    ...(await bareCases(running, generator, filled)),
    ...(await directCases(running, 'SQLite, plain', 'plain', join(folder, 'plain'))),
    ...(await directCases(running, 'SQLite, our engine', 'ours', join(folder, 'ours'))),
    ...httpCases(generator, 'Commonplace on SQLite', embedded, filled),
  ];
  if (postgres) {
    const service = await startService(running, { COMMONPLACE_DATABASE_URL: await postgres.newDatabase() });
    cases.push(
      ...(await directCases(running, 'PostgreSQL, plain', 'plain', await postgres.newDatabase())),
      ...(await directCases(running, 'PostgreSQL, our engine', 'ours', await postgres.newDatabase())),
      ...httpCases(generator, 'Commonplace on PostgreSQL', service, await fill(service)),
    );
  }
  report(cases, await measureAll(cases, effort), effort, postgres !== undefined);
}

/** What the service holds, and what it answered. */
interface Filled {
  readonly collection: string;
  readonly items: readonly string[];
  readonly samples: Samples;
}

async function fill(service: Service): Promise<Filled> {
  const workspace = await call<{ id: string }>(service, 'POST', '/api/v1/workspaces', { name: 'Bench' });
  const collection = collectionPath(workspace.id);
  const items: string[] = [];
  let created: { id: string } = { id: '' };
  while (items.length < ROWS) {
    created = await call<{ id: string }>(service, 'POST', collection, body);
    items.push(`${collection}/${created.id}`);
  }
  const item = await call<object>(service, 'GET', items[0] as string);
  return { collection, items, samples: { itemPath: itemPattern, collectionPath: collectionPattern, item, created } };
}

async function bareCases(processes: Processes, generator: Generator, filled: Filled): Promise<Case[]> {
  const bare = await processes.helper<Samples, string>('bare-server.ts');
  return httpCases(generator, 'bare Fastify', { url: await bare.ask(filled.samples), apiKey: 'none' }, filled);
}

function httpCases(generator: Generator, name: string, { url, apiKey }: Pick<Service, 'url' | 'apiKey'>, filled: Filled): Case[] {
  const reads = filled.items.map((path) => ({ method: 'GET' as const, path }));
  const writes = [{ method: 'POST' as const, path: filled.collection, body: JSON.stringify(body) }];
  return [
    { name: `${name}, GET`, run: (seconds) => generator.ask({ url, headers: { 'x-api-key': apiKey }, requests: reads, seconds }) },
    {
      name: `${name}, POST`,
      run: (seconds) =>
        generator.ask({ url, headers: { 'x-api-key': apiKey, 'content-type': 'application/json' }, requests: writes, seconds }),
    },
  ];
}

async function directCases(processes: Processes, name: string, way: Way, place: string): Promise<Case[]> {
  const direct = await processes.helper<Direct, Measure>('direct.ts', way, place);
  return [
    { name: `${name}, read`, run: (seconds) => direct.ask({ operation: 'read', seconds }) },
    { name: `${name}, write`, run: (seconds) => direct.ask({ operation: 'write', seconds }) },
  ];
}

/** Round after round through all cases, so that a busy neighbour hits them alike. */
async function measureAll(cases: readonly Case[], { rounds, seconds }: Effort): Promise<Map<string, Measure[]>> {
  const measures = new Map(cases.map(({ name }) => [name, [] as Measure[]]));
  for (const { run } of cases) await run(WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++) {
    for (const { name, run } of cases) measures.get(name)?.push(await run(seconds));
  }
  return measures;
}

const ratios = [
  { of: 'Commonplace on SQLite, GET', to: 'bare Fastify, GET', aim: 0.6 },
  { of: 'Commonplace on SQLite, POST', to: 'bare Fastify, POST', aim: 0.4 },
  { of: 'Commonplace on PostgreSQL, GET', to: 'PostgreSQL, plain, read', aim: 0.7 },
  { of: 'Commonplace on PostgreSQL, POST', to: 'PostgreSQL, plain, write', aim: 0.7 },
  { of: 'Commonplace on PostgreSQL, GET', to: 'PostgreSQL, our engine, read' },
  { of: 'Commonplace on PostgreSQL, POST', to: 'PostgreSQL, our engine, write' },
];

function report(cases: readonly Case[], measures: ReadonlyMap<string, readonly Measure[]>, effort: Effort, hasPostgres: boolean): void {
  heading(`HTTP: ${CONNECTIONS} callers at once, median of ${effort.rounds} interleaved rounds of ${effort.seconds} s`, [
    '',
    'per second',
    'p50 ms',
    'p99 ms',
  ]);
  for (const { name } of cases) {
    const rounds = measures.get(name) ?? [];
    rateRow(name, {
      perSecond: median(rounds.map(({ perSecond }) => perSecond)),
      p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    });
  }
  heading('Ratios: median of the rounds', ['', 'ratio', 'aim']);
  for (const { of, to, aim } of ratios) {
    if (of.includes('PostgreSQL') && !hasPostgres) continue;
    ratioRow(`${of} / ${to}`, medianRatio(measures.get(of) ?? [], measures.get(to) ?? []), aim);
  }
}
