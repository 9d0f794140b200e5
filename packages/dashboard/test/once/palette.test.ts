/** The command palette and the keys, without a mouse. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from '../accessibility.ts';
import { test } from '../dashboard.ts';
import { calmWords, furnishTeam } from '../furnished-team.ts';

const field = (page: Page) => page.getByRole('combobox', { name: 'Search or run a command' });

/** The option that Enter would choose. */
async function activeOption(page: Page): Promise<string> {
  const id = await field(page).getAttribute('aria-activedescendant');
  return (await page.locator(`[id="${id}"][aria-selected="true"] .truncate`).textContent()) ?? '';
}

async function type(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Search or run a command' }).waitFor();
  await page.keyboard.press('ControlOrMeta+k');
  await field(page).waitFor();
  await expect.poll(() => field(page).evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.type(text);
}

test('pages, commands and what was looked at last, by their names', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const page = await dashboard.open(team.path(), { as: team.owner });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await type(page, '');
  await expectAccessible(page);
  await expect.poll(() => activeOption(page)).toBe('Overview');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => activeOption(page)).toBe('Sign out');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => activeOption(page)).toBe('Agents');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${team.path('/agents')}`);
  // The page has the focus, not the button that opened nothing.
  await page.locator('main:focus').waitFor();

  await type(page, 'cak');
  await expect.poll(() => activeOption(page)).toBe('Create access key');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${team.path('/keys')}?new=true`);
  await page.goto(team.path('/members'));

  await type(page, 'dark');
  await expect.poll(() => activeOption(page)).toBe('Switch theme');
  await page.keyboard.press('Enter');
  await page.locator('html[data-theme="dark"]').waitFor();
  await field(page).waitFor({ state: 'detached' });
});

test('what is meant is found while it is typed, and opened', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const page = await dashboard.open(team.path(), { as: team.owner });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await type(page, 'when are they closed');
  const found = page.getByRole('group', { name: 'Found by meaning' });
  await found.getByRole('option', { name: 'Closed on Mondays since October Memory', exact: true }).waitFor();
  await expectAccessible(page);
  while ((await activeOption(page)) !== 'Closed on Mondays since October') await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/agents/${team.agent.id}/sessions/${team.session.id}?memory=*`);

  await type(page, 'opening hours & days');
  await page.getByRole('option', { name: 'Search everything for' }).waitFor();
  await page.keyboard.press('Tab');
  await page.waitForURL(`**${team.path('/search')}?q=opening*`);
  expect(new URL(page.url()).searchParams.get('q')).toBe('opening hours & days');
});

test('what is found reads as plain words on one line', async ({ dashboard }) => {
  const document = '# Deliveries\n\nVans leave at **four**,\nsee [the timetable](https://millhouse.example/vans).\n';
  const team = await furnishTeam(dashboard, { ...calmWords, document });
  const page = await dashboard.open(team.path(), { as: team.owner });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await type(page, 'when do vans leave');
  const found = page.getByRole('group', { name: 'Found by meaning' });
  await found.getByRole('option', { name: 'Delivery handbook: Vans leave at four, see the timetable.' }).waitFor();
});

test('what is typed before it is there goes into its field', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const page = await dashboard.open('/account', { as: team.owner });
  await page.getByRole('heading', { level: 1 }).waitFor();
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route('**/palette-*.js', async (route) => {
    asked.resolve();
    await held.promise;
    await route.continue();
  });
  await page.goto(team.path('/agents'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await asked.promise;
  await page.keyboard.press('ControlOrMeta+k');
  // Neither a shortcut, nor lost.
  await page.keyboard.type('g sx');
  await page.keyboard.press('Backspace');
  held.resolve();
  await expect.poll(() => field(page).inputValue()).toBe('g s');
  await page.keyboard.type('!');
  expect(await field(page).inputValue()).toBe('g s!');
  expect(new URL(page.url()).pathname).toBe(team.path('/agents'));
});

test('a page that comes in late does not take the focus from it', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const page = await dashboard.open(team.path(), { as: team.owner });
  await page.getByRole('heading', { level: 1 }).waitFor();
  const held = Promise.withResolvers<void>();
  await page.route('**/agents-page-*.js', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await page.waitForURL(`**${team.path('/agents')}`);
  await type(page, 'sess');
  held.resolve();
  await page.getByRole('heading', { name: 'Agents', level: 1, includeHidden: true }).waitFor();
  await page.keyboard.type('ions');
  expect(await field(page).inputValue()).toBe('sessions');
});

test('what is not there any more is not among the recent ones once it was looked for', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const path = team.path(`/prompts/${team.prompt.promptId}`);
  const page = await dashboard.open(path, { as: team.owner });
  await page.getByRole('heading', { name: 'Order desk reply' }).waitFor();
  await team.client.agents.update(team.agent.id, { promptId: null });
  await team.client.prompts.delete(team.prompt.promptId);
  await page.goto(path);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  await type(page, 'desk');
  await page.getByRole('option').first().waitFor();
  expect(await page.getByRole('group', { name: 'Recent' }).count()).toBe(0);
});

test('keys: go to, help, and none while something is written', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const page = await dashboard.open(team.path(), { as: team.owner });
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (const [key, below] of [
    ['k', '/knowledge'],
    ['p', '/prompts'],
    ['s', '/sessions'],
    ['c', '/context'],
    ['a', '/agents'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.waitForURL(`**${team.path(below)}`);
  }
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await page.keyboard.press('ControlOrMeta+k');
  expect(await page.getByRole('dialog').count(), 'none over another').toBe(1);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(new URL(page.url()).pathname).toBe(team.path('/agents'));
});

test('nothing that was looked at stays after signing out', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const page = await dashboard.open(team.path(), { as: team.owner });
  await page.evaluate(
    ([userId, path]) =>
      sessionStorage.setItem(`commonplace:recent:${userId}`, JSON.stringify([{ path, label: 'Order desk reply', kind: 'Prompt' }])),
    [team.owner.id, team.path(`/prompts/${team.prompt.promptId}`)],
  );
  await type(page, 'desk');
  await page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'Order desk reply' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/prompts/${team.prompt.promptId}`);
  await type(page, 'sign out');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/sign-in');
  // The router keeps how far pages were scrolled there, by keys of its own.
  expect(await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('commonplace:')))).toEqual([]);
});

test('on a small screen the navigation is a sheet that keeps the focus', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  for (const width of [1000, 390, 320]) {
    const page = await dashboard.open(team.path('/agents'), { as: team.owner, width });
    const opener = page.getByRole('button', { name: 'Open navigation' });
    await opener.press('Enter');
    const sheet = page.getByRole('dialog', { name: 'Workspace' });
    await sheet.getByRole('link', { name: 'Sessions' }).waitFor();
    await expectAccessible(page);
    for (let pressed = 0; pressed < 30; pressed++) {
      await page.keyboard.press('Tab');
      // A guard at either end hands the focus on.
      await expect.poll(() => sheet.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    }
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.locator('button[aria-label="Open navigation"]:focus').waitFor();
    await opener.press('Enter');
    await sheet.getByRole('link', { name: 'Sessions' }).press('Enter');
    await page.waitForURL(`**${team.path('/sessions')}`);
    await sheet.waitFor({ state: 'detached' });
    await expectNoSidewaysScroll(page);
    await page.close();
  }
});
