import { expect } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { test } from './dashboard.ts';
import { calmWords, furnishTeam } from './furnished-team.ts';

const variables = { company: 'Millhouse', name: 'Ines' };

test('the context that an agent would get, piece by piece, with its tokens', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const { agent, session, client } = team;
  const page = await dashboard.open(team.path('/context'), { as: team.owner });
  // Without values the prompt would be refused: the rest is shown, and why it is not all.
  await page.getByText('The prompt is left out: it needs values for company and name.').waitFor();
  await page.getByRole('region', { name: 'Budget' }).waitFor();
  await page.getByLabel('company', { exact: true }).fill(variables.company);
  await page.getByLabel('name', { exact: true }).fill(variables.name);
  await page.getByLabel('Question').fill('When are they closed?');
  await page.getByRole('button', { name: 'Pack the context' }).click();
  const answer = await client.sessions.context(agent.id, session.id, { query: 'When are they closed?', variables, explain: true });
  const budget = page.getByRole('region', { name: 'Budget' });
  await budget.getByText(`${answer.tokens}of 4,000 tokens${answer.pieces.length} pieces in`).waitFor();
  const packed = page.getByRole('region', { name: 'Packed, in the order of the answer' });
  expect(await packed.getByRole('listitem').count()).toBe(answer.pieces.length);
  await packed.getByRole('link', { name: 'Order desk reply, v2' }).waitFor();
  await expectAccessible(page);
  // All of it is in the address.
  await page.reload();
  await budget.getByText(`${answer.tokens}of 4,000 tokens`).waitFor();
  expect(await page.getByLabel('Question').inputValue()).toBe('When are they closed?');
  await page.getByRole('button', { name: 'Messages' }).click();
  await page.getByText('You answer for Millhouse.').waitFor();
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  const curl = await page.evaluate(() => navigator.clipboard.readText());
  expect(curl).toContain(`/agents/${agent.id}/sessions/${session.id}/context'`);
  expect(curl).toContain('"query":"When are they closed?"');
  await page.getByRole('button', { name: 'Copy JSON' }).click();
  expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toEqual(answer);
});

test('pieces read as plain words, and what is copied or sent has every sign', async ({ dashboard }) => {
  const document = '# Deliveries\n\nVans leave at **four**, see [the timetable](https://millhouse.example/vans).\n';
  const team = await furnishTeam(dashboard, { ...calmWords, document, prompt: 'You answer for **{{company}}** as _{{name}}_.\n' });
  const query = new URLSearchParams({ q: 'When do vans leave?', variables: JSON.stringify(variables) });
  const page = await dashboard.open(team.path(`/context?${query}`), { as: team.owner });
  const packed = page.getByRole('region', { name: 'Packed, in the order of the answer' });
  await packed.getByText('Vans leave at four, see the timetable.').waitFor();
  await packed.getByText('You answer for Millhouse as Ines.').waitFor();
  expect(await packed.textContent()).not.toMatch(/\*\*|# |\]\(/);
  await page.getByRole('button', { name: 'Copy JSON' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('Vans leave at **four**, see [the timetable](');
  await page.getByRole('button', { name: 'Messages' }).click();
  await page.getByText('You answer for **Millhouse** as _Ines_.').waitFor();
  const version = page.getByLabel('Prompt version');
  expect(await version.locator('option').allTextContents()).toEqual(['Latest (v2)', 'Production (v1)', 'v2', 'v1']);
});

test('a smaller budget leaves out more, and says why', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const query = new URLSearchParams({ q: 'deliveries', variables: JSON.stringify(variables) });
  const page = await dashboard.open(team.path(`/context?${query}`), { as: team.owner });
  const budget = page.getByRole('region', { name: 'Budget' });
  await budget.getByText('of 4,000 tokens').waitFor();
  await page.getByLabel('Token budget in numbers').fill('200');
  await budget.getByText('of 200 tokens').waitFor();
  await page.waitForURL((url) => url.searchParams.get('budget') === '200');
  const slider = page.getByRole('slider', { name: 'Token budget' });
  await slider.press('End');
  await budget.getByText('of 200,000 tokens').waitFor();
  expect(await page.getByLabel('Token budget in numbers').inputValue()).toBe('200,000');
  await slider.press('Home');
  await budget.getByText('of 200 tokens').waitFor();
  const asked = { query: 'deliveries', tokenBudget: 200, variables, explain: true };
  const { omitted } = await team.client.sessions.context(team.agent.id, team.session.id, asked);
  const left = page.getByRole('region', { name: 'Left out, and why' });
  expect(await left.getByRole('listitem').count()).toBe(omitted.length);
  expect(omitted.length).toBeGreaterThan(0);
  await expectAccessible(page);
});

test('without the prompt, for a person by labels, and on a phone', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const page = await dashboard.open(team.path('/context'), { as: team.owner, phone: true });
  await page.getByLabel('Prompt', { exact: true }).uncheck();
  await page.waitForURL((url) => url.searchParams.get('include') === 'summary memories knowledge messages');
  const packed = page.getByRole('region', { name: 'Packed, in the order of the answer' });
  await packed.getByRole('listitem').first().waitFor();
  expect(await packed.getByRole('listitem').filter({ hasText: 'Prompt' }).count()).toBe(0);
  await page.getByRole('button', { name: 'A person, by labels' }).click();
  await page.getByText('Name the person by at least one label').waitFor();
  await page.getByLabel('Labels').fill('customer=holt-daughters');
  await page.getByLabel('Labels').press('ControlOrMeta+Enter');
  await packed.getByRole('listitem').first().waitFor();
  const { pieces } = await team.client.agents.context(team.agent.id, {
    labels: { customer: 'holt-daughters' },
    include: ['summary', 'memories', 'knowledge', 'messages'],
  });
  expect(await packed.getByRole('listitem').count()).toBe(pieces.length);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  // Back undoes the last look.
  await page.goBack();
  await page.getByText('Name the person by at least one label').waitFor();
});
