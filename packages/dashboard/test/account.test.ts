import { Commonplace } from '@commonplace/client';
import { expect } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { test } from './dashboard.ts';

test('a person changes their profile and their password', async ({ dashboard }) => {
  const { owner } = await dashboard.newTeam();
  const page = await dashboard.open('/account', { as: owner });
  const profile = page.getByRole('region', { name: 'Profile' });
  await profile.getByLabel('Name').fill('Ines D. Duarte');
  await profile.getByRole('button', { name: 'Save profile' }).click();
  await page.getByText('Your profile is saved').waitFor();
  await page.getByRole('button', { name: 'Ines D. Duarte' }).waitFor();

  const taken = await dashboard.newPerson('Somebody');
  await profile.getByLabel('E-mail').fill(taken.email);
  await profile.getByRole('button', { name: 'Save profile' }).click();
  await expect.poll(() => profile.getByLabel('E-mail').getAttribute('aria-invalid')).toBe('true');

  const password = page.getByRole('region', { name: 'Password' });
  await password.getByLabel('Current password').fill('not the password');
  await password.getByLabel('New password').fill('oats and barley at noon');
  await password.getByRole('button', { name: 'Change password' }).click();
  await password.getByText('Current password is wrong').waitFor();
  await expectAccessible(page);
  await password.getByLabel('Current password').fill(owner.password);
  await password.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Your password is changed').waitFor();

  const again = await dashboard.open('/sign-in');
  await again.getByLabel('E-mail').fill(owner.email);
  await again.getByLabel('Password').fill('oats and barley at noon');
  await again.getByRole('button', { name: 'Sign in' }).click();
  await again.getByRole('button', { name: 'Ines D. Duarte' }).waitFor();
});

test('appearance and single keys are kept in the browser', async ({ dashboard }) => {
  const { owner, path } = await dashboard.newTeam();
  const page = await dashboard.open('/account', { as: owner });
  await page.getByRole('button', { name: 'Dark' }).click();
  await page.getByRole('switch', { name: 'Single keys' }).uncheck();
  await page.reload();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  expect(await page.getByRole('switch', { name: 'Single keys' }).isChecked()).toBe(false);
  await expectAccessible(page);
  await page.goto(path('/members'));
  await page.getByRole('button', { name: 'Invite member' }).waitFor();
  await page.keyboard.press('c');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.goto('/account');
  await page.getByRole('button', { name: 'System' }).click();
  expect(await page.locator('html').getAttribute('data-theme')).toBeNull();
});

test('an API key of their own works until it is revoked, and the activity tells of it', async ({ dashboard }) => {
  const { owner } = await dashboard.newTeam();
  const page = await dashboard.open('/account', { as: owner });
  await page.getByRole('tab', { name: 'API keys' }).click();
  await page.getByRole('button', { name: 'Create API key' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('Laptop');
  await form.getByRole('button', { name: 'Create key' }).click();
  const ready = page.getByRole('dialog', { name: 'Your API key is ready' });
  const key = (await ready.getByText(/^cpu_/).textContent()) ?? '';
  await ready.getByLabel('I have stored it').check();
  await expectAccessible(page);
  await ready.getByRole('button', { name: 'Done' }).click();
  const caller = new Commonplace({ baseUrl: dashboard.url, apiKey: key });
  expect((await caller.me.get()).owner?.email).toBe(owner.email);

  await page.getByRole('button', { name: 'Revoke key Laptop' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('Laptop is revoked').waitFor();
  await expect(caller.me.get()).rejects.toMatchObject({ status: 401 });
  await expectAccessible(page);

  await page.getByRole('tab', { name: 'Activity' }).click();
  await page.waitForURL('**/account?tab=activity');
  await page.getByRole('button', { name: 'api_key.delete' }).click();
  await page.getByRole('table', { name: 'Activity' }).getByText('Request id').waitFor();
  await expectAccessible(page);
  await page.goBack();
  await page.goBack();
  await page.getByRole('table', { name: 'API keys' }).waitFor();
});

test('an account goes when its e-mail is typed, and not while a workspace would lose its last owner', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open('/account', { as: team.owner });
  await page.getByRole('button', { name: 'Delete account' }).click();
  const question = page.getByRole('alertdialog');
  const confirm = question.getByRole('button', { name: 'Delete account' });
  expect(await confirm.isDisabled()).toBe(true);
  await question.getByLabel(`Type “${team.owner.email}” to confirm`).fill(team.owner.email);
  await confirm.click();
  await question.getByRole('alert').getByText('owner').first().waitFor();
  await expectAccessible(page);
  await team.client.members.list();
  await team.owner.client.workspaces.delete(team.workspace.id);
  await confirm.click();
  await page.getByText('Your account is deleted.').waitFor();
  expect(new URL(page.url()).pathname).toBe('/sign-in');
  await expect(team.owner.client.me.get()).rejects.toMatchObject({ status: 401 });
});
