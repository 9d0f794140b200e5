/** The suite `events`: a thousand who follow a workspace while 500 messages a second are written to it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadersReply, ReadersRequest, Reading } from './event-readers.ts';
import { NO_EMBEDDER } from './message-work.ts';
import { openPostgresServer } from './postgres.ts';
import { type Helper, Processes } from './processes.ts';
import type { Effort } from './rounds.ts';
import { call, type Service, startService } from './service.ts';
import { heading, row } from './table.ts';
import { temporaryFolder } from './temporary-folder.ts';

const SESSIONS = 100;
const READERS_OF_EACH = 9;
const READERS_OF_ALL = 90;
/** They connect and read nothing. */
const STUCK = 10;
const A_SECOND = 500;
const EVERY_MS = 20;
/** What may still be under way when the last message is written. */
const WAIT_MS = 60_000;

export async function runEvents({ seconds }: Effort): Promise<void> {
  await using folder = await temporaryFolder();
  await using postgres = await openPostgresServer();
  heading(`events: ${SESSIONS * READERS_OF_EACH + READERS_OF_ALL + STUCK} followers, ${A_SECOND} messages a second for ${seconds * 4} s`, [
    'engine',
    'told',
    'missed',
    'twice',
    'out of order',
    'delay, median',
    'p99',
    'resident before',
    'most',
  ]);
  await runOn('embedded', { COMMONPLACE_DATA_DIR: join(folder.path, 'data') }, seconds * 4);
  if (postgres) await runOn('PostgreSQL', { COMMONPLACE_DATABASE_URL: await postgres.newDatabase() }, seconds * 4);
}

async function runOn(engine: string, environment: Readonly<Record<string, string>>, seconds: number): Promise<void> {
  await using processes = new Processes();
  const service = await startService(processes, { ...NO_EMBEDDER, ...environment });
  const readers = await processes.helper<ReadersRequest, ReadersReply | 'done'>('event-readers.ts');
  const { workspaceId, sessionIds, agentUrl } = await newScene(service);
  const readings: Reading[] = [
    ...sessionIds.flatMap((sessionId) =>
      Array.from({ length: READERS_OF_EACH }, (_, index) => ({ sessionId, ...(index % 3 === 0 && { comesAgain: true as const }) })),
    ),
    ...Array.from({ length: READERS_OF_ALL }, (_, index) => (index % 3 === 0 ? { comesAgain: true as const } : {})),
    ...Array.from({ length: STUCK }, () => ({ isStuck: true as const })),
  ];
  const headers = { 'x-api-key': service.apiKey };
  await readers.ask({ kind: 'open', url: `${service.url}/api/v1/workspaces/${workspaceId}/events`, headers, readings });
  const before = await residentBytes(service.pid);
  const { written, most } = await write(service, agentUrl, sessionIds, seconds, readers);
  const ofSession = Object.fromEntries(sessionIds.map((id, index) => [id, written[index] ?? 0]));
  const all = written.reduce((sum, count) => sum + count, 0);
  const reply = (await readers.ask({ kind: 'finish', ofSession, all, withinMs: WAIT_MS })) as ReadersReply;
  const delays = reply.delaysMs.toSorted((one, other) => one - other);
  const at = (share: number) => `${delays[Math.floor((delays.length - 1) * share)] ?? 0} ms`;
  row([
    engine,
    ...[reply.seen, reply.missed, reply.twice, reply.outOfOrder].map((count) => count.toLocaleString('en')),
    at(0.5),
    at(0.99),
    inMiB(before),
    inMiB(Math.max(most, await residentBytes(service.pid))),
  ]);
}

async function newScene(service: Service) {
  const { id: workspaceId } = await call<{ id: string }>(service, 'POST', '/api/v1/workspaces', { name: 'Followed' });
  const { id: agentId } = await call<{ id: string }>(service, 'POST', `/api/v1/workspaces/${workspaceId}/agents`, { name: 'Agent' });
  const agentUrl = `/api/v1/workspaces/${workspaceId}/agents/${agentId}`;
  const sessionIds: string[] = [];
  for (let index = 0; index < SESSIONS; index++)
    sessionIds.push((await call<{ id: string }>(service, 'POST', `${agentUrl}/sessions?id=${index}`)).id);
  return { workspaceId, sessionIds, agentUrl };
}

/** At an even pace, each message with its number in its session. Half way, some readers come again. */
async function write(
  service: Service,
  agentUrl: string,
  sessionIds: readonly string[],
  seconds: number,
  readers: Helper<ReadersRequest, ReadersReply | 'done'>,
): Promise<{ written: number[]; most: number }> {
  const written = sessionIds.map(() => 0);
  const lastOf = sessionIds.map(() => Promise.resolve());
  const total = seconds * A_SECOND;
  const startMs = performance.now();
  let most = 0;
  let comingAgain: Promise<unknown> | undefined;
  for (let count = 0; count < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - startMs) / 1000) * A_SECOND));
    for (; count < due; count++) {
      const index = count % sessionIds.length;
      const number = written[index] as number;
      written[index] = number + 1;
      const body = { role: 'user', content: `Message ${number}` };
      lastOf[index] = (lastOf[index] as Promise<void>).then(async () => {
        await call(service, 'POST', `${agentUrl}/sessions/${sessionIds[index]}/messages`, body);
      });
    }
    if (count > total / 2) comingAgain ??= readers.ask({ kind: 'come again' });
    most = Math.max(most, await residentBytes(service.pid));
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  await Promise.all(lastOf);
  await comingAgain;
  return { written, most };
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

function inMiB(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}
