/** One tenant sends the largest that each route takes, many at once: the process stays small. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { declaredRoutes } from '../../../bench/declared-routes.ts';
import { publishedRoutes } from '../../../bench/soak/openapi.ts';
import { newScene } from '../../../bench/soak/scene.ts';
import { soakService } from '../../../bench/soak/service.ts';
import { temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { FILLS, largestRequestTo } from './largest-requests.ts';
import { titleOf } from './matrix-paths.ts';

const MOST_RESIDENT_BYTES = 1024 * 1024 * 1024;
const AT_ONCE = 10;

/** The most that was ever held, as Linux counts it. */
function peakBytesOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

test.runIf(existsSync('/proc/self/status'))('the largest of every route, ten at once, stays below 1 GB of memory', async () => {
  await using soak = await soakService({ COMMONPLACE_DATA_DIR: temporaryFolder() });
  const { url, pid } = soak.service;
  const { credentials, items } = await newScene(url, await publishedRoutes(url));
  const send = async (method: string, path: string, body?: string, type = 'application/json') => {
    const headers = { ...credentials.owner, ...(body !== undefined && { 'content-type': type }) };
    const answer = await fetch(`${url}/api/v1${path}`, { method, headers, ...(body !== undefined && { body }) });
    return { status: answer.status, text: await answer.text() };
  };
  const ask = async (method: string, path: string, body?: object) => {
    const { status, text } = await send(method, path, body && JSON.stringify(body));
    return { status, body: JSON.parse(text) };
  };
  for (const route of await declaredRoutes()) {
    if (route.method === 'DELETE') continue;
    const requests = [];
    for (let turn = 0; turn < AT_ONCE; turn++)
      requests.push(await largestRequestTo(route, items, FILLS[turn % FILLS.length] as (typeof FILLS)[number], ask));
    const answers = await Promise.all(requests.map(({ method, path, body, type }) => send(method, path, body, type)));
    for (const { status, text } of answers) expect([500, 502, 504], `${titleOf(route)}: ${text.slice(0, 300)}`).not.toContain(status);
    expect(peakBytesOf(pid), `bytes after ${titleOf(route)}`).toBeLessThan(MOST_RESIDENT_BYTES);
  }
});
