/** A menu by pointer and by keys, and where what it needs can't be loaded. */
import { expect } from 'vitest';
import { test } from '../dashboard.ts';

test('a click opens the menu and another closes it; a key opens it at its first item, and Escape gives the focus back', async ({
  dashboard,
}) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path(), { as: team.owner });
  const button = page.getByRole('button', { name: team.owner.name });
  const menu = page.getByRole('menu', { name: team.owner.name });
  const isExpanded = () => button.getAttribute('aria-expanded');
  await button.click();
  await menu.waitFor();
  expect(await isExpanded()).toBe('true');
  await button.click();
  await menu.waitFor({ state: 'detached' });
  expect(await isExpanded()).toBe('false');
  await button.click();
  await menu.waitFor();
  await page.mouse.click(720, 500);
  await menu.waitFor({ state: 'detached' });

  const firstItem = page.getByRole('menuitem', { name: 'Your account' });
  for (const key of ['Enter', 'ArrowDown']) {
    await button.focus();
    await page.keyboard.press(key);
    await expect.poll(() => firstItem.evaluate((item) => item === item.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await expect.poll(() => button.evaluate((item) => item === item.ownerDocument.activeElement)).toBe(true);
  }
});

test('where it can’t be loaded, it says so and opens later', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path(), { as: team.owner });
  const button = page.getByRole('button', { name: team.owner.name });
  await page.route('**/menu-popup-*', (route) => route.abort());
  await button.click();
  await page.getByRole('region', { name: 'Notifications' }).getByText('The menu could not be loaded').waitFor();
  expect(await button.getAttribute('aria-expanded')).toBe('false');
  await page.unroute('**/menu-popup-*');
  await button.click();
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
});
