import { expect } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { test } from './dashboard.ts';

test('a person signs in, sees their workspace and signs out', async ({ dashboard }) => {
  const { owner, path } = await dashboard.newTeam();
  const page = await dashboard.open('/');
  await page.waitForURL('**/sign-in**');
  await expectAccessible(page);
  await page.getByLabel('E-mail').fill(owner.email);
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('request').waitFor();
  await page.getByLabel('Password').fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`**${path()}`);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.getByRole('button', { name: owner.name }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in');
  // Nothing of the account is left: the old address asks to sign in, and leads back.
  await page.goto(path('/keys'));
  await page.waitForURL(`**/sign-in?next=*`);
});

test('a page that needs a sign-in comes back after it, and never leads to another host', async ({ dashboard }) => {
  const { owner, path } = await dashboard.newTeam();
  const signIn = async (address: string) => {
    const page = await dashboard.open(address);
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByLabel('Password').fill(owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    return page;
  };
  await (await signIn(path('/members'))).waitForURL(`**${path('/members')}`);
  for (const evil of ['//evil.example/', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)']) {
    const page = await signIn(`/sign-in?next=${encodeURIComponent(evil)}`);
    await page.waitForURL((url) => url.pathname !== '/sign-in');
    expect(new URL(page.url()).origin).toBe(dashboard.url);
  }
});
