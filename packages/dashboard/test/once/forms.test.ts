/** Forms: what is wrong stands under its field, and the first such field has the focus. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from '../accessibility.ts';
import { test } from '../dashboard.ts';

async function expectWrong(field: Locator, message: string): Promise<void> {
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  const words = await field.evaluate((element) =>
    (element.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' '),
  );
  expect(words).toContain(message);
}

const expectFocus = (field: Locator) => expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
const formsWithBubbles = (page: Page) => page.locator('form:not([novalidate])').count();

test('a form says what is missing under each field, and goes to the first', async ({ dashboard }) => {
  const person = await dashboard.newPerson();
  const page = await dashboard.open('/sign-in');
  const email = page.getByLabel('E-mail');
  const password = page.getByLabel('Password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expectWrong(email, 'E-mail is required');
  await expectWrong(password, 'Password is required');
  await expectFocus(email);
  expect(await formsWithBubbles(page)).toBe(0);
  await expectAccessible(page);

  // What is typed is no longer wrong until it is sent again.
  await email.fill('ines');
  await expect.poll(() => email.getAttribute('aria-invalid')).toBeNull();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expectWrong(email, 'E-mail must be a valid e-mail address');
  await email.fill(person.email);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expectFocus(password);
  await password.fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname !== '/sign-in');
});

test('what the service refuses stands at its field too, which takes the focus', async ({ dashboard }) => {
  const person = await dashboard.newPerson();
  const page = await dashboard.open('/account', { as: person });
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Change password' }).click();
  const current = page.getByLabel('Current password');
  await expectWrong(current, 'Current password is required');
  await expectWrong(page.getByLabel('New password'), 'New password must be at least 10 characters');
  await expectFocus(current);
  await current.fill('not this one at all');
  await page.getByLabel('New password').fill('a better horse battery staple');
  await page.getByRole('button', { name: 'Change password' }).click();
  await expectWrong(current, 'password');
  await expectFocus(current);
  await expectAccessible(page);
});

test('a dialog does the same, by its button and by the keyboard', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path('/agents'), { as: team.owner });
  await page.getByRole('button', { name: 'Create agent' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create agent' });
  const name = dialog.getByLabel('Name');
  await dialog.getByLabel('Description').fill('Answers bakeries.');
  await dialog.getByLabel('Description').press('Control+Enter');
  await expectWrong(name, 'Name is required');
  await expectFocus(name);
  expect(await formsWithBubbles(page)).toBe(0);
  await expectAccessible(page);
  await name.fill('Order desk');
  await dialog.getByRole('button', { name: 'Create agent' }).click();
  await page.getByRole('heading', { level: 1, name: 'Order desk' }).waitFor();
  expect((await team.client.agents.list()).data.map((agent) => agent.name)).toEqual(['Order desk']);
});
