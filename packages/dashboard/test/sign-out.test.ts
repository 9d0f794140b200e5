/** What a person leaves in a tab that others use after them: nothing. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Dashboard, type Person, type Team, test } from './dashboard.ts';

async function signOut(page: Page, { name }: Person): Promise<void> {
  await page.getByRole('button', { name }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

async function openMessage(dashboard: Dashboard, team: Team) {
  const agent = await team.client.agents.create({ name: 'Order desk' });
  const session = await team.client.sessions.create(agent.id, { title: 'Delivery window' });
  await team.client.messages.create(agent.id, session.id, { role: 'user', content: 'I live in Lisbon.' });
  const page = await dashboard.open(team.path(`/agents/${agent.id}/sessions/${session.id}`), { as: team.owner });
  const remove = async () => {
    await page.getByRole('button', { name: 'Actions of message 1', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
  };
  const count = async () => (await team.client.messages.list(agent.id, session.id)).meta.total;
  return { page, remove, count };
}

test('who signs in after somebody finds no draft of theirs', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const colleague = await dashboard.newMember(team, 'admin');
  const prompt = await team.client.prompts.create({ name: 'Order desk reply', type: 'text', content: 'Be brief.', production: true });
  const page = await dashboard.open(team.path(`/prompts/${prompt.promptId}`), { as: team.owner });
  await page.getByRole('textbox', { name: 'Prompt text' }).focus();
  await page.keyboard.insertText('Nobody else should read this. ');
  await page.getByText('with your changes').first().waitFor();
  await signOut(page, team.owner);
  await page.waitForURL('**/sign-in');
  await page.getByLabel('E-mail').fill(colleague.email);
  await page.getByLabel('Password').fill(colleague.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`**${team.path()}`);
  // By links: a page load would forget it anyway.
  await page.getByRole('link', { name: 'Prompts' }).first().click();
  await page.getByRole('link', { name: 'Order desk reply' }).first().click();
  await page.getByRole('textbox', { name: 'Prompt text' }).getByText('Be brief.').waitFor();
  expect(await page.getByText('Nobody else').count()).toBe(0);
  expect(await page.getByText('with your changes').count()).toBe(0);
});

test('signing out waits for the deletes that wait behind Undo', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const { page, remove, count } = await openMessage(dashboard, team);
  const order: string[] = [];
  const held = Promise.withResolvers<void>();
  await page.route('**/api/v1/**', async (route) => {
    const request = route.request();
    if (request.method() === 'DELETE') {
      order.push('delete');
      await held.promise;
      order.push('let go');
    }
    if (request.url().endsWith('/logout')) order.push('sign out');
    await route.continue();
  });
  await remove();
  await signOut(page, team.owner);
  await expect.poll(() => order).toContain('delete');
  held.resolve();
  await page.waitForURL('**/sign-in');
  expect(order).toEqual(['delete', 'let go', 'sign out']);
  expect(await count()).toBe(0);
});

test('a page that is closed sends the deletes that wait behind Undo', async ({ dashboard }) => {
  const { page, remove, count } = await openMessage(dashboard, await dashboard.newTeam());
  await remove();
  await page.close({ runBeforeUnload: true });
  await expect.poll(count).toBe(0);
});
