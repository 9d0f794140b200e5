/** What holds of every page: axe finds nothing, nothing scrolls sideways, and no page asks another host or complains. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from '../accessibility.ts';
import { type Dashboard, type OpenOptions, test } from '../dashboard.ts';
import { type FurnishedTeam, furnishTeam, pagesOf } from '../furnished-team.ts';

const OTHERS = ['/account', '/docs'];

/** Each in turn, once what it asked for is there. */
async function visitPages(dashboard: Dashboard, team: FurnishedTeam, options: OpenOptions, check: (page: Page) => Promise<void>) {
  const page = await dashboard.open('/', { as: team.owner, ...options });
  for (const path of [...pagesOf(team), ...OTHERS]) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await check(page);
  }
}

test('every page is accessible, in light and in dark, says where one is, and never scrolls sideways, however narrow', async ({
  dashboard,
}) => {
  const team = await furnishTeam(dashboard);
  await visitPages(dashboard, team, {}, async (page) => {
    await expectAccessible(page);
    const current = await page.getByRole('navigation', { name: 'Main' }).locator('[aria-current=page]').count();
    expect(current, page.url()).toBe(/\/w\/[^/]+(?!.*\/(start|search))/.test(page.url()) ? 1 : 0);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'light' });
    for (const width of [1024, 768, 320]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoSidewaysScroll(page);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});

test('every page is accessible on a phone, and fits', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  await visitPages(dashboard, team, { phone: true, dark: true }, async (page) => {
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });
});

test('a member who may only read sees every page', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const owner = await dashboard.newMember(team, 'readonly');
  const managers = ['/keys', '/audit'].map((below) => team.path(below));
  await visitPages(dashboard, { ...team, owner }, {}, async (page) => {
    const refused = managers.includes(new URL(page.url()).pathname);
    expect(await page.getByRole('alert').count(), page.url()).toBe(refused ? 1 : 0);
  });
});
