/** The suite `search`: quality on collections that are given, and speed by size. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbedder } from '../packages/server/src/search/embedding/create.ts';
import { measureQuality } from './collections.ts';
import { type Measure, measureOf } from './measure.ts';
import { openPostgresServer, type Postgres } from './postgres.ts';
import { Processes } from './processes.ts';
import type { Effort } from './rounds.ts';
import { places, sessionOf } from './search-data.ts';
import { searchUnderLoad } from './search-load.ts';
import { call, type Service, startService } from './service.ts';
import { heading, row } from './table.ts';
import { fillWorkspaces, questions } from './texts.ts';

const SEARCHES = 200;
const MESSAGE_COUNTS = [1_000, 10_000] as const;
const CHUNK_COUNTS = [10_000, 100_000] as const;

export interface SearchOptions {
  /** A folder with `documents.json` and `conversations.json`. */
  readonly data: string | undefined;
}

export async function runSearch({ data }: SearchOptions, effort: Effort): Promise<void> {
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  folders.defer(() => rm(folder, { recursive: true, force: true }));
  await using postgres = await openPostgresServer();
  if (data === undefined) console.log('\nQuality on conversations and documents is left out: name a folder with collections by --data.');
  await quality(folder, data, postgres);
  await speed(folder, postgres);
  await searchUnderLoad(folder, postgres, effort);
}

async function quality(folder: string, data: string | undefined, postgres: Postgres | undefined): Promise<void> {
  const own = ['memories of bench/recall recall@10', 'conversations of bench/recall recall@10'];
  heading('search: quality through the API', ['', 'conversations recall@10', 'documents nDCG@10', 'documents recall@10', ...own]);
  for (const [name, environment] of await places(folder, 'quality', postgres)) {
    await using processes = new Processes();
    const measured = await measureQuality(await startService(processes, environment), data);
    const shown = (value: number | undefined) => value?.toFixed(4) ?? '–';
    const { conversationsRecall, documentsNdcg, documentsRecall, memoriesRecall, ownConversationsRecall } = measured;
    row([name, ...[conversationsRecall, documentsNdcg, documentsRecall, memoriesRecall, ownConversationsRecall].map(shown)]);
  }
}

async function speed(folder: string, postgres: Postgres | undefined): Promise<void> {
  const embedder = createEmbedder({});
  const alone = await timed(async (question) => void (await embedder.embed([question], { priority: 'query' })));
  await embedder.close();
  heading(`search: speed, one caller, ${SEARCHES} questions`, ['', 'p50 ms', 'p99 ms', 'first search ms']);
  row(['embedding the question alone', alone.p50Ms.toFixed(2), alone.p99Ms.toFixed(2), '']);
  for (const [name, environment] of await places(folder, 'speed', postgres)) {
    const apiKey = await fillWorkspaces(environment, CHUNK_COUNTS);
    await using processes = new Processes();
    const service = { ...(await startService(processes, environment)), apiKey };
    for (const count of MESSAGE_COUNTS)
      await report(service, `${name}, ${count} messages of a session`, `${await sessionOf(service, count)}/search`);
    const { workspaces } = await call<{ workspaces: { id: string; name: string }[] }>(service, 'GET', '/api/v1/workspaces');
    for (const count of CHUNK_COUNTS) {
      const id = workspaces.find((workspace) => workspace.name === `${count} chunks`)?.id;
      await report(service, `${name}, ${count} chunks of a workspace`, `/api/v1/workspaces/${id}/documents/search`);
    }
  }
}

async function report(service: Service, name: string, path: string): Promise<void> {
  const start = performance.now();
  await call(service, 'POST', path, { query: 'the first search loads the index' });
  const firstMs = performance.now() - start;
  const measured = await timed(async (question) => void (await call(service, 'POST', path, { query: question })));
  row([name, measured.p50Ms.toFixed(2), measured.p99Ms.toFixed(2), firstMs.toFixed(0)]);
}

/** Every question is new, so that no cache answers. */
async function timed(work: (question: string) => Promise<void>): Promise<Measure> {
  const times: number[] = [];
  for (const question of questions(SEARCHES + 20)) {
    const start = performance.now();
    await work(question);
    times.push(performance.now() - start);
  }
  return measureOf(times.slice(20), 1);
}
