/** The suites `http` and `agents`: reads and writes through the whole stack, beside a bare route and beside the engines alone. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Samples } from './bare-server.ts';
import { cpuSecondsOf } from './cpu.ts';
import type { Direct, Way } from './direct.ts';
import type { Load } from './load.ts';
import { CONNECTIONS, type Measure, median, medianRatio } from './measure.ts';
import { openPostgresServer } from './postgres.ts';
import { type Helper, Processes } from './processes.ts';
import { BODIES, type Resource, type ResourceName, ROWS, resources } from './resources.ts';
import { call, type Service, startService } from './service.ts';
import { heading, row } from './table.ts';

const WARM_UP_SECONDS = 3;

export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
}

interface Case {
  readonly name: string;
  readonly pid: number;
  run(seconds: number): Promise<Measure>;
}

type Generator = Helper<Load, Measure>;

export async function runHttp(effort: Effort, resourceName: ResourceName): Promise<void> {
  const resource = resources[resourceName];
  await using processes = new Processes();
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  folders.defer(() => rm(folder, { recursive: true, force: true }));
  await using postgres = await openPostgresServer();
  if (!postgres) console.warn('Bench: no PostgreSQL with pgvector here; its rows are left out');
  await using running = new Processes();

  const generator = await processes.helper<Load, Measure>('load.ts');
  const embedded = await startService(running, { COMMONPLACE_DATA_DIR: join(folder, 'service') });
  const filled = await fill(embedded, resource);
  const cases = [
    ...(await bareCases(running, generator, filled)),
    ...(await directCases(running, 'SQLite, plain', 'plain', join(folder, 'plain'), resourceName)),
    ...(await directCases(running, 'SQLite, our engine', 'ours', join(folder, 'ours'), resourceName)),
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
  report(
    `${resourceName}: ${CONNECTIONS} callers at once, median of ${effort.rounds} interleaved rounds of ${effort.seconds} s`,
    await measureAll(cases, effort),
  );
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

function httpCases(generator: Generator, name: string, { url, apiKey, pid }: Service, filled: Filled): Case[] {
  const reads = filled.items.map((path) => ({ method: 'GET' as const, path }));
  const writes = filled.bodies.map((body) => ({ method: 'POST' as const, path: filled.collection, body }));
  return [
    { name: `${name}, GET`, pid, run: (seconds) => generator.ask({ url, headers: { 'x-api-key': apiKey }, requests: reads, seconds }) },
    {
      name: `${name}, POST`,
      pid,
      run: (seconds) =>
        generator.ask({ url, headers: { 'x-api-key': apiKey, 'content-type': 'application/json' }, requests: writes, seconds }),
    },
  ];
}

async function directCases(processes: Processes, name: string, way: Way, place: string, resource: ResourceName): Promise<Case[]> {
  const direct = await processes.helper<Direct, Measure>('direct.ts', way, place, resource);
  return [
    { name: `${name}, read`, pid: direct.pid, run: (seconds) => direct.ask({ operation: 'read', seconds }) },
    { name: `${name}, write`, pid: direct.pid, run: (seconds) => direct.ask({ operation: 'write', seconds }) },
  ];
}

interface Round extends Measure {
  readonly cpuMicros: number;
}

/** Round after round through all cases, so that a busy neighbour hits them alike. */
async function measureAll(cases: readonly Case[], { rounds, seconds }: Effort): Promise<Map<string, Round[]>> {
  const measured = new Map(cases.map(({ name }) => [name, [] as Round[]]));
  for (const { run } of cases) await run(WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++) {
    for (const { name, pid, run } of cases) {
      const before = cpuSecondsOf(pid) ?? Number.NaN;
      const measure = await run(seconds);
      const cpuSeconds = (cpuSecondsOf(pid) ?? Number.NaN) - before;
      measured.get(name)?.push({ ...measure, cpuMicros: (cpuSeconds * 1e6) / (measure.perSecond * measure.seconds) });
    }
  }
  return measured;
}

const ratios = [
  { of: 'Commonplace on SQLite, GET', to: 'bare Fastify, GET', aim: 0.6 },
  { of: 'Commonplace on SQLite, POST', to: 'bare Fastify, POST', aim: 0.4 },
  { of: 'Commonplace on PostgreSQL, GET', to: 'PostgreSQL, plain, read', aim: 0.7 },
  { of: 'Commonplace on PostgreSQL, POST', to: 'PostgreSQL, plain, write', aim: 0.7 },
  { of: 'Commonplace on PostgreSQL, GET', to: 'PostgreSQL, our engine, read' },
  { of: 'Commonplace on PostgreSQL, POST', to: 'PostgreSQL, our engine, write' },
];

function report(title: string, measured: ReadonlyMap<string, readonly Round[]>): void {
  heading(title, ['', 'per second', 'p50 ms', 'p99 ms', 'CPU µs']);
  for (const [name, rounds] of measured) {
    const middle = (of: keyof Round) => median(rounds.map((round) => round[of]));
    row([
      name,
      Math.round(middle('perSecond')).toLocaleString('en'),
      middle('p50Ms').toFixed(2),
      middle('p99Ms').toFixed(2),
      Number.isNaN(middle('cpuMicros')) ? '–' : middle('cpuMicros').toFixed(0),
    ]);
  }
  heading('Ratios: median of the rounds', ['', 'ratio', 'aim']);
  for (const { of, to, aim } of ratios) {
    const [ours, theirs] = [measured.get(of), measured.get(to)];
    if (!ours || !theirs) continue;
    const ratio = medianRatio(ours, theirs);
    row([`${of} / ${to}`, ratio.toFixed(2), aim === undefined ? '–' : `${aim.toFixed(2)}${ratio >= aim ? '' : ', missed'}`]);
  }
}
