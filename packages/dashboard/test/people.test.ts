import { expect } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { test } from './dashboard.ts';

const PASSWORD = 'rye before sunrise';

test('an invite makes an account a member, who sees and changes what the role lets them', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path('/members'), { as: team.owner });
  await page.getByRole('button', { name: 'Invite member' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail').fill('edda@holt.example');
  await dialog.getByRole('radio', { name: 'Read only' }).check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create invite' }).click();
  const link = (await dialog.getByText('/invites/').textContent()) ?? '';
  expect(link.startsWith(`${dashboard.url}/invites/`)).toBe(true);
  await dialog.getByRole('button', { name: 'Copy' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  // A press beside it would lose the link.
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('table', { name: 'Invites' }).getByText('Pending').waitFor();
  expect(page.url()).not.toContain('invite');

  const guest = await dashboard.open(new URL(link).pathname);
  await expectAccessible(guest);
  await guest.getByRole('link', { name: 'Make an account' }).click();
  await guest.getByLabel('Name').fill('Edda Holt');
  await guest.getByLabel('E-mail').fill('somebody@else.example');
  await guest.getByLabel('Password').fill(PASSWORD);
  await guest.getByRole('button', { name: 'Make account' }).click();
  await guest.getByText('This invite is for another e-mail address').waitFor();
  await expectAccessible(guest);
  await guest.getByLabel('E-mail').fill('edda@holt.example');
  await guest.getByRole('button', { name: 'Make account' }).click();
  await guest.waitForURL(`**${team.path()}`);
  await guest.getByText('Read only').waitFor();

  await guest.getByRole('link', { name: 'Members' }).click();
  await guest.getByRole('row', { name: /Edda Holt You/ }).waitFor();
  expect(await guest.getByRole('button', { name: 'Invite member' }).count()).toBe(0);
  expect(await guest.getByRole('combobox').count()).toBe(0);
  expect(await guest.getByRole('link', { name: 'Access keys' }).count()).toBe(0);

  await page.reload();
  await page.getByRole('table', { name: 'Invites' }).getByText('Accepted').waitFor();
  await page.getByLabel('Role of Edda Holt').selectOption('admin');
  await page.getByText('Edda Holt: Admin').waitFor();
  await expectAccessible(page);
  await guest.reload();
  await guest.getByRole('button', { name: 'Invite member' }).waitFor();
  // Admins touch no owners.
  expect(await guest.getByLabel(`Role of ${team.owner.name}`).count()).toBe(0);
});

test('the last owner stays: the refusal of the service is shown, and nothing changes', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path('/members'), { as: team.owner });
  await page.getByLabel(`Role of ${team.owner.name}`).selectOption('readonly');
  await page.getByRole('alert').getByText('The last owner of a workspace can be neither removed nor demoted').waitFor();
  expect(await page.getByLabel(`Role of ${team.owner.name}`).inputValue()).toBe('owner');
  await page.getByRole('button', { name: `Actions for ${team.owner.name}` }).click();
  await page.getByRole('menuitem', { name: 'Leave workspace' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Leave workspace' }).click();
  await question.getByText('The last owner of a workspace').waitFor();
  await expectAccessible(page);
});

test('members are removed, and leave', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const leaver = await dashboard.newMember(team, 'readonly', 'Priya Raman');
  await dashboard.newMember(team, 'admin', 'Tomasz Wilk');
  const page = await dashboard.open(team.path('/members'), { as: leaver });
  await page.getByRole('button', { name: 'Actions for Priya Raman' }).click();
  await page.getByRole('menuitem', { name: 'Leave workspace' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave workspace' }).click();
  await page.getByText('You left the workspace').waitFor();
  expect(page.url()).not.toContain(team.workspace.id);

  const other = await dashboard.open(team.path('/members'), { as: team.owner });
  await other.getByRole('button', { name: 'Actions for Tomasz Wilk' }).click();
  await other.getByRole('menuitem', { name: 'Remove member' }).click();
  await other.getByRole('alertdialog').getByRole('button', { name: 'Remove member' }).click();
  await other.getByText('Tomasz Wilk is no longer a member').waitFor();
  expect((await team.client.members.list()).data.map(({ name }) => name)).toEqual([team.owner.name]);
});

test('who has an account signs in with the link, and accepts or declines', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const guest = await dashboard.newPerson('Priya Raman');
  const { token } = await team.client.invites.create({ email: guest.email, role: 'readonly' });
  const page = await dashboard.open(`/invites/${token}`);
  await page.getByRole('link', { name: 'I have an account' }).click();
  await page.getByLabel('E-mail').fill(guest.email);
  await page.getByLabel('Password').fill(guest.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`**/invites/${token}`);
  await page.getByText(team.workspace.name).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Accept invite' }).click();
  await page.waitForURL(`**${team.path()}`);
  await page.goto(`/invites/${token}`);
  await page.getByRole('button', { name: 'Accept invite' }).click();
  await page.getByText('This invite is accepted').waitFor();

  const second = await dashboard.newTeam('Holt & Daughters');
  const declined = await second.client.invites.create({ email: guest.email, role: 'admin' });
  await page.goto('/account?tab=invites');
  await page.getByRole('row', { name: /Holt & Daughters/ }).waitFor();
  await expectAccessible(page);
  await page.goto(`/invites/${declined.token}`);
  await page.getByRole('button', { name: 'Decline invite' }).click();
  await page.getByText('You declined the invite to Holt & Daughters').waitFor();
  expect((await second.client.invites.get(declined.id)).status).toBe('rejected');
});

test('an invite that is withdrawn is worth nothing', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const guest = await dashboard.newPerson('Priya Raman');
  const { token } = await team.client.invites.create({ email: guest.email, role: 'readonly' });
  const page = await dashboard.open(team.path('/members'), { as: team.owner });
  await page.getByRole('button', { name: `Withdraw invite for ${guest.email}` }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw invite' }).click();
  await page.getByText(`The invite for ${guest.email} is withdrawn`).waitFor();
  const other = await dashboard.open(`/invites/${token}`, { as: guest });
  await other.getByRole('button', { name: 'Accept invite' }).click();
  await other.getByRole('alert').getByText('Invite not found').waitFor();
});

test('where registration is open anyone makes an account; what is wrong stands at its field', async ({ dashboard }) => {
  const { owner } = await dashboard.newTeam();
  const page = await dashboard.open('/sign-in');
  await page.getByRole('link', { name: 'Make one' }).click();
  await expectAccessible(page);
  await page.getByLabel('Name').fill('Priya Raman');
  await page.getByLabel('E-mail').fill(owner.email);
  await page.getByLabel('Password').fill('passwordpassword');
  await page.getByRole('button', { name: 'Make account' }).click();
  await page.getByText('Password is among the most common ones').waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Make account' }).click();
  const email = page.getByLabel('E-mail');
  await expect.poll(() => email.getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await email.fill('priya@open.example');
  await page.getByRole('button', { name: 'Make account' }).click();
  await page.waitForURL('**/set-up');
});

test('where it is by invite, the page says so', async ({ dashboard }) => {
  await dashboard.newTeam();
  const page = await dashboard.open('/docs');
  await page.route('**/api/v1/auth/status', (route) => route.fulfill({ json: { needsSetup: false, registration: 'invite' } }));
  await page.goto('/register');
  await page.getByText('Accounts are made by invite here').waitFor();
  await expectAccessible(page);
});
