/** A session with thousands of messages: a few rows exist, every one can be reached, and nothing jumps. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Dashboard, test } from '../dashboard.ts';

const COUNT = 3_000;

async function longConversation(dashboard: Dashboard) {
  const team = await dashboard.newTeam();
  const agent = await team.client.agents.create({ name: 'Order desk' });
  const session = await team.client.sessions.create(agent.id, { id: 'long' });
  const startMs = dashboard.api.clock.nowMs() - COUNT * 60_000;
  const ids: string[] = [];
  for (let at = 0; at < COUNT; at += 100) {
    const messages = Array.from({ length: 100 }, (_, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `Number ${at + index + 1}. ${'Twelve sacks left the dock. '.repeat((at + index) % 9)}`,
      createdAt: new Date(startMs + (at + index) * 60_000).toISOString(),
    }));
    ids.push(...(await team.client.messages.createBatch(agent.id, session.id, { messages })).map(({ id }) => id));
  }
  const write = (content: string) => team.client.messages.create(agent.id, session.id, { role: 'user', content });
  return { ...team, ids, write, address: team.path(`/agents/${agent.id}/sessions/${session.id}`) };
}

const feed = (page: Page) => page.getByRole('feed', { name: 'Conversation' });
const number = (page: Page, at: number) => page.getByRole('article', { name: `Message ${at},` });
const distanceFromEnd = (page: Page) => feed(page).evaluate((log) => log.scrollHeight - log.clientHeight - log.scrollTop);

test('a long session begins at its end, and every place in it can be gone to', async ({ dashboard }) => {
  const { owner, address, ids, write } = await longConversation(dashboard);
  const asked = new Set<string | null>();
  const page = await dashboard.open('/', { as: owner });
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/messages')) asked.add(searchParams.get('offset'));
  });
  await page.goto(address);
  await number(page, COUNT).waitFor();
  await expect.poll(() => distanceFromEnd(page)).toBeLessThan(2);
  expect(await page.getByRole('article').count()).toBeLessThan(60);
  // Of thirty pages both ends and what is beside them; however often the end is asked for what is new.
  expect(asked.size).toBeLessThan(8);

  // A drag of the scrollbar to the middle.
  await feed(page).evaluate((log) => {
    log.scrollTop = (log.scrollHeight - log.clientHeight) / 2;
  });
  await expect.poll(() => page.getByRole('article').count()).toBeGreaterThan(3);
  const shown = Number(await page.getByRole('article').first().getAttribute('aria-posinset'));
  expect(Math.abs(shown - COUNT / 2)).toBeLessThan(COUNT / 10);

  // A message that nobody loaded yet, by its address.
  await page.goto(`${address}?message=${ids[776]}`);
  await number(page, 777).waitFor();
  await expect.poll(() => number(page, 777).getAttribute('data-source')).toBe('true');
  const box = await number(page, 777).boundingBox();
  const frame = await feed(page).boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual(frame?.y ?? 0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual((frame?.y ?? 0) + (frame?.height ?? 0));

  // Away from the end, what is new waits; at the end, it is shown.
  await write('While you were reading');
  await page.getByRole('button', { name: '1 new message' }).click();
  await page.getByRole('article').filter({ hasText: 'While you were reading' }).waitFor();
  await write('And one more');
  await page.getByRole('article').filter({ hasText: 'And one more' }).waitFor();
  await expect.poll(() => distanceFromEnd(page)).toBeLessThan(2);
});

test('nothing jumps while pages above come in', async ({ dashboard }) => {
  const { owner, address } = await longConversation(dashboard);
  const page = await dashboard.open(address, { as: owner });
  await number(page, COUNT).waitFor();
  await feed(page).evaluate((log) => {
    log.scrollTop = log.scrollHeight * 0.6;
  });
  await expect.poll(() => page.getByRole('article').count()).toBeGreaterThan(3);
  // Up by a little, many times: each time the text under the eye moves by exactly that.
  const worstPx = await feed(page).evaluate(async (log) => {
    const twoFrames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    let worst = 0;
    for (let step = 0; step < 150; step++) {
      const top = log.getBoundingClientRect().top;
      const eye = [...log.querySelectorAll('article')].find((article) => article.getBoundingClientRect().top > top + 150);
      const before = eye?.getBoundingClientRect().top ?? 0;
      log.scrollTop -= 70;
      await twoFrames();
      const after = log.querySelector(`[data-message="${eye?.dataset.message}"]`)?.getBoundingClientRect().top;
      if (eye && after !== undefined) worst = Math.max(worst, Math.abs(after - before - 70));
    }
    return worst;
  });
  expect(worstPx).toBeLessThan(2);
});
