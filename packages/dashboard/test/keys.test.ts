import { Commonplace } from '@commonplace/client';
import { expect } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { test } from './dashboard.ts';

test('a key by preset works with the API, and stops when it is revoked', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const agent = await team.client.agents.create({ name: 'Order desk' });
  const page = await dashboard.open(team.path('/keys'), { as: team.owner });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('c');
  await page.waitForURL('**/keys?new=true');
  const form = page.getByRole('dialog');
  // The first field has the focus.
  await page.keyboard.type('order-desk-production');
  expect(await form.getByLabel('Name').inputValue()).toBe('order-desk-production');
  await form.getByText('Runtime, 20 of 31 permissions').waitFor();
  await form.getByRole('radio', { name: 'Read only' }).check();
  await form.getByText('Read only, 14 of 31 permissions').waitFor();
  await form.getByRole('radio', { name: 'Runtime' }).check();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create key' }).click();

  const ready = page.getByRole('dialog', { name: 'Your key is ready' });
  const key = (await ready.getByText(/^cpa_/).textContent()) ?? '';
  await page.keyboard.press('Escape');
  expect(await ready.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
  await ready.getByRole('button', { name: 'Copy' }).first().click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  expect(page.url()).not.toContain('cpa_');
  await expectAccessible(page);
  await ready.getByLabel('I have stored it').check();
  await ready.getByRole('button', { name: 'Done' }).click();
  await ready.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(key);

  const program = new Commonplace({ baseUrl: dashboard.url, accessKey: key });
  await program.agents.get(agent.id);
  await expect(program.agents.delete(agent.id)).rejects.toMatchObject({ status: 403 });

  const row = page.getByRole('row', { name: /order-desk-production/ });
  await row.getByText('Runtime 20 of 31').waitFor();
  await row.getByText(team.owner.name).waitFor();
  await row.getByRole('button', { name: 'Actions for order-desk-production' }).click();
  await page.getByRole('menuitem', { name: 'Revoke key' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByText('refused').waitFor();
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('No access keys yet').waitFor();
  await expect(program.agents.get(agent.id)).rejects.toMatchObject({ status: 401 });
});

test('a key by the matrix, limited to an agent: a tick unsets the preset, and the address shows one key', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const agent = await team.client.agents.create({ name: 'Order desk' });
  const other = await team.client.agents.create({ name: 'Foreman' });
  const page = await dashboard.open(team.path('/keys?new=true'), { as: team.owner });
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('reporting');
  await form.getByRole('radio', { name: 'Read only' }).check();
  await form.getByRole('checkbox', { name: 'Search documents' }).uncheck();
  await form.getByText('Custom, 13 of 31 permissions').waitFor();
  expect(await form.getByRole('radio', { name: 'Read only' }).isChecked()).toBe(false);
  await form.getByRole('checkbox', { name: 'Search documents' }).check();
  expect(await form.getByRole('radio', { name: 'Read only' }).isChecked()).toBe(true);
  await form.getByRole('checkbox', { name: 'Search documents' }).uncheck();
  await form.getByLabel('Expires').selectOption('never');
  await form.getByRole('button', { name: 'Only these' }).click();
  await form.getByRole('checkbox', { name: 'Order desk' }).check();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create key' }).click();
  const ready = page.getByRole('dialog', { name: 'Your key is ready' });
  const key = (await ready.getByText(/^cpa_/).textContent()) ?? '';
  await ready.getByLabel('I have stored it').check();
  await ready.getByRole('button', { name: 'Done' }).click();
  const program = new Commonplace({ baseUrl: dashboard.url, accessKey: key });
  await program.agents.get(agent.id);
  await expect(program.agents.get(other.id)).rejects.toMatchObject({ status: 404 });

  await page.getByRole('link', { name: 'reporting' }).click();
  await page.waitForURL('**/keys?key=*');
  await page.reload();
  const details = page.getByRole('dialog', { name: 'reporting' });
  await details.getByText('Order desk').waitFor();
  await details.getByText('Custom, 13 of 31 permissions').waitFor();
  expect(await details.getByRole('checkbox', { name: 'Search documents' }).isChecked()).toBe(false);
  await expectAccessible(page);
  await page.goBack();
  await details.waitFor({ state: 'detached' });
});

test('a refusal stands at its field, and the form keeps what was written', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path('/keys?new=true'), { as: team.owner });
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('   ');
  await form.getByRole('button', { name: 'Only these' }).click();
  await form.getByRole('button', { name: 'Create key' }).click();
  await form.getByText('Name is required').waitFor();
  expect(await form.getByRole('button', { name: 'Only these' }).getAttribute('aria-pressed')).toBe('true');
  await expectAccessible(page);
});

test('Ctrl Enter makes one key, however often it is pressed while it is made', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path('/keys?new=true'), { as: team.owner });
  const held = Promise.withResolvers<void>();
  let posts = 0;
  await page.route('**/api/v1/workspaces/*/keys', async (route) => {
    if (route.request().method() === 'POST') {
      posts++;
      await held.promise;
    }
    await route.continue();
  });
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('once');
  await page.keyboard.down('Control');
  // Held down: the keyboard repeats it.
  await page.keyboard.down('Enter');
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await form.getByRole('button', { name: 'Creating' }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.up('Control');
  held.resolve();
  await page.getByRole('dialog', { name: 'Your key is ready' }).waitFor();
  expect(posts).toBe(1);
  expect((await team.client.accessKeys.list()).meta.total).toBe(1);
});

test('on a phone the matrix is ticked by touch', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path('/keys'), { as: team.owner, phone: true, dark: true });
  await page.getByRole('button', { name: 'Create key' }).tap();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('from-a-phone');
  await form.getByRole('checkbox', { name: 'Delete memories' }).tap();
  await form.getByText('Custom, 19 of 31 permissions').waitFor();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create key' }).tap();
  await page.getByLabel('I have stored it').tap();
  await page.getByRole('button', { name: 'Done' }).tap();
  await page.getByRole('link', { name: 'from-a-phone' }).waitFor();
});
