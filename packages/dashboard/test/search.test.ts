/** One search over messages, memories and documents, and where its hits lead. */
import { expect } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { test } from './dashboard.ts';
import { furnishTeam } from './furnished-team.ts';

test('a search of everything tells kinds apart, and leads to what it found by keyboard', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const page = await dashboard.open(team.path('/search'), { as: team.owner });
  await page.getByText('Ask for anything').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('refunds of flour, and Mondays');
  await page.keyboard.press('Enter');
  await page.waitForURL('**?q=*');
  const hits = page.getByRole('region', { name: 'Hits' });
  for (const type of ['document', 'memory', 'message']) await hits.getByText(type, { exact: true }).first().waitFor();
  await hits
    .getByText(/^neighbours/)
    .first()
    .waitFor();
  expect(await hits.locator('mark').allTextContents()).toEqual(expect.arrayContaining(['flour', 'Mondays']));
  await page
    .getByRole('status')
    .filter({ hasText: /hits in/ })
    .waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Memories' }).click();
  await page.waitForURL('**&type=memory');
  await expect.poll(() => hits.getByText('message', { exact: true }).count()).toBe(0);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/agents/${team.agent.id}/sessions/${team.session.id}**`);
  await page.goBack();
  await page.getByRole('button', { name: 'Documents' }).click();
  await hits.getByRole('link', { name: 'Delivery handbook' }).first().click();
  await page.waitForURL(`**/knowledge/${team.document.id}?chunk=*`);
});

test('a search that finds nothing says so', async ({ dashboard }) => {
  const { owner, path } = await dashboard.newTeam();
  const page = await dashboard.open(path('/search?q=samovar'), { as: owner });
  await page.getByText('Nothing found').waitFor();
  await expectAccessible(page);
});
