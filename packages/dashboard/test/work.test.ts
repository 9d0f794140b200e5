/** What waits, runs and failed in the background, why, and trying it again. */
import { expect } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { type Team, test } from './dashboard.ts';

async function uploadEmpty({ client }: Team, title: string): Promise<string> {
  const { id } = await client.documents.upload(new Blob(['']), { filename: 'empty.txt', title });
  await expect.poll(async () => (await client.documents.get(id)).status).toBe('failed');
  return id;
}

test('a job that failed says why, is counted, and is tried again one by one or all together', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path('/work'), { as: team.owner });
  await page.getByText('Nothing to do').waitFor();
  await expectAccessible(page);
  const october = await uploadEmpty(team, 'Price list October');
  await uploadEmpty(team, 'Price list November');
  // It shows without a reload.
  const jobs = page.getByRole('region', { name: 'Jobs' });
  await jobs.getByText('Price list November').waitFor();
  expect(await jobs.getByText('The file is empty').count()).toBe(2);
  await page.getByRole('link', { name: 'Failed 2' }).waitFor();
  await expectAccessible(page);

  const retried = page.waitForResponse((response) => response.url().endsWith('/retry') && response.status() === 202);
  await page.getByRole('button', { name: 'Retry Price list October' }).click();
  await retried;
  await expect.poll(async () => (await team.client.documents.get(october)).status).toBe('failed');
  await page.getByRole('button', { name: 'Retry Price list October' }).waitFor();
  await page.getByRole('button', { name: 'Retry all failed' }).click();
  await page.getByText('2 jobs tried again').waitFor();

  await page.getByRole('link', { name: /^Waiting/ }).click();
  await page.waitForURL('**?status=waiting');
  await page.getByLabel('Kind').selectOption('extract-memories');
  await page.getByText('No job fits the filter').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.getByRole('link', { name: /Price list October/ }).click();
  await page.waitForURL(`**/knowledge/${october}`);
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
