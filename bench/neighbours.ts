/** The suite `neighbours`: how long one tenant waits while another sends the largest that each route takes, beside what an idle service needs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { titleOf } from '../packages/server/test/matrix-paths.ts';
import { declaredRoutes } from './declared-routes.ts';
import { median } from './measure.ts';
import type { GreedyLoad, Statuses } from './neighbour-load.ts';
import { openPostgresServer } from './postgres.ts';
import { Processes } from './processes.ts';
import type { Effort } from './rounds.ts';
import { inMegabytes } from './soak/bad-requests.ts';
import { FootprintLog } from './soak/footprint.ts';
import { publishedRoutes } from './soak/openapi.ts';
import { newScene, type Scene } from './soak/scene.ts';
import { type SoakService, soakService } from './soak/service.ts';
import { heading, row } from './table.ts';

/** Beyond what the idle service needs. */
const LONGEST_WAIT_MS = 1_000;
const MOST_RESIDENT_BYTES = 1024 * 1024 * 1024;
const IDLE_SECONDS = 5;

export async function runNeighbours({ seconds }: Effort): Promise<void> {
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  folders.defer(() => rm(folder, { recursive: true, force: true }));
  await using postgres = await openPostgresServer();
  if (!postgres) console.warn('Bench: no PostgreSQL with pgvector here; its rows are left out');
  await runOn('SQLite', { COMMONPLACE_DATA_DIR: folder }, seconds);
  if (postgres) await runOn('PostgreSQL', { COMMONPLACE_DATABASE_URL: await postgres.newDatabase() }, seconds);
}

async function runOn(engine: string, environment: Readonly<Record<string, string>>, seconds: number): Promise<void> {
  await using processes = new Processes();
  await using soak = await soakService(environment);
  const published = await publishedRoutes(soak.service.url);
  const [greedy, neighbour] = [await newScene(soak.service.url, published), await newScene(soak.service.url, published)];
  const load = await processes.helper<GreedyLoad, Statuses>('neighbour-load.ts');
  const reads = readsOf(soak, neighbour);
  await measureReads(reads, 1);
  const idle = await measureReads(reads, IDLE_SECONDS);
  const memory = new FootprintLog(soak.service.pid, 250);
  heading(`neighbours on ${engine}: longest and median wait of one tenant, idle ${inMs(idle.longestMs)} and ${inMs(idle.medianMs)}`, [
    'while another sends',
    'longest',
    'which was',
    'times idle',
    'median',
    'refused',
    'the other got',
  ]);
  let missed = 0;
  for (const route of await declaredRoutes()) {
    if (route.method === 'DELETE') continue;
    const { url } = soak.service;
    const sending = load.ask({ url, headers: greedy.credentials.owner, items: greedy.items, route: titleOf(route), seconds });
    const waited = await measureReads(reads, seconds, sending);
    const statuses = Object.entries(await sending).map(([status, count]) => `${count} × ${status}`);
    const isMissed = waited.longestMs - idle.longestMs > LONGEST_WAIT_MS || waited.refused > 0;
    if (isMissed) missed++;
    row([
      titleOf(route),
      `${inMs(waited.longestMs)}${isMissed ? ', missed' : ''}`,
      waited.longest,
      (waited.longestMs / idle.longestMs).toFixed(1),
      inMs(waited.medianMs),
      String(waited.refused),
      statuses.join(', '),
    ]);
  }
  memory.stop();
  const most = Math.max(...memory.samples.map(({ residentBytes }) => residentBytes));
  console.log(
    `\nMost memory: ${inMegabytes(most)}${most > MOST_RESIDENT_BYTES ? ', missed' : ''}. Routes that made another wait for more than a second, or be refused: ${missed}.`,
  );
}

interface Read {
  readonly name: string;
  readonly send: () => Promise<number>;
}

interface Waits {
  readonly longestMs: number;
  /** What waited longest. */
  readonly longest: string;
  readonly medianMs: number;
  readonly refused: number;
}

/** Each in turn, for so long, and as long as `beside` is not over. */
async function measureReads(reads: readonly Read[], seconds: number, beside?: Promise<unknown>): Promise<Waits> {
  const waitsMs: number[] = [];
  let longest = '';
  let longestMs = 0;
  let refused = 0;
  let isOver = beside === undefined;
  void beside?.finally(() => (isOver = true));
  const untilMs = performance.now() + seconds * 1000;
  while (performance.now() < untilMs || !isOver) {
    for (const { name, send } of reads) {
      const startMs = performance.now();
      if ((await send()) !== 200) refused++;
      const waitedMs = performance.now() - startMs;
      waitsMs.push(waitedMs);
      if (waitedMs > longestMs) [longest, longestMs] = [name, waitedMs];
    }
  }
  return { longestMs, longest, medianMs: median(waitsMs), refused };
}

function readsOf({ service: { url } }: SoakService, { credentials, items }: Scene): Read[] {
  const workspace = `${url}/api/v1/workspaces/${items.workspaceId}`;
  const session = `${workspace}/agents/${items.agentId}/sessions/${items.sessionId}`;
  const headers = { ...credentials.owner, 'content-type': 'application/json' };
  const send = async (to: string, init: RequestInit) => {
    const answer = await fetch(to, init);
    await answer.arrayBuffer();
    return answer.status;
  };
  const body = JSON.stringify({ query: 'an aisle seat' });
  return [
    { name: 'a look-up', send: () => send(workspace, { headers }) },
    { name: 'a list', send: () => send(`${workspace}/agents`, { headers }) },
    { name: 'messages', send: () => send(`${session}/messages`, { headers }) },
    { name: 'a search', send: () => send(`${session}/messages/search`, { method: 'POST', headers, body }) },
  ];
}

const inMs = (ms: number) => `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
