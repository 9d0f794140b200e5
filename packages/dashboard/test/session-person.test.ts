/** What is remembered of one person in several sessions leads from each to the others. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { type Dashboard, test } from './dashboard.ts';

const DAY_MS = 86_400_000;

/** An agent that remembers by customer, and a session of the same one for each text, a day apart. */
async function converse(dashboard: Dashboard, said: readonly string[]) {
  const team = await dashboard.newTeam();
  const configs = { memoryPipeline: true, memorySubject: 'customer' };
  const agent = await team.client.agents.create({ name: 'Order desk', configs });
  const nowMs = dashboard.api.clock.nowMs();
  const talks = [];
  for (const [at, content] of said.entries()) {
    const session = await team.client.sessions.create(agent.id, { id: `talk-${at + 1}`, title: content, labels: { customer: 'holt' } });
    const createdAt = new Date(nowMs - (said.length - at) * DAY_MS).toISOString();
    const message = await team.client.messages.create(agent.id, session.id, { role: 'user', content, createdAt });
    await team.client.memories.waitUntilExtracted(agent.id, session.id);
    talks.push({ id: session.id, messageId: message.id, address: team.path(`/agents/${agent.id}/sessions/${session.id}`) });
  }
  return { ...team, agentId: agent.id, talks };
}

const marked = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text }).and(page.locator('[data-source]'));
const memory = (page: Page, text: string) => page.getByRole('list', { name: 'Memories', exact: true }).getByRole('button', { name: text });
const cause = (page: Page, words: string) =>
  page
    .locator('.timeline li')
    .filter({ hasText: words })
    .getByRole('button', { name: /^message of/ });

test('the history of a memory leads to the other sessions of the person, and Back to the memory', async ({ dashboard }) => {
  const { owner, talks } = await converse(dashboard, ['I live in Lisbon.', 'I live in Porto.', 'As I said, I live in Porto.']);
  const [lisbon, porto, again] = talks;
  const page = await dashboard.open(porto?.address ?? '', { as: owner });
  await memory(page, 'User lives in Porto').click();
  // The memory of it names its session.
  await cause(page, 'Lisbon').last().click();
  await page.waitForURL(`**${lisbon?.address}?message=*`);
  await marked(page, 'I live in Lisbon.').waitFor();
  await page.goBack();
  await page.waitForURL(`**${porto?.address}?memory=*`);
  await marked(page, 'I live in Porto.').waitFor();
  // No memory is made of what was said before: the sessions of the person are asked.
  await cause(page, 'Said again in').click();
  await page.waitForURL(`**${again?.address}?message=*`);
  await marked(page, 'As I said, I live in Porto.').waitFor();
  await expectAccessible(page);
});

test('a message that is nowhere is told of, and not as something that went well', async ({ dashboard }) => {
  const { owner, client, agentId, talks } = await converse(dashboard, ['I live in Lisbon.', 'I work as a baker.']);
  const [first, second] = talks;
  await client.messages.delete(agentId, first?.id ?? '', first?.messageId ?? '');
  const page = await dashboard.open(`${second?.address}?message=${first?.messageId}`, { as: owner });
  const toast = page.locator('.toast.neutral').filter({ hasText: 'This message is not there' });
  await toast.getByText('It was deleted').waitFor();
  expect(new URL(page.url()).pathname).toBe(second?.address);
  await expectAccessible(page);
});
