/** The audit log and the settings of a workspace. */
import { Commonplace } from '@commonplace/client';
import { expect } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { test } from './dashboard.ts';

test('the audit log is filtered by the address, and an entry opens to its detail', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const admin = await dashboard.newMember(team, 'admin', 'Tomasz Wilk');
  const agent = await team.client.agents.create({ name: 'Order desk' });
  const { id } = await admin.client.workspace(team.workspace.id).accessKeys.create({ name: 'storefront', permissions: ['CAN_GET_AGENT'] });
  const page = await dashboard.open(team.path('/audit'), { as: team.owner });
  const log = page.getByRole('table', { name: 'Audit log' });
  await log.getByRole('button', { name: 'agent.create' }).waitFor();
  await page.getByLabel('By', { exact: true }).selectOption({ label: 'Tomasz Wilk' });
  await log.getByRole('button', { name: 'agent.create' }).waitFor({ state: 'detached' });
  await log.getByRole('button', { name: 'access_key.create' }).click();
  await page.waitForURL(/actor=.*entry=|entry=.*actor=/);
  await page.reload();
  await log.getByText('CAN_GET_AGENT').waitFor();
  await log.getByText(id).waitFor();
  await log.getByRole('button', { name: `Copy ${id}` }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);
  await expectAccessible(page);
  // Back closes what was opened last.
  await page.goBack();
  await log.getByText('CAN_GET_AGENT').waitFor({ state: 'detached' });
  await page.getByLabel('Action').selectOption('agent.delete');
  await page.getByText('Nothing fits these filters').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await log.getByText('Order desk').waitFor();
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await page.getByText('Nothing fits these filters').waitFor();
  await page.goto(team.path('/audit?action=agent.create'));
  await log.getByText(agent.name).waitFor();
  expect(await log.getByRole('row').count()).toBe(2);
});

test('the log calls things by their names, also when they are gone', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const { client } = team;
  const agent = await client.agents.create({ name: 'Order desk' });
  await client.agents.update(agent.id, { description: 'Answers orders' });
  const trial = await client.agents.create({ name: 'Winter trial' });
  await client.agents.delete(trial.id);
  const prompt = await client.prompts.create({ name: 'Order desk reply', type: 'text', content: 'Be brief.' });
  await client.prompts.versions.create(prompt.promptId, { type: 'text', content: 'Be kind.' });
  const document = await client.documents.upload(new Blob(['# Deliveries']), { filename: 'handbook.md', title: 'Delivery handbook' });
  await client.documents.waitUntilIndexed(document.id);
  await client.documents.reindex(document.id);
  const permissions = ['CAN_GET_AGENT', 'CAN_UPDATE_AGENT'] as const;
  const { key, id: keyId } = await client.accessKeys.create({ name: 'storefront', permissions: [...permissions], agentIds: [agent.id] });
  const storefront = new Commonplace({ baseUrl: dashboard.url, accessKey: key }).workspace(team.workspace.id);
  await storefront.agents.update(agent.id, { description: 'Answers every order' });
  await client.accessKeys.delete(keyId);
  const admin = await dashboard.newMember(team, 'admin', 'Tomasz Wilk');
  const theirs = await admin.client.workspace(team.workspace.id).agents.create({ name: 'Foreman' });
  await client.members.delete(admin.id);

  const page = await dashboard.open(team.path('/audit'), { as: team.owner });
  const log = page.getByRole('table', { name: 'Audit log' });
  const row = (action: string, what: RegExp) =>
    log
      .getByRole('row')
      .filter({ has: page.getByRole('button', { name: action, exact: true }) })
      .filter({ hasText: what });
  await row('agent.update', /Ines Duarte.*agent\s*Order desk(?!.*Deleted)/).waitFor();
  await row('agent.create', /agent\s*Winter trial\s*Deleted/).waitFor();
  await row('agent.delete', /agent\s*Winter trial\s*Deleted/).waitFor();
  await row('prompt_version.create', /prompt version\s*Order desk reply v2/).waitFor();
  await row('document.reindex', /document\s*Delivery handbook/).waitFor();
  await row('access_key.delete', /access key\s*storefront\s*Deleted/).waitFor();
  await row('agent.update', /storefront\s*Deleted key/).waitFor();
  await row('member.remove', /member\s*Tomasz Wilk\s*Not a member/).waitFor();
  await row('agent.create', /Tomasz Wilk\s*Not a member.*Foreman/).waitFor();
  // The id is there for who needs it.
  expect(
    await row('agent.create', /Foreman/)
      .getByTitle(theirs.id)
      .count(),
  ).toBe(1);
  await row('access_key.create', /storefront/)
    .getByRole('button')
    .click();
  await log.getByText('Order desk', { exact: true }).last().waitFor();
  await log.getByRole('button', { name: `Copy ${agent.id}` }).waitFor();
  await expectAccessible(page);
  // Somebody who left is asked for by name too.
  await page.goto(team.path(`/audit?actor=${admin.id}`));
  await page.getByLabel('By', { exact: true }).getByText('Tomasz Wilk').waitFor({ state: 'attached' });
});

test('a long log is read page by page, and Back goes a page back', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  for (let at = 0; at < 55; at++) await team.owner.client.workspaces.update(team.workspace.id, { name: `Millhouse ${at}` });
  const page = await dashboard.open(team.path('/audit'), { as: team.owner });
  await page.getByText('56 entries').waitFor();
  const log = page.getByRole('table', { name: 'Audit log' });
  await page.getByRole('button', { name: 'Older' }).click();
  await log.getByText('workspace.create').waitFor();
  expect(await log.getByRole('row').count()).toBe(7);
  await page.getByRole('button', { name: 'Newest' }).waitFor();
  await page.goBack();
  await log.getByText('Millhouse 54').waitFor();
});

test('a workspace is renamed, and deleted when its name is typed', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path('/settings'), { as: team.owner });
  await page.getByLabel('Name of the workspace').fill('Mi');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('Name must be at least 3 characters').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Name of the workspace').fill('Millhouse North');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Millhouse North').waitFor();
  await page.getByRole('button', { name: 'Delete workspace' }).click();
  const question = page.getByRole('alertdialog');
  const confirm = question.getByRole('button', { name: 'Delete workspace' });
  await question.getByLabel('Type “Millhouse North” to confirm').fill('millhouse north');
  expect(await confirm.isDisabled()).toBe(true);
  await expectAccessible(page);
  await question.getByLabel('Type “Millhouse North” to confirm').fill('Millhouse North');
  await confirm.click();
  await page.waitForURL('**/set-up');
  await page.getByText('Millhouse North is deleted').waitFor();
  expect(new URL(page.url()).pathname).toBe('/set-up');
  await expect(team.owner.client.workspaces.get(team.workspace.id)).rejects.toMatchObject({ status: 404 });
});

test('only an owner may delete it, and readers may not rename it', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const admin = await dashboard.newMember(team, 'admin');
  const reader = await dashboard.newMember(team, 'readonly');
  const page = await dashboard.open(team.path('/settings'), { as: admin });
  await page.getByText('Only an owner can delete it.').waitFor();
  expect(await page.getByRole('button', { name: 'Delete workspace' }).isDisabled()).toBe(true);
  const other = await dashboard.open(team.path('/settings'), { as: reader });
  await other.getByText('An owner or admin can rename it.').waitFor();
  expect(await other.getByLabel('Name of the workspace').isDisabled()).toBe(true);
  await expectAccessible(other);
});
