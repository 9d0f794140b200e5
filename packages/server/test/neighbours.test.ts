/**
 * One tenant sends the largest that each route takes, another reads and searches: the main thread is kept for a moment only, and the other
 * is served in turn and never refused. Made from the declared routes, so that a route added later is in it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeclaredRoute } from '../src/http/route.ts';
import { type Answer, openApi } from './api.ts';
import { FILLS, type Fill, largestRequestTo } from './largest-requests.ts';
import { bodyExamples, type FurnishedScene, newFurnishedScene } from './matrix-items.ts';
import { titleOf } from './matrix-paths.ts';

/** Of the main thread, for one request. */
const MOST_PROCESSOR_MS = 1_000;
/** Of all threads. What takes less is over before anybody could wait for it. */
const EXPENSIVE_MS = 100;
const READS_AT_ONCE = 8;
/** Fewer: all that they bring is searched later. */
const WRITES_AT_ONCE = 3;

/** Refused whatever is sent: there is an account, nobody is called that, the invite is another's, nothing failed, somebody must own the workspaces. */
const refusedAnyway = new Set([
  'POST /auth/setup',
  'POST /auth/login',
  'POST /invites/:token/accept',
  'POST /invites/:token/reject',
  'POST /workspaces/:workspaceId/jobs/:jobId/retry',
  'DELETE /me',
]);

/** As long as there is something to be sent: in pieces, between which others have their turn. */
const sentInPieces = new Set(['GET /workspaces/:workspaceId/export', 'POST /workspaces/:workspaceId/import']);

const { api, close } = await openApi();
afterAll(close);
let greedy: FurnishedScene;
let neighbour: FurnishedScene;

/** What is made before it is read, and deleted last, the inner before the outer. */
const routes = api.app.api.routes.toSorted((one, other) => stageOf(one) - stageOf(other) || depthOf(one) - depthOf(other));

function stageOf({ method, changesNothing }: DeclaredRoute): number {
  if (method === 'DELETE') return 4;
  if (method === 'GET') return 3;
  return changesNothing ? 2 : method === 'PUT' ? 1 : 0;
}

const isReading = (route: DeclaredRoute) => stageOf(route) === 2 || stageOf(route) === 3;

function depthOf({ method, path }: DeclaredRoute): number {
  return method === 'DELETE' ? -path.length : path.length;
}

beforeAll(async () => {
  const examples = await bodyExamples(api);
  [greedy, neighbour] = [await newFurnishedScene(api, examples), await newFurnishedScene(api, examples)];
  // The threads and the model are there: starting them is not what is looked at.
  for (const read of reads) expect((await read()).status).toBe(200);
});

/** What the other tenant does: look-ups, lists, searches. */
const reads: readonly (() => Promise<Answer>)[] = [
  () => neighbour.workspace.owner.get(neighbour.workspace.url),
  () => neighbour.workspace.owner.get(`${neighbour.workspace.url}/agents`),
  () => neighbour.workspace.owner.get(`${sessionIn(neighbour)}/messages`),
  () => neighbour.workspace.owner.post(`${sessionIn(neighbour)}/messages/search`, { query: 'an aisle seat' }),
];

function sessionIn({ workspace, items }: FurnishedScene): string {
  return `${workspace.url}/agents/${items.agentId}/sessions/${items.sessionId}`;
}

/** Ready to be sent: making it is not what is looked at. */
async function preparedRequest(route: DeclaredRoute, fill: Fill) {
  const { owner } = greedy.workspace;
  const { method, path, type, body } = await largestRequestTo(route, greedy.items, fill, (...call) => owner.send(...call));
  const headers = { ...owner.headers, ...(type && { 'content-type': type }) };
  return () => api.app.server.inject({ method, url: `/api/v1${path}`, headers, ...(body !== undefined && { payload: body }) });
}

interface Cost {
  readonly mainMs: number;
  readonly allMs: number;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const [main, all] = [process.threadCpuUsage(), process.cpuUsage()];
  await work();
  return { mainMs: msOf(process.threadCpuUsage(main)), allMs: msOf(process.cpuUsage(all)) };
}

const msOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;

/** Sends the largest of one kind; again where it was too much or may be repeated: a first time compiles, and garbage is nobody's fault. */
async function tryAlone(route: DeclaredRoute, fill: Fill) {
  let least: Cost = { mainMs: Number.POSITIVE_INFINITY, allMs: Number.POSITIVE_INFINITY };
  let answer = { statusCode: 0, body: '' };
  for (let tries = 0; tries < (isReading(route) ? 2 : 1) || (tries < 3 && least.mainMs > MOST_PROCESSOR_MS); tries++) {
    const send = await preparedRequest(route, fill);
    const cost = await costOf(async () => {
      answer = await send();
    });
    least = { mainMs: Math.min(cost.mainMs, least.mainMs), allMs: Math.min(cost.allMs, least.allMs) };
  }
  const what = `${answer.statusCode} ${answer.body.slice(0, 200)} for texts of ${JSON.stringify(fill)}`;
  expect(answer.statusCode, what).toBeLessThan(500);
  if (!sentInPieces.has(titleOf(route)))
    expect(least.mainMs, `milliseconds of the main thread: ${what}`).toBeLessThanOrEqual(MOST_PROCESSOR_MS);
  return { ...least, fill, status: answer.statusCode, what };
}

async function tryBesideNeighbour(route: DeclaredRoute, fill: Fill): Promise<void> {
  const sends = await Promise.all(
    Array.from({ length: isReading(route) ? READS_AT_ONCE : WRITES_AT_ONCE }, () => preparedRequest(route, fill)),
  );
  const finished: ('greedy' | 'neighbour')[] = [];
  const many = sends.map(async (send) => {
    const { statusCode } = await send();
    finished.push('greedy');
    return statusCode;
  });
  const few = reads.map(async (read) => {
    const { status, text } = await read();
    finished.push('neighbour');
    return status === 200 ? 'served' : `${status} ${text}`;
  });
  expect(await Promise.all(few)).toEqual(reads.map(() => 'served'));
  for (const status of await Promise.all(many)) expect([500, 502, 504]).not.toContain(status);
  // In turn with those who read, and not behind all of them; writes wait for the disk, not for each other.
  if (isReading(route)) expect(finished.at(-1), `the last of ${finished.join(', ')}`).toBe('greedy');
}

test.for(routes.map((route) => [titleOf(route), route] as const))('%s', async ([title, route]) => {
  const tried: Awaited<ReturnType<typeof tryAlone>>[] = [];
  for (const fill of route.body || route.upload || route.query ? FILLS : FILLS.slice(0, 1)) {
    tried.push(await tryAlone(route, fill));
    // What is gone is gone.
    if (route.method === 'DELETE' && tried.some(({ status }) => status < 300)) break;
  }
  const isTaken = tried.some(({ status }) => status < 300);
  if (!refusedAnyway.has(title)) expect(isTaken, `the largest input is taken: ${tried.map(({ what }) => what).join('; ')}`).toBe(true);
  const [dearest] = tried.toSorted((one, other) => other.allMs - one.allMs);
  if (dearest && dearest.allMs >= EXPENSIVE_MS && route.method !== 'DELETE') await tryBesideNeighbour(route, dearest.fill);
});
