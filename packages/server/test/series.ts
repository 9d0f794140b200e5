/** Series as tests ask for them, and the hours that they are about. */
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { type App, createApp } from '../src/app.ts';
import type { Clock } from '../src/clock.ts';
import { countByStatus } from '../src/documents/status-counts.ts';
import type { Job } from '../src/jobs/queue.ts';
import { HOUR_MS } from '../src/roll-ups/hourly-values.ts';
import { sampleWorkspaces } from '../src/roll-ups/sampling.ts';
import type { Answer, TestApi, TestWorkspace } from './api.ts';

const { signal } = new AbortController();

/** A minute into the next hour, so that all that a test does within it is of one hour. */
export function enterNextHour(api: TestApi): number {
  api.clock.advance(HOUR_MS - (api.clock.nowMs() % HOUR_MS) + 60_000);
  return api.clock.nowMs() - (api.clock.nowMs() % HOUR_MS);
}

export async function secondNode(api: TestApi): Promise<App> {
  const node = await createApp(api.app.context.config, api.db, pino({ level: 'silent' }), api.clock);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await node.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { ...node, close };
}

/** What there is, looked at by a node of this clock. */
export async function sample({ db, clock, app }: TestApi, ofNode: Clock = clock): Promise<void> {
  await sampleWorkspaces(db, ofNode, countByStatus, app.context.log).run({} as Job, signal);
}

export async function series(
  workspace: TestWorkspace,
  metric: string,
  query: Record<string, string | number> = {},
): Promise<Answer['body']> {
  const times = Object.entries(query).map(([name, value]) => [name, typeof value === 'number' ? new Date(value).toISOString() : value]);
  const { status, body, text } = await workspace.owner.get(
    `${workspace.url}/stats/series?${new URLSearchParams([['metric', metric], ...times] as string[][])}`,
  );
  expect(status, text).toBe(200);
  return body;
}

export const valuesOf = ({ points }: { points: { value: number | null }[] }) => points.map(({ value }) => value);
export const groupsOf = ({ groups }: Answer['body']) =>
  Object.fromEntries(groups.map((group: { id: string; points: { value: number | null }[] }) => [group.id, valuesOf(group)]));
