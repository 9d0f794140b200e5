/** The suite `indexing`: how fast what was written gets its vectors, by the model inside the process and by an endpoint, and what writers feel of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbedder } from '../packages/server/src/search/embedding/create.ts';
import { pause } from './collections.ts';
import { cpuSecondsOf, mainThreadSecondsOf } from './cpu.ts';
import type { StandInSettings } from './embeddings-stand-in.ts';
import { fillSessions, importSessions } from './filled-sessions.ts';
import type { Load } from './load.ts';
import { CONNECTIONS, type Measure, median } from './measure.ts';
import { openPostgresServer, type Postgres } from './postgres.ts';
import { type Helper, Processes } from './processes.ts';
import type { Effort } from './rounds.ts';
import { markdown, places, sessionOf, upload } from './search-data.ts';
import { call, type Service, startService } from './service.ts';
import { heading, row } from './table.ts';
import { chunkText, sentence } from './texts.ts';

const MARKDOWN_BYTES = 2_000_000;
const INDEXED_BYTES = 400_000;
const LOCAL_MESSAGES = 1_500;
const REMOTE_MESSAGES = 40_000;
const MESSAGES_OF_SESSION = 1_000;
const DIMENSIONS = [384, 1536] as const;
const BROUGHT_ALONG = { endpoint: 100_000, local: 10_000 } as const;

export async function runIndexing({ rounds }: Effort): Promise<void> {
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  folders.defer(() => rm(folder, { recursive: true, force: true }));
  await using postgres = await openPostgresServer();
  await throughEndpoint(folder, postgres);
  await byLocalModel(folder, rounds);
  await broughtAlong(folder, postgres);
  await writersBesideEndpoint(folder, postgres);
  await documentsThroughEndpoint(folder, postgres);
  await documents(folder);
}

interface Indexed {
  readonly perSecond: number;
  /** All threads of the process together. */
  readonly cpuMicros: number;
  /** Of the thread that requests are served on. */
  readonly mainThreadMicros: number;
}

/** Messages that wait when the service starts, from the first tenth of the vectors on: until then threads start, and sizes are learned. */
async function rateOf(environment: Readonly<Record<string, string>>, count: number, lookEveryMs: number): Promise<Indexed> {
  const apiKey = await fillSessions(environment, Math.ceil(count / MESSAGES_OF_SESSION), Math.min(count, MESSAGES_OF_SESSION));
  await using processes = new Processes();
  const service = { ...(await startService(processes, environment)), apiKey };
  let first: ReturnType<typeof usageOf> | undefined;
  for (;;) {
    const { done, waiting } = await progressOf(service);
    const now = usageOf(service, done);
    if (done > count / 10) first ??= now;
    if (waiting === 0 && first) {
      const micros = (of: 'cpu' | 'mainThread') => ((now[of] - (first?.[of] ?? 0)) / texts) * 1e6;
      const texts = done - first.done;
      return { perSecond: texts / ((now.atMs - first.atMs) / 1000), cpuMicros: micros('cpu'), mainThreadMicros: micros('mainThread') };
    }
    await pause(lookEveryMs);
  }
}

function usageOf({ pid }: Service, done: number) {
  return { done, atMs: performance.now(), cpu: cpuSecondsOf(pid) ?? Number.NaN, mainThread: mainThreadSecondsOf(pid) ?? Number.NaN };
}

async function progressOf({ url }: Service): Promise<{ done: number; waiting: number }> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const read = (what: string) => Number(new RegExp(`commonplace_search\\{what="${what}"\\} (\\d+)`).exec(metrics)?.[1] ?? Number.NaN);
  return { done: read('embedded_total'), waiting: read('embedding_queue') };
}

async function standIn(processes: Processes, dimensions: number): Promise<Record<string, string>> {
  const helper = await processes.helper<StandInSettings, string>('embeddings-stand-in.ts');
  return { COMMONPLACE_EMBEDDINGS_URL: await helper.ask({ dimensions }), COMMONPLACE_EMBEDDINGS_MODEL: 'stand-in' };
}

async function throughEndpoint(folder: string, postgres: Postgres | undefined): Promise<void> {
  heading(`indexing: ${inWords(REMOTE_MESSAGES)} messages through a stand-in on loopback that answers at once (aim 5,000 a second)`, [
    '',
    'texts per second',
    'processor µs a text',
    'of the main thread',
  ]);
  for (const dimensions of DIMENSIONS) {
    await using processes = new Processes();
    const endpoint = await standIn(processes, dimensions);
    for (const [name, environment] of await places(folder, `endpoint-${dimensions}`, postgres)) {
      const { perSecond, cpuMicros, mainThreadMicros } = await rateOf({ ...environment, ...endpoint }, REMOTE_MESSAGES, 100);
      row([`${name}, ${dimensions} dimensions`, inWords(perSecond), cpuMicros.toFixed(0), mainThreadMicros.toFixed(0)]);
    }
  }
}

/** Round by round beside the model in a loop, on as many threads. */
async function byLocalModel(folder: string, rounds: number): Promise<void> {
  const texts = Array.from({ length: LOCAL_MESSAGES }, (_, index) => sentence(index));
  const bare: Indexed[] = [];
  const indexed: Indexed[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(await bareRate(texts));
    indexed.push(await rateOf({ COMMONPLACE_DATA_DIR: join(folder, `local-${round}`) }, LOCAL_MESSAGES, 500));
  }
  heading(`indexing: ${inWords(LOCAL_MESSAGES)} messages by the model inside the process, median of ${rounds} rounds`, ['', '']);
  row(['the bare model, messages a second', middle(bare, 'perSecond').toFixed(1)]);
  row(['messages a second', middle(indexed, 'perSecond').toFixed(1)]);
  const ratios = indexed.map(({ perSecond }, round) => perSecond / (bare[round] as Indexed).perSecond);
  row(['of the bare model (aim 0.90)', median(ratios).toFixed(2)]);
  row(['processor µs a message, the bare model', middle(bare, 'cpuMicros').toFixed(0)]);
  row(['processor µs a message, indexed', middle(indexed, 'cpuMicros').toFixed(0)]);
}

function middle(measured: readonly Indexed[], of: keyof Indexed): number {
  return median(measured.map((one) => one[of]));
}

async function bareRate(texts: readonly string[]): Promise<Indexed> {
  const embedder = createEmbedder({});
  await embedder.embed(texts.slice(0, 64));
  const start = { atMs: performance.now(), cpu: process.cpuUsage() };
  await embedder.embed(texts);
  const { user, system } = process.cpuUsage(start.cpu);
  const perSecond = texts.length / ((performance.now() - start.atMs) / 1000);
  await embedder.close();
  return { perSecond, cpuMicros: (user + system) / texts.length, mainThreadMicros: Number.NaN };
}

/** By the API, as an import does it: from its first request on. */
async function broughtAlong(folder: string, postgres: Postgres | undefined): Promise<void> {
  heading('indexing: messages brought along by the API, 100 at a time, seconds from the first request on', [
    '',
    'all are stored',
    'all are found by meaning',
    'processor µs a message',
  ]);
  await using processes = new Processes();
  const endpoint = await standIn(processes, 384);
  for (const [name, environment] of await places(folder, 'brought-along', postgres)) {
    await bringAlong(`${inWords(BROUGHT_ALONG.endpoint)}, ${name}, stand-in of 384 dimensions`, BROUGHT_ALONG.endpoint, {
      ...environment,
      ...endpoint,
    });
  }
  const local = { COMMONPLACE_DATA_DIR: join(folder, 'brought-along-local') };
  await bringAlong(`${inWords(BROUGHT_ALONG.local)}, embedded, the model inside the process`, BROUGHT_ALONG.local, local);
}

async function bringAlong(name: string, count: number, environment: Readonly<Record<string, string>>): Promise<void> {
  await using processes = new Processes();
  const service = await startService(processes, environment);
  const before = usageOf(service, 0);
  const startMs = performance.now();
  await importSessions(service, count / MESSAGES_OF_SESSION, MESSAGES_OF_SESSION);
  const storedMs = performance.now();
  while ((await progressOf(service)).waiting > 0) await pause(100);
  const { done } = await progressOf(service);
  if (done !== count) throw new Error(`${done} of ${count} messages have vectors`);
  const foundMs = performance.now();
  const cpuMicros = ((usageOf(service, done).cpu - before.cpu) / count) * 1e6;
  const seconds = (atMs: number) => ((atMs - startMs) / 1000).toFixed(1);
  row([name, seconds(storedMs), seconds(foundMs), cpuMicros.toFixed(0)]);
}

/** What those feel who write while very many messages get their vectors. */
async function writersBesideEndpoint(folder: string, postgres: Postgres | undefined): Promise<void> {
  await using processes = new Processes();
  const generator = await processes.helper<Load, Measure>('load.ts');
  const endpoint = await standIn(processes, 384);
  heading('indexing: 500 writes a second, alone and while another workspace is indexed through the stand-in', ['', 'p50 ms', 'p99 ms']);
  for (const [name, environment] of await places(folder, 'writers', postgres)) {
    const apiKey = await fillSessions({ ...environment, ...endpoint }, 200, MESSAGES_OF_SESSION);
    await using running = new Processes();
    const service = { ...(await startService(running, { ...environment, ...endpoint })), apiKey };
    const sessions = await importSessions(service, CONNECTIONS, 0);
    const busy = await writeFor(generator, service, sessions, 8);
    const { waiting } = await progressOf(service);
    while ((await progressOf(service)).waiting > 0) await pause(200);
    const quiet = await writeFor(generator, service, sessions, 8);
    row([`${name}, alone`, quiet.p50Ms.toFixed(2), quiet.p99Ms.toFixed(2)]);
    row([`${name}, beside it${waiting > 0 ? '' : ' (which ended before)'}`, busy.p50Ms.toFixed(2), busy.p99Ms.toFixed(2)]);
  }
}

function writeFor(generator: Helper<Load, Measure>, service: Service, sessions: readonly string[], seconds: number): Promise<Measure> {
  const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ role: 'assistant', content: sentence(7) });
  const requests = sessions.map((path) => ({ method: 'POST' as const, path, body }));
  return generator.ask({ url: service.url, headers, requests, seconds, perSecond: 500 });
}

async function documentsThroughEndpoint(folder: string, postgres: Postgres | undefined): Promise<void> {
  await using processes = new Processes();
  const endpoint = await standIn(processes, 384);
  heading(`indexing: a document of ${MARKDOWN_BYTES / 1e6} MB through the stand-in of 384 dimensions`, ['', 'chunks per second']);
  for (const [name, environment] of await places(folder, 'documents-endpoint', postgres)) {
    await using running = new Processes();
    const service = await startService(running, { ...environment, ...endpoint });
    const [messages] = await importSessions(service, 1, 0);
    row([name, inWords(await documentRate(service, (messages as string).split('/agents/')[0] as string, MARKDOWN_BYTES))]);
  }
}

/** A large document while others write: how fast it is indexed, and what the writers feel of it. */
async function documents(folder: string): Promise<void> {
  await using processes = new Processes();
  const generator = await processes.helper<Load, Measure>('load.ts');
  const service = await startService(processes, { COMMONPLACE_DATA_DIR: join(folder, 'documents') });
  const messages = await sessionOf(service, 100);
  const workspace = messages.split('/agents/')[0] as string;
  const bare = await bareRate(Array.from({ length: 128 }, (_, index) => chunkText(index)));
  const rate = await documentRate(service, workspace, INDEXED_BYTES);
  heading('indexing: documents', ['', '']);
  row(['the bare model, chunks a second', bare.perSecond.toFixed(1)]);
  row([`a document of ${INDEXED_BYTES / 1000} kB, chunks a second`, rate.toFixed(1)]);
  row(['of the bare model (aim 0.90)', (rate / bare.perSecond).toFixed(2)]);
  const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json' };
  const requests = [{ method: 'POST' as const, path: messages, body: JSON.stringify({ role: 'user', content: sentence(7) }) }];
  await generator.ask({ url: service.url, headers, requests, seconds: 3 });
  const quiet = await generator.ask({ url: service.url, headers, requests, seconds: 8 });
  await upload(service, workspace, markdown(MARKDOWN_BYTES), 'large');
  const busy = await generator.ask({ url: service.url, headers, requests, seconds: 8 });
  row(['p99 of writes, only their own indexing behind them, ms', quiet.p99Ms.toFixed(2)]);
  row(['p99 of writes while a 2 MB document is indexed too, ms', busy.p99Ms.toFixed(2)]);
  row(['the second / the first (aim 2 at most)', (busy.p99Ms / quiet.p99Ms).toFixed(2)]);
}

/** From the first chunks on: until then the job waits to be taken up, and the threads of the model start. */
async function documentRate(service: Service, workspace: string, bytes: number): Promise<number> {
  const id = await upload(service, workspace, markdown(bytes), 'measured');
  let first: { chunks: number; atMs: number } | undefined;
  for (;;) {
    const { status, chunksTotal, chunksIndexed } = await call<{ status: string; chunksTotal: number; chunksIndexed: number }>(
      service,
      'GET',
      `${workspace}/documents/${id}`,
    );
    if (chunksIndexed > 0) first ??= { chunks: chunksIndexed, atMs: performance.now() };
    if (status !== 'processing' && first) return (chunksTotal - first.chunks) / ((performance.now() - first.atMs) / 1000);
    await pause(20);
  }
}

function inWords(count: number): string {
  return Math.round(count).toLocaleString('en');
}
