/** A conversation longer than the screen: what is edited is kept, and what an address names is gone to. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from '../accessibility.ts';
import { type Dashboard, test } from '../dashboard.ts';

const COUNT = 150;

async function converse(dashboard: Dashboard) {
  const team = await dashboard.newTeam();
  const agent = await team.client.agents.create({ name: 'Order desk' });
  const session = await team.client.sessions.create(agent.id, { id: 'orders' });
  const startMs = dashboard.api.clock.nowMs() - COUNT * 60_000;
  const messages = Array.from({ length: COUNT }, (_, at) => ({
    role: 'user' as const,
    content: `Number ${at + 1}. Twelve sacks left the dock.`,
    createdAt: new Date(startMs + at * 60_000).toISOString(),
  }));
  const ids: string[] = [];
  for (const part of [messages.slice(0, 100), messages.slice(100)])
    ids.push(...(await team.client.messages.createBatch(agent.id, session.id, { messages: part })).map(({ id }) => id));
  const remove = (at: number) => team.client.messages.delete(agent.id, session.id, ids[at - 1] ?? '');
  const read = async (at: number) => (await team.client.messages.get(agent.id, session.id, ids[at - 1] ?? '')).content;
  return {
    ...team,
    agentId: agent.id,
    sessionId: session.id,
    ids,
    remove,
    read,
    path: team.path(`/agents/${agent.id}/sessions/${session.id}`),
  };
}

const feed = (page: Page) => page.getByRole('feed', { name: 'Conversation' });
const message = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text });
const editor = (page: Page) => page.getByLabel('Text of the message');
const scrollTo = (page: Page, part: 0 | 1) =>
  feed(page).evaluate((log, at) => {
    log.scrollTop = (log.scrollHeight - log.clientHeight) * at;
  }, part);

test('what is being edited outlives that its row moves, and that it leaves the screen', async ({ dashboard }) => {
  const { owner, path, remove, read } = await converse(dashboard);
  const page = await dashboard.open(path, { as: owner });
  await message(page, 'Number 148.').getByRole('button', { name: 'Actions of message 148' }).click();
  await page.getByRole('menuitem', { name: 'Edit message' }).click();
  await editor(page).pressSequentially(' Thirteen,');

  // Somebody deletes one before it: its number changes, and the field stays as it is, under the cursor.
  await remove(146);
  await page.getByRole('article', { name: 'Message 147, user' }).getByLabel('Text of the message').waitFor();
  expect(await editor(page).inputValue()).toContain('Thirteen,');
  await page.keyboard.type(' in fact.');
  await expect.poll(() => editor(page).inputValue()).toContain('Thirteen, in fact.');

  await scrollTo(page, 0);
  await message(page, 'Number 1.').waitFor();
  await editor(page).waitFor({ state: 'detached' });
  await scrollTo(page, 1);
  await editor(page).waitFor();
  expect(await editor(page).inputValue()).toContain('Thirteen, in fact.');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save message' }).click();
  await message(page, 'Thirteen, in fact.').waitFor();
  await editor(page).waitFor({ state: 'detached' });
  expect(await read(148)).toContain('Thirteen, in fact.');
});

test('an address that changes while the session is open is gone to, and Back leads to the place of before', async ({ dashboard }) => {
  const { owner, client, path, ids, agentId, sessionId } = await converse(dashboard);
  const memory = { kind: 'fact', content: 'Number 110 was late', meta: { messageIds: [ids[109]] } } as const;
  const [late] = await client.memories.createBatch(agentId, sessionId, { memories: [memory] });
  const page = await dashboard.open(path, { as: owner });
  await message(page, 'Number 150.').waitFor();
  // As a hit of the palette does: within the page, and not by a control of it.
  const goTo = (search: string) =>
    page.evaluate((address) => {
      history.pushState({}, '', address);
      dispatchEvent(new PopStateEvent('popstate', { state: {} }));
    }, `${path}?${search}`);
  const isInSight = (text: string) => message(page, text).and(page.locator('[data-source]')).waitFor();
  await goTo(`message=${ids[4]}`);
  await isInSight('Number 5.');
  await goTo(`tab=search&q=sacks&message=${ids[74]}`);
  await isInSight('Number 75.');
  const field = page.getByLabel('Search this session by meaning');
  await expect.poll(() => field.inputValue()).toBe('sacks');
  await goTo(`memory=${late?.id}`);
  await isInSight('Number 110.');
  await page.goBack();
  await isInSight('Number 75.');
  await goTo(`tab=search&q=dock&message=${ids[74]}`);
  await expect.poll(() => field.inputValue()).toBe('dock');
  await page.goBack();
  await expect.poll(() => field.inputValue()).toBe('sacks');
  await page.goBack();
  await isInSight('Number 5.');
  await expectAccessible(page);
});
