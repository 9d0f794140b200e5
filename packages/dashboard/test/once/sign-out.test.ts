/** What a person leaves in a tab that others use after them: nothing. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Dashboard, type Person, type Team, test } from '../dashboard.ts';

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

/** No cookie from now on, as after its last day: found out by the next look, or by what every page asks for again and again. */
async function endSignIn(page: Page): Promise<void> {
  await page.context().clearCookies({ name: 'commonplace_session' });
  // Where the page was faster, there is nothing to press any more.
  await page
    .getByRole('link', { name: 'Members' })
    .first()
    .dispatchEvent('click', {}, { timeout: 2_000 })
    .catch(() => {});
  await page.waitForURL('**/sign-in?next=*');
}

async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function openDraft(dashboard: Dashboard, team: Team) {
  const prompt = await team.client.prompts.create({ name: 'Order desk reply', type: 'text', content: 'Be brief.', production: true });
  const page = await dashboard.open(team.path(`/prompts/${prompt.promptId}`), { as: team.owner });
  await page.getByRole('textbox', { name: 'Prompt text' }).focus();
  await page.keyboard.insertText('Nobody else should read this. ');
  await page.getByText('with your changes').first().waitFor();
  return page;
}

const readPrompt = async (page: Page) => {
  await page.getByRole('link', { name: 'Prompts' }).first().click();
  await page.getByRole('link', { name: 'Order desk reply' }).first().click();
  await page.getByRole('textbox', { name: 'Prompt text' }).getByText('Be brief.').waitFor();
};

test('after a sign-in that ended, the same person goes on where they were, with their draft', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await openDraft(dashboard, team);
  await endSignIn(page);
  await signIn(page, team.owner);
  await page.waitForURL(({ pathname }) => pathname.startsWith(`${team.path()}/`));
  await readPrompt(page);
  await page.getByText('with your changes').first().waitFor();
  await page.getByRole('textbox', { name: 'Prompt text' }).getByText('Nobody else should read this.').waitFor();
  await page.keyboard.press('Escape');
});

test('after a sign-in that ended, another person finds nothing of the first', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const own = await team.owner.client.workspaces.create({ name: 'Ines alone' });
  const colleague = await dashboard.newMember(team, 'admin');
  const page = await openDraft(dashboard, team);
  // A second workspace is the last one that was open.
  await page.getByRole('link', { name: 'Agents' }).first().click();
  await page.evaluate((id) => localStorage.setItem('commonplace:workspace', id), own.id);
  await endSignIn(page);
  const kept = () => page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(await kept()).toContain(team.owner.id);
  await signIn(page, colleague);
  // Not where the first person was.
  await page.waitForURL(`**${team.path()}`);
  await page.getByRole('button', { name: colleague.name }).waitFor();
  expect(await kept()).not.toContain(team.owner.id);
  expect(await kept()).not.toContain(own.id);
  expect(await kept()).not.toContain('Order desk reply');
  await page.getByRole('button', { name: 'Search or run a command' }).click();
  await page.getByRole('option', { name: 'Sign out' }).waitFor();
  expect(await page.getByRole('group', { name: 'Recent' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await readPrompt(page);
  expect(await page.getByText('Nobody else').count()).toBe(0);
  expect(await page.getByText('with your changes').count()).toBe(0);
});

test('somebody else who signs in in another tab takes this one over too', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const colleague = await dashboard.newMember(team, 'admin');
  const page = await openDraft(dashboard, team);
  await endSignIn(page);
  const other = await page.context().newPage();
  await other.goto('/sign-in');
  await signIn(other, colleague);
  await other.getByRole('button', { name: colleague.name }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: colleague.name }).waitFor();
  await readPrompt(page);
  expect(await page.getByText('Nobody else').count()).toBe(0);
});

test('a tab that stayed open meanwhile is taken over as soon as it is looked at', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const colleague = await dashboard.newMember(team, 'admin');
  const page = await openDraft(dashboard, team);
  const other = await page.context().newPage();
  await other.goto('/sign-in');
  await other.evaluate(() => fetch('/api/v1/auth/logout', { method: 'POST' }));
  await other.goto('/sign-in');
  await signIn(other, colleague);
  await other.getByRole('button', { name: colleague.name }).waitFor();
  // What a browser tells a tab that is looked at again.
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await page.getByRole('button', { name: colleague.name }).waitFor();
  await readPrompt(page);
  expect(await page.getByText('Nobody else').count()).toBe(0);
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
