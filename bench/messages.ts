/** The suite `messages`: written one by one and in batches, read, listed; and pages deep in a session of a million. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureEngine } from './engine-messages.ts';
import type { Effort } from './http.ts';
import type { Load } from './load.ts';
import { CONNECTIONS, type Measure, median } from './measure.ts';
import { openPostgresServer } from './postgres.ts';
import { type Helper, Processes } from './processes.ts';
import { call, type Service, startService } from './service.ts';
import { heading, row } from './table.ts';

export const BATCH = 100;
const MILLION = 1_000_000;
const DEEP_OFFSET = 900_000;
const PAGES = 30;
/** Nobody listens there: writes without any indexing behind them. */
export const NO_EMBEDDER = { COMMONPLACE_EMBEDDINGS_URL: 'http://127.0.0.1:9/v1' };

type Generator = Helper<Load, Measure>;

interface Session {
  readonly service: Service;
  /** The path of the session's messages. */
  readonly messages: string;
}

const message = { role: 'user', content: 'I would like an aisle seat near the front, and a vegetarian meal, please.' };
export const one = JSON.stringify(message);
export const many = JSON.stringify({ messages: Array.from({ length: BATCH }, () => message) });

export async function runMessages(effort: Effort): Promise<void> {
  await using processes = new Processes();
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  folders.defer(() => rm(folder, { recursive: true, force: true }));
  await using postgres = await openPostgresServer();
  const generator = await processes.helper<Load, Measure>('load.ts');

  heading(`messages: ${CONNECTIONS} connections, median of ${effort.rounds} rounds of ${effort.seconds} s`, [
    '',
    'per second',
    'p50 ms',
    'p99 ms',
  ]);
  // One service at a time: what the one left to the background would be felt by the other.
  const rates = await measured(generator, 'embedded', { COMMONPLACE_DATA_DIR: join(folder, 'embedded') }, effort);
  const silent = { COMMONPLACE_DATA_DIR: join(folder, 'silent'), ...NO_EMBEDDER };
  const without = await measured(generator, 'embedded, no indexing', silent, effort);
  row([`one by one, with indexing / without (aim 0.90)`, (rates.single / without.single).toFixed(2), '', '']);
  row([`in batches, with indexing / without (aim 0.90)`, (rates.batch / without.batch).toFixed(2), '', '']);
  if (postgres) await measured(generator, 'PostgreSQL', { COMMONPLACE_DATABASE_URL: await postgres.newDatabase() }, effort);
  await reportEngine('embedded engine alone', { COMMONPLACE_DATA_DIR: join(folder, 'engine') }, effort);
  if (postgres) await reportEngine('PostgreSQL engine alone', { COMMONPLACE_DATABASE_URL: await postgres.newDatabase() }, effort);
  await using running = new Processes();
  await measureDeepPages(
    generator,
    'embedded',
    await startService(running, { COMMONPLACE_DATA_DIR: join(folder, 'deep'), ...NO_EMBEDDER }),
  );
  if (postgres) {
    const service = await startService(running, { COMMONPLACE_DATABASE_URL: await postgres.newDatabase(), ...NO_EMBEDDER });
    await measureDeepPages(generator, 'PostgreSQL', service);
  }
}

async function measured(generator: Generator, name: string, environment: Readonly<Record<string, string>>, effort: Effort) {
  await using running = new Processes();
  return await measureSession(generator, name, await newSession(await startService(running, environment)), effort);
}

/** The same statements without HTTP. */
async function reportEngine(name: string, environment: Readonly<Record<string, string>>, { seconds }: Effort): Promise<void> {
  for (const [what, measure] of await measureEngine(environment, BATCH, seconds)) {
    const isBatch = what.startsWith('in batches');
    const perSecond = Math.round(measure.perSecond * (isBatch ? BATCH : 1)).toLocaleString('en');
    row([`${name}, ${what}${isBatch ? ', messages' : ''}`, perSecond, measure.p50Ms.toFixed(2), measure.p99Ms.toFixed(2)]);
  }
}

export async function newSession(service: Service): Promise<Session> {
  const { id: workspaceId } = await call<{ id: string }>(service, 'POST', '/api/v1/workspaces', { name: 'Bench' });
  const agents = `/api/v1/workspaces/${workspaceId}/agents`;
  const { id: agentId } = await call<{ id: string }>(service, 'POST', agents, { name: 'Bench', description: 'Bench' });
  const { id } = await call<{ id: string }>(service, 'POST', `${agents}/${agentId}/sessions`);
  return { service, messages: `${agents}/${agentId}/sessions/${id}/messages` };
}

async function measureSession(generator: Generator, name: string, { service, messages }: Session, { rounds, seconds }: Effort) {
  const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json' };
  const { id } = await call<{ id: string }>(service, 'POST', messages, message);
  // As many sessions as callers: writers of one session take turns.
  const sessions = [messages];
  while (sessions.length < CONNECTIONS) sessions.push((await newSession(service)).messages);
  const cases: Record<string, Load['requests']> = {
    'one by one': sessions.map((path) => ({ method: 'POST' as const, path, body: one })),
    'read by id': [{ method: 'GET', path: `${messages}/${id}` }],
    'a page of 50': [{ method: 'GET', path: messages }],
    [`in batches of ${BATCH}`]: sessions.map((path) => ({ method: 'POST' as const, path: `${path}/batch`, body: many })),
  };
  const rates: number[] = [];
  for (const [what, requests] of Object.entries(cases)) {
    await generator.ask({ url: service.url, headers, requests, seconds: 2 });
    const measures: Measure[] = [];
    for (let round = 0; round < rounds; round++) measures.push(await generator.ask({ url: service.url, headers, requests, seconds }));
    const middle = (of: keyof Measure) => median(measures.map((measure) => measure[of]));
    rates.push(middle('perSecond'));
    const isBatch = what.startsWith('in batches');
    const perSecond = Math.round(middle('perSecond') * (isBatch ? BATCH : 1)).toLocaleString('en');
    row([`${name}, ${what}${isBatch ? ', messages' : ''}`, perSecond, middle('p50Ms').toFixed(2), middle('p99Ms').toFixed(2)]);
  }
  return { single: rates[0] as number, batch: rates[3] as number };
}

async function measureDeepPages(generator: Generator, name: string, service: Service): Promise<void> {
  const { messages } = await newSession(service);
  const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json' };
  const count = async () => (await call<{ _meta: { total: number } }>(service, 'GET', `${messages}?limit=1`))._meta.total;
  for (let total = 0; total < MILLION; total = await count()) {
    await generator.ask({ url: service.url, headers, requests: [{ method: 'POST', path: `${messages}/batch`, body: many }], seconds: 5 });
  }
  const before = await call<{ _meta: { cursor: string } }>(service, 'GET', `${messages}?offset=${DEEP_OFFSET - 1}&limit=1`);
  const pages = {
    'offset 0': `${messages}?limit=50`,
    [`offset ${DEEP_OFFSET.toLocaleString('en')}`]: `${messages}?limit=50&offset=${DEEP_OFFSET}`,
    'the same place by cursor': `${messages}?limit=50&cursor=${before._meta.cursor}`,
  };
  heading(`${name}: a page of 50 in a session of ${(await count()).toLocaleString('en')} messages, one caller`, ['', 'p50 ms']);
  for (const [what, path] of Object.entries(pages)) {
    const times: number[] = [];
    for (let page = 0; page < PAGES; page++) {
      const start = performance.now();
      await call(service, 'GET', path);
      times.push(performance.now() - start);
    }
    row([what, median(times).toFixed(2)]);
  }
}
