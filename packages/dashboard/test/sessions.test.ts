/** The list of sessions: found by label and id, live, and looked after. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { type Dashboard, type Team, test } from './dashboard.ts';

async function withSessions(dashboard: Dashboard, count: number): Promise<Team & { agentId: string }> {
  const team = await dashboard.newTeam();
  const agent = await team.client.agents.create({ name: 'Order desk' });
  for (let at = 0; at < count; at++)
    await team.client.sessions.create(agent.id, {
      id: `order-${at}`,
      title: `Order ${at}`,
      labels: { customer: at % 2 === 0 ? 'holt' : 'sommer', number: String(at) },
    });
  return { ...team, agentId: agent.id };
}

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Sessions' }).locator('tbody tr');

test('the agent that was active last is chosen, and the choice is in the address', async ({ dashboard }) => {
  const team = await withSessions(dashboard, 1);
  const quiet = await team.client.agents.create({ name: 'Storefront' });
  const page = await dashboard.open(team.path('/sessions'), { as: team.owner });
  await page.getByRole('link', { name: 'Order 0' }).waitFor();
  expect(await page.getByLabel('Agent').inputValue()).toBe(team.agentId);
  await page.getByLabel('Agent').selectOption({ label: 'Storefront' });
  await page.getByText('No sessions of Storefront yet').waitFor();
  expect(new URL(page.url()).searchParams.get('agent')).toContain(quiet.id);
  await page.reload();
  await page.getByText('No sessions of Storefront yet').waitFor();
  await expectAccessible(page);
});

test('labels and ids filter, as chips that are in the address', async ({ dashboard }) => {
  const team = await withSessions(dashboard, 4);
  const page = await dashboard.open(team.path('/sessions'), { as: team.owner });
  await expect.poll(() => rowsOf(page).count()).toBe(4);
  await page.keyboard.press('/');
  await page.keyboard.type('customer=holt');
  await page.keyboard.press('Enter');
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  const filter = page.getByLabel('Filter by label or external id');
  await filter.fill('number=2');
  await filter.press('Enter');
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  await page.reload();
  await page.getByRole('link', { name: 'Order 2' }).waitFor();
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  await page.getByRole('button', { name: 'Remove filter customer=holt' }).click();
  await page.getByRole('button', { name: 'Remove filter number=2' }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(4);
  await filter.fill('order-3');
  await filter.press('Enter');
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  await filter.fill('order-99');
  await filter.press('Enter');
  await page.getByText('No session matches').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(4);
});

test('a session is made, renamed, archived and deleted, by keyboard and by menu', async ({ dashboard }) => {
  const team = await withSessions(dashboard, 2);
  const page = await dashboard.open(team.path('/sessions'), { as: team.owner });
  await page.getByRole('link', { name: 'Order 1' }).waitFor();
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'New session' });
  await dialog.getByLabel('Title').fill('Late pallet');
  await dialog.getByLabel('External id').fill('pallet');
  await dialog.getByLabel('Labels').fill('channel=mail\nnonsense');
  await dialog.getByText('“nonsense” is not key=value.').waitFor();
  await dialog.getByLabel('Labels').fill('channel=mail');
  await dialog.getByLabel('Labels').press('Control+Enter');
  await page.getByRole('heading', { level: 1, name: 'Late pallet' }).waitFor();
  await page.getByText('channel=mail').first().waitFor();

  await page.goBack();
  await page.getByRole('link', { name: 'Late pallet' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('e');
  await page.getByRole('dialog', { name: 'Rename session' }).getByLabel('Title').fill('Pallet of spelt');
  await page.getByRole('button', { name: 'Rename session' }).click();
  await page.getByRole('link', { name: 'Pallet of spelt' }).waitFor();
  await expect.poll(async () => (await team.client.sessions.list(team.agentId, { id: 'pallet' })).data[0]?.title).toBe('Pallet of spelt');

  const row = rowsOf(page).filter({ hasText: 'Pallet of spelt' });
  await row.getByRole('button', { name: 'Actions of Pallet of spelt' }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await row.getByText('archived').waitFor();

  const { data } = await team.client.sessions.list(team.agentId, { id: 'pallet' });
  await team.client.messages.create(team.agentId, data[0]?.id ?? '', { role: 'user', content: 'Hello' });
  await row.getByRole('button', { name: 'Actions of Pallet of spelt' }).click();
  await page.getByRole('menuitem', { name: 'Delete session' }).click();
  await page.getByRole('alertdialog').getByText('1 message and 0 memories go with it.').waitFor();
  await page.getByRole('button', { name: 'Delete session' }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  expect((await team.client.sessions.list(team.agentId, { id: 'pallet' })).meta.total).toBe(0);
});

test('new sessions appear by themselves; while the list is scrolled they wait', async ({ dashboard }) => {
  const team = await withSessions(dashboard, 60);
  const page = await dashboard.open(team.path('/sessions'), { as: team.owner });
  await expect.poll(() => rowsOf(page).count()).toBe(50);
  await team.client.sessions.create(team.agentId, { id: 'fresh', title: 'Fresh one' });
  await page.getByRole('link', { name: 'Fresh one' }).waitFor();

  await page.getByRole('button', { name: 'Next page' }).scrollIntoViewIfNeeded();
  await team.client.sessions.create(team.agentId, { id: 'later', title: 'Later one' });
  await page.getByRole('button', { name: '1 new' }).waitFor();
  expect(await page.getByRole('link', { name: 'Later one' }).count()).toBe(0);
  await page.getByRole('button', { name: '1 new' }).click();
  await page.getByRole('link', { name: 'Later one' }).waitFor();

  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('51 to 62 of 62').waitFor();
  expect(new URL(page.url()).searchParams.get('offset')).toBe('50');
  await page.goBack();
  await page.getByText('1 to 50 of 62').waitFor();
});

test('a page that the list no longer reaches says so, and leads to the first', async ({ dashboard }) => {
  const team = await withSessions(dashboard, 2);
  const page = await dashboard.open(team.path(`/sessions?agent=${team.agentId}&offset=50`), { as: team.owner });
  await page.getByText('Nothing on this page').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'To the first page' }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  expect(new URL(page.url()).searchParams.has('offset')).toBe(false);
});

test('a member who may only read changes nothing, on a phone and in the dark', async ({ dashboard }) => {
  const team = await withSessions(dashboard, 2);
  const reader = await dashboard.newMember(team, 'readonly');
  const page = await dashboard.open(team.path('/sessions'), { as: reader, phone: true, dark: true });
  await page.getByRole('link', { name: 'Order 1' }).waitFor();
  expect(await page.getByRole('button', { name: 'New session' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Actions of Order 1' }).click();
  await page.getByRole('menuitem', { name: 'Copy external id' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Delete session' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Order 1' }).click();
  await page.getByText('can read this session, and not write to it').waitFor();
  await expectAccessible(page);
});
