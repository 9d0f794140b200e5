import { expect } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { test } from './dashboard.ts';
import { furnishTeam } from './furnished-team.ts';

test('a new workspace says how to begin', async ({ dashboard }) => {
  const { owner, path } = await dashboard.newTeam();
  const page = await dashboard.open(path(), { as: owner });
  await page.getByText('An empty book').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Get started' }).click();
  await page.waitForURL(`**${path('/start')}`);
});

test('counts, plots, recent sessions and what needs a person are there, and a plot can be read by keyboard and as numbers', async ({
  dashboard,
}) => {
  const team = await furnishTeam(dashboard);
  await team.client.documents.search({ query: 'when do vans leave' });
  await team.client.accessKeys.create({
    name: 'ends-soon',
    permissions: ['CAN_LIST_AGENTS'],
    expiresAt: new Date(Date.now() + 2 * 24 * 60 * 60 * 1000).toISOString(),
  });
  // Otherwise within seconds.
  await dashboard.api.app.context.usage.flush();
  const page = await dashboard.open(team.path(), { as: team.owner });
  const calls = page.getByRole('region', { name: 'API calls a day' });
  await calls.getByRole('img').waitFor();
  expect(await calls.getByRole('img').getAttribute('aria-label')).toMatch(/^Calls over 30 days: \d/);

  await page.getByRole('link', { name: 'Sessions 1 of 1 agent' }).waitFor();
  await page.getByRole('table', { name: 'Recent sessions' }).getByRole('link', { name: team.session.title }).waitFor();
  const needs = page.getByRole('region', { name: 'Needs you' });
  await needs.getByText('could not be indexed').waitFor();
  await needs.getByRole('link', { name: 'ends-soon' }).waitFor();
  await expectAccessible(page);

  const reader = calls.getByRole('slider', { name: 'API calls a day, step by step' });
  await reader.focus();
  await page.keyboard.press('Home');
  expect(await reader.getAttribute('aria-valuetext')).toMatch(/^\d+ \w+: .* 0$/);
  await page.keyboard.press('End');
  expect(await reader.getAttribute('aria-valuetext')).toMatch(/: .* [1-9][\d,]*$/);
  await calls.getByRole('button', { name: 'Show numbers of API calls a day' }).click();
  const numbers = calls.getByRole('table');
  await numbers.getByRole('columnheader', { name: 'People' }).waitFor();
  expect(await numbers.getByRole('row').count()).toBe(31);
  await expectAccessible(page);

  await page.getByRole('button', { name: '7 days' }).click();
  await page.waitForURL('**?days=7');
  await expect.poll(() => numbers.getByRole('row').count()).toBe(8);
  await page.reload();
  expect(await page.getByRole('button', { name: '7 days' }).getAttribute('aria-pressed')).toBe('true');
});

test('a member who may only read sees the overview, without what only managers may see', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const reader = await dashboard.newMember(team, 'readonly');
  const page = await dashboard.open(team.path(), { as: reader, dark: true, phone: true });
  await page.getByRole('region', { name: 'Needs you' }).getByText('could not be indexed').waitFor();
  await page.getByRole('region', { name: 'Background jobs' }).getByText('Waiting').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await expectAccessible(page);
});

test('nothing moves while it loads', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const page = await dashboard.open('/sign-in', { as: team.owner });
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value } = entry as PerformanceEntry & { readonly value: number };
        document.documentElement.dataset.shift = String(Number(document.documentElement.dataset.shift ?? 0) + value);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(team.path());
  await page.getByRole('region', { name: 'Needs you' }).getByText('could not be indexed').waitFor();
  await page.waitForLoadState('networkidle');
  expect(Number((await page.evaluate(() => document.documentElement.dataset.shift)) ?? 0)).toBeLessThan(0.02);
});
