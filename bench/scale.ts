/** The suite `scale`: scopes of a million items, cold and warm, what another tenant feels meanwhile, and a thousand workspaces in turn. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from './collections.ts';
import { measureOf } from './measure.ts';
import { openPostgresServer } from './postgres.ts';
import { Processes } from './processes.ts';
import { fillScale, type ScaleWorkspace } from './scale-data.ts';
import { call, type KillableService, type Service, startService } from './service.ts';
import { footprintOf } from './soak/footprint.ts';
import { heading, row } from './table.ts';
import { questions, randomFrom } from './texts.ts';

export interface ScaleOptions {
  /** Of the largest scope; the others are parts of it. */
  readonly items: number;
}

const SEARCHES = 200;
const WARM_UP = 20;
const IDLE_SECONDS = 5;
const CHUNKS_OF_WORKSPACE = 1_000;
const NEIGHBOUR_ITEMS = 400;
const NEIGHBOUR_PAUSE_MS = 10;
const MOST_CHUNKS = 100_000;
/** Smaller scopes are built anew after a start. */
const LEAST_KEPT = 500;
const SAVE_WITHIN_MS = 1_800_000;

export async function runScale({ items }: ScaleOptions): Promise<void> {
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  folders.defer(() => rm(folder, { recursive: true, force: true }));
  await using postgres = await openPostgresServer();
  if (!postgres) console.warn('Bench: no PostgreSQL with pgvector here; its rows are left out');
  await runLarge('SQLite', { COMMONPLACE_DATA_DIR: join(folder, 'large') }, items);
  if (postgres) await runLarge('PostgreSQL', { COMMONPLACE_DATABASE_URL: await postgres.newDatabase() }, items);
  await runMany('SQLite', { COMMONPLACE_DATA_DIR: join(folder, 'many') }, items);
}

async function runLarge(engine: string, place: Readonly<Record<string, string>>, items: number): Promise<void> {
  const environment = { ...place, COMMONPLACE_SEARCH_WARM_START: 'off' };
  const data = await fillScale(environment, [items / 10, items, NEIGHBOUR_ITEMS], [Math.min(items, MOST_CHUNKS)]);
  const [tenth, whole, neighbour] = data.messages as [ScaleWorkspace, ScaleWorkspace, ScaleWorkspace];
  const named: [string, ScaleWorkspace][] = [
    [`${tenth.items} messages`, tenth],
    [`${whole.items} messages`, whole],
    ...data.chunks.map((chunks): [string, ScaleWorkspace] => [`${chunks.items} chunks`, chunks]),
  ];
  heading(
    `scale on ${engine}: one scope, default memory; what another tenant's searches take at p99, times what they take beside nothing`,
    [
      '',
      'first search ever, s',
      'another meanwhile',
      'first after a restart, s',
      'another meanwhile',
      'warm p50 ms',
      'warm p99 ms',
      'resident MB',
    ],
  );
  for (const [name, scope] of named) {
    await using processes = new Processes();
    const first = await startWarm(processes, environment, data.apiKey, neighbour);
    const ever = await firstSearch(first, scope, neighbour);
    if (scope.items >= LEAST_KEPT) await untilSaved(first);
    await first.kill();
    const second = await startWarm(processes, environment, data.apiKey, neighbour);
    const again = await firstSearch(second, scope, neighbour);
    await searchTimes(second, scope, WARM_UP);
    const warm = await searchTimes(second, scope, SEARCHES, WARM_UP);
    row([
      name,
      (ever.ms / 1000).toFixed(2),
      times(ever.ratio),
      (again.ms / 1000).toFixed(2),
      times(again.ratio),
      warm.p50Ms.toFixed(1),
      warm.p99Ms.toFixed(1),
      megabytes(footprintOf(second.pid).residentBytes),
    ]);
    await second.kill();
  }
}

/** The model is loaded, and so is the other tenant's scope. */
async function startWarm(
  processes: Processes,
  environment: Readonly<Record<string, string>>,
  apiKey: string,
  neighbour: ScaleWorkspace,
): Promise<KillableService> {
  const service = { ...(await startService(processes, environment)), apiKey };
  await searchTimes(service, neighbour, WARM_UP);
  return service;
}

/** Beside searches of another tenant, and how much longer those take than alone, at p99. */
async function firstSearch(
  service: Service,
  scope: ScaleWorkspace,
  neighbour: ScaleWorkspace,
): Promise<{ ms: number; ratio: number | undefined }> {
  const alone = await searchesFor(service, neighbour, pause(IDLE_SECONDS * 1000));
  const start = performance.now();
  const [question = ''] = questions(1);
  const found = untilAnswered(() => call(service, 'POST', scope.path, { query: question })).then(() => performance.now() - start);
  const meanwhile = await searchesFor(service, neighbour, found);
  const isMeasured = meanwhile.length >= 20;
  return { ms: await found, ratio: isMeasured ? measureOf(meanwhile, 1).p99Ms / measureOf(alone, 1).p99Ms : undefined };
}

/** The client gives up after five minutes; what is being built goes on, and the next call waits for it. */
async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      const cause = error instanceof TypeError ? (error.cause as { code?: string } | undefined) : undefined;
      if (cause?.code !== 'UND_ERR_HEADERS_TIMEOUT') throw error;
    }
  }
}

async function searchesFor(service: Service, scope: ScaleWorkspace, during: Promise<unknown>): Promise<number[]> {
  const timesMs: number[] = [];
  let isOver = false;
  void during.finally(() => (isOver = true));
  for (let number = 0; !isOver; number++) {
    timesMs.push(await searchMs(service, scope, questionOf(number)));
    // No more a second than anybody may ask.
    await pause(NEIGHBOUR_PAUSE_MS);
  }
  return timesMs;
}

/** Of other questions than the first `from`. */
async function searchTimes(service: Service, scope: ScaleWorkspace, count: number, from = 0) {
  const timesMs: number[] = [];
  for (let number = from; number < from + count; number++) timesMs.push(await searchMs(service, scope, questionOf(number)));
  return measureOf(timesMs, 1);
}

async function searchMs(service: Service, { path }: ScaleWorkspace, query: string): Promise<number> {
  const start = performance.now();
  await call(service, 'POST', path, { query });
  return performance.now() - start;
}

const asked = questions(1_000);
const questionOf = (number: number) => asked[number % asked.length] as string;

/** A save may be a while behind: it is done in the background. */
async function untilSaved(service: Service): Promise<void> {
  const untilMs = performance.now() + SAVE_WITHIN_MS;
  for (;;) {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const metric = (what: string) => Number(new RegExp(`commonplace_search\\{what="${what}"\\} (\\d+)`).exec(text)?.[1] ?? Number.NaN);
    if (metric('snapshots_saved_total') > 0 && metric('snapshots_waiting') === 0) return;
    if (performance.now() > untilMs) throw new Error('The index was not saved');
    await pause(500);
  }
}

/** Each once, then at random under the default memory: more is asked for than fits. */
async function runMany(engine: string, environment: Readonly<Record<string, string>>, items: number): Promise<void> {
  const count = Math.max(1, Math.floor(items / CHUNKS_OF_WORKSPACE));
  const { apiKey, chunks } = await fillScale(
    environment,
    [],
    Array.from({ length: count }, () => CHUNKS_OF_WORKSPACE),
  );
  await using processes = new Processes();
  const service = { ...(await startService(processes, environment)), apiKey };
  const timesOf = async (scopes: readonly ScaleWorkspace[]) => {
    const timesMs: number[] = [];
    for (const [number, scope] of scopes.entries()) timesMs.push(await searchMs(service, scope, questionOf(number)));
    return measureOf(timesMs, 1);
  };
  const first = await timesOf(chunks);
  await untilSaved(service);
  const random = randomFrom(7);
  const again = await timesOf(Array.from({ length: SEARCHES * 5 }, () => chunks[Math.floor(random() * chunks.length)] as ScaleWorkspace));
  heading(`scale on ${engine}: ${count} workspaces of ${CHUNKS_OF_WORKSPACE} chunks, default memory`, [
    '',
    'p50 ms',
    'p99 ms',
    'resident MB',
  ]);
  row(['the first search of each', first.p50Ms.toFixed(1), first.p99Ms.toFixed(1), '']);
  row(['then at random', again.p50Ms.toFixed(1), again.p99Ms.toFixed(1), megabytes(footprintOf(service.pid).residentBytes)]);
}

const times = (ratio: number | undefined) => (ratio === undefined ? 'too short to tell' : `${ratio.toFixed(1)} ×`);
const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0);
