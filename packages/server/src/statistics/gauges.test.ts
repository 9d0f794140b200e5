/** How much there is at a time: documents by status, and jobs that wait. */
import { expect } from 'vitest';
import { made, type TestApi, test } from '../../test/api.ts';
import { newKnowledge } from '../../test/documents.ts';
import { enterNextHour, groupsOf, sample, series, valuesOf } from '../../test/series.ts';
import type { Clock } from '../clock.ts';
import { countByStatus } from '../documents/status-counts.ts';
import type { Job } from '../jobs/queue.ts';
import { HOUR_MS } from '../roll-ups/hourly-values.ts';
import { sampleWorkspaces } from '../roll-ups/sampling.ts';

const { signal } = new AbortController();

/** Of a node that is ahead, or behind. */
function clockAt(api: TestApi, offsetMs: number): Clock {
  return { nowMs: () => api.clock.nowMs() + offsetMs, monotonicMs: () => api.clock.monotonicMs() };
}

test('documents by status are what there is: from the first hour of a workspace on, until something changes', async ({ api }) => {
  const hour = enterNextHour(api);
  const { workspace, upload, url, runtime } = await newKnowledge(api);
  await sample(api);
  const { id } = made(await upload({ content: 'About tea.' }));
  made(await upload({ content: 'About milk.' }));
  enterNextHour(api);
  await sample(api);
  enterNextHour(api);
  await api.drainJobs();
  enterNextHour(api);
  await sample(api);
  // Nothing changes for an hour.
  enterNextHour(api);
  await sample(api);
  const last = enterNextHour(api);
  expect((await runtime.delete(`${url}/${id}`)).status).toBe(204);
  await sample(api);
  expect(last).toBe(hour + 5 * HOUR_MS);

  const answer = await series(workspace, 'documents', { since: hour - HOUR_MS, until: hour + 7 * HOUR_MS });
  expect(answer).toMatchObject({ unit: 'count', kind: 'gauge' });
  expect(groupsOf(answer)).toEqual({
    processing: [null, 0, 2, 2, 0, 0, 0, null],
    indexed: [null, 0, 0, 0, 2, 2, 1, null],
    failed: [null, 0, 0, 0, 0, 0, 0, null],
  });
  expect(valuesOf(answer)).toEqual([null, 0, 2, 2, 2, 2, 1, null]);
  expect(valuesOf(await series(workspace, 'documents', { since: last, until: last + 1 }))).toEqual([1]);
});

test('only where documents changed are they counted again', async ({ api }) => {
  const { workspace, upload } = await newKnowledge(api);
  const other = await newKnowledge(api);
  made(await upload());
  await sample(api);
  const counted: string[] = [];
  const count: typeof countByStatus = (db, ids) => {
    counted.push(...ids);
    return countByStatus(db, ids);
  };
  const watched = sampleWorkspaces(api.db, api.clock, count, api.app.context.log);
  await watched.run({} as Job, signal);
  expect(counted).toEqual([]);
  made(await upload({ content: 'More.' }));
  await watched.run({} as Job, signal);
  expect(counted).toEqual([workspace.id]);
  expect(counted).not.toContain(other.workspace.id);
});

test('of the jobs that wait an hour shows the most at a time, and the hour after it that there are none', async ({ api }) => {
  await api.drainJobs();
  const hour = enterNextHour(api);
  const { workspace, upload } = await newKnowledge(api);
  for (const content of ['One.', 'Two.', 'Three.']) made(await upload({ content }));
  await sample(api);
  await api.drainJobs();
  await sample(api);
  enterNextHour(api);
  await Promise.all([sample(api), sample(api)]);
  enterNextHour(api);
  await sample(api);
  const answer = await series(workspace, 'jobsWaiting', { since: hour - HOUR_MS, until: hour + 3 * HOUR_MS });
  expect(answer).toMatchObject({ unit: 'count', kind: 'gauge', groups: [] });
  expect(valuesOf(answer)).toEqual([null, 3, 0, 0]);
});

test('near the end of an hour, a node whose clock is behind corrects what one ahead of it has sampled', async ({ api }) => {
  const hour = enterNextHour(api);
  const { workspace, upload } = await newKnowledge(api);
  made(await upload());
  await sample(api);
  made(await upload({ content: 'Two.' }));
  await sample(api, clockAt(api, -2 * 60_000));
  made(await upload({ content: 'Three.' }));
  await sample(api, clockAt(api, -2 * 60_000));
  const answer = await series(workspace, 'documents', { since: hour, until: hour + HOUR_MS });
  expect(valuesOf(answer)).toEqual([3]);
});

test('a clock that was days ahead does not keep jobs that are done waiting', async ({ api }) => {
  await api.drainJobs();
  const hour = enterNextHour(api);
  const { workspace, upload } = await newKnowledge(api);
  const other = await newKnowledge(api);
  made(await other.upload());
  await sample(api, clockAt(api, 48 * HOUR_MS));
  made(await upload());
  await sample(api);
  await api.drainJobs();
  enterNextHour(api);
  await sample(api);
  const answer = await series(workspace, 'jobsWaiting', { since: hour, until: hour + 2 * HOUR_MS });
  expect(valuesOf(answer)).toEqual([1, 0]);
});
