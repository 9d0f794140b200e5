/** What waits, runs and failed in the background, why, and trying it again. */
import { expect } from 'vitest';
import { findDocumentToIndex } from '../../server/src/documents/chunk-store.ts';
import { noteFailure } from '../../server/src/documents/store.ts';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { type Dashboard, type Team, test } from './dashboard.ts';

async function uploadEmpty({ client }: Team, title: string): Promise<string> {
  const { id } = await client.documents.upload(new Blob(['']), { filename: 'empty.txt', title });
  await expect.poll(async () => (await client.documents.get(id)).status).toBe('failed');
  return id;
}

/** A document with text whose indexing was given up. */
async function uploadInVain(dashboard: Dashboard, { client, workspace }: Team, title: string): Promise<string> {
  const { id } = await client.documents.upload(new Blob(['Flour is 2 a kilogram.']), { filename: 'prices.md', title });
  await client.documents.waitUntilIndexed(id);
  const { api } = dashboard;
  const document = await findDocumentToIndex(api.db, { workspaceId: workspace.id, documentId: id });
  if (!document) throw new Error('The document is gone');
  const failure = { error: 'The model did not answer', attempts: 6, isFinal: true };
  await noteFailure(api.db, document, failure, api.clock.nowMs());
  return id;
}

test('a job that failed says why, is counted, and is tried again one by one or all together', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path('/work'), { as: team.owner });
  await page.getByText('Nothing to do').waitFor();
  await expectAccessible(page);
  const october = await uploadInVain(dashboard, team, 'Price list October');
  await uploadInVain(dashboard, team, 'Price list November');
  // It shows without a reload.
  const jobs = page.getByRole('region', { name: 'Jobs' });
  await jobs.getByText('Price list November').waitFor();
  // The list may have been read while it was being indexed.
  await expect.poll(() => jobs.getByText('The model did not answer').count()).toBe(2);
  await page.getByRole('link', { name: 'Failed 2' }).waitFor();
  await expectAccessible(page);

  const retried = page.waitForResponse((response) => response.url().endsWith('/retry') && response.status() === 202);
  await page.getByRole('button', { name: 'Retry job of Price list October' }).click();
  await retried;
  await expect.poll(async () => (await team.client.documents.get(october)).status).toBe('indexed');
  // A file without text would fail again: only the other is tried.
  const december = await uploadEmpty(team, 'Price list December');
  await page.getByRole('link', { name: 'Failed 2' }).waitFor();
  await page.getByRole('button', { name: 'Retry all failed' }).click();
  await page.getByText('1 job tried again').waitFor();
  await page.getByText('Trying again can’t help').waitFor();
  await expect.poll(() => page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);

  await page.getByRole('link', { name: /^Waiting/ }).click();
  await page.waitForURL('**?status=waiting');
  await page.getByLabel('Kind').selectOption('extract-memories');
  await page.getByText('No job fits the filter').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.getByRole('link', { name: /Price list December/ }).click();
  await page.waitForURL(`**/knowledge/${december}`);
});

test('a page that the jobs no longer reach says so, and leads to the first', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  await uploadEmpty(team, 'Price list October');
  const page = await dashboard.open(team.path('/work?offset=50'), { as: team.owner });
  await page.getByText('Nothing on this page').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'To the first page' }).click();
  await page.getByText('The file is empty').waitFor();
  expect(new URL(page.url()).searchParams.has('offset')).toBe(false);
});

test('a member who may only read sees the work, on a phone too, and can’t retry it', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  await uploadEmpty(team, 'Price list October');
  const page = await dashboard.open(team.path('/work'), { as: await dashboard.newMember(team, 'readonly'), phone: true });
  await page.getByText('The file is empty').waitFor();
  expect(await page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});
