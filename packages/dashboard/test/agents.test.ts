import { expect } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { test } from './dashboard.ts';

test('an agent is made, changed, archived and deleted', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  await team.client.prompts.create({ name: 'Order desk reply', type: 'text', content: 'Be brief.', production: true });
  const page = await dashboard.open(team.path('/agents'), { as: team.owner });
  await page.getByText('No agents yet').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create agent' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('Order desk');
  await form.getByLabel('Description').fill('Answers bakeries.');
  expect(await form.getByRole('switch', { name: 'Remember what is said' }).isChecked()).toBe(true);
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create agent' }).click();
  await page.getByRole('heading', { level: 1, name: 'Order desk' }).waitFor();

  const save = page.getByRole('button', { name: 'Save changes' });
  expect(await save.isDisabled()).toBe(true);
  await page.getByLabel('Prompt').selectOption({ label: 'Order desk reply' });
  await page.getByLabel('Label that names a person').fill('customer');
  await page.getByRole('switch', { name: 'Remember what is said' }).uncheck();
  await page.getByRole('button', { name: 'Add label' }).click();
  await page.getByLabel('Key 1').fill('audience');
  await page.getByLabel('Value 1').fill('customers');
  await expectAccessible(page);
  await page.keyboard.press('Control+Enter');
  await page.getByText('Order desk is saved').waitFor();
  expect((await team.client.agents.list()).data[0]).toMatchObject({
    name: 'Order desk',
    description: 'Answers bakeries.',
    configs: { memoryPipeline: false, memorySubject: 'customer' },
    promptId: expect.any(String),
    kbLabels: { audience: 'customers' },
  });
  await page.getByLabel('Name', { exact: true }).fill('Order desk, north');
  await page.getByLabel('Status').selectOption('archived');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Order desk');
  await page.getByLabel('Status').selectOption('archived');
  await save.click();
  await page.getByText('Archived', { exact: true }).first().waitFor();

  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Agents' }).click();
  const row = page.getByRole('row', { name: /Order desk/ });
  await row.getByText('Archived').waitFor();
  await row.getByRole('link', { name: 'Order desk reply' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Delete agent' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByText('0 sessions').waitFor();
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Delete agent' }).click();
  await page.getByText('No agents yet').waitFor();
});

test('two who change an agent at once both keep their changes', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const agent = await team.client.agents.create({ name: 'Order desk', description: 'Answers.' });
  const page = await dashboard.open(team.path(`/agents/${agent.id}`), { as: team.owner });
  await page.getByLabel('Description').fill('Answers bakeries.');
  await team.client.agents.update(agent.id, { name: 'Order desk, north', kbLabels: { region: 'north' } });
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Order desk, north is saved').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Order desk, north');
  expect(await team.client.agents.get(agent.id)).toMatchObject({
    name: 'Order desk, north',
    description: 'Answers bakeries.',
    kbLabels: { region: 'north' },
  });
});

test('what is remembered of a person is listed by their label and searched by meaning', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const agent = await team.client.agents.create({ name: 'Order desk', configs: { memorySubject: 'customer' } });
  for (const [customer, content] of [
    ['holt', 'Wants deliveries before six in the morning'],
    ['brot', 'Orders rye flour every second week'],
  ] as const) {
    const session = await team.client.sessions.create(agent.id, { labels: { customer } });
    await team.client.memories.create(agent.id, session.id, { kind: 'preference', content });
  }
  const page = await dashboard.open(team.path(`/agents/${agent.id}`), { as: team.owner });
  await page.getByRole('tab', { name: 'Memories' }).click();
  const list = page.getByRole('list', { name: 'Memories' });
  await list.getByText('Orders rye flour').waitFor();
  await page.getByLabel('Who (customer)').fill('holt');
  await page.keyboard.press('Enter');
  await page.waitForURL('**label=customer*');
  await list.getByText('Orders rye flour').waitFor({ state: 'detached' });
  await list.getByText('Wants deliveries').waitFor();
  await page.reload();
  expect(await page.getByLabel('Who (customer)').inputValue()).toBe('holt');
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('/');
  await page.keyboard.type('deliveries');
  await page.keyboard.press('Enter');
  await list.getByText('words').waitFor();
  await list.locator('mark').first().waitFor();
  await expectAccessible(page);
  await page.getByLabel('Who (customer)').fill('nobody');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing found').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await list.getByText('Orders rye flour').waitFor();
  await list.getByRole('link', { name: 'Open its session' }).first().click();
  await page.waitForURL(`**/agents/${agent.id}/sessions/*`);
});

test('who may only read sees the agent and why nothing can be changed', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const agent = await team.client.agents.create({ name: 'Order desk' });
  const reader = await dashboard.newMember(team, 'readonly');
  const page = await dashboard.open(team.path('/agents'), { as: reader });
  await page.getByRole('link', { name: 'Order desk', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Create agent' }).count()).toBe(0);
  await page.goto(team.path(`/agents/${agent.id}`));
  await page.getByText('Your role sees agents and does not change them').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Delete agent' }).isDisabled()).toBe(true);
  await expectAccessible(page);
});

test('an agent that is not there is said to be missing', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path(`/agents/${team.workspace.id}`), { as: team.owner });
  await page.getByRole('alert').getByText('Agent not found').waitFor();
  await expectAccessible(page);
});
