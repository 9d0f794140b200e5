/** A session: what was said, what was kept of it, and how the one leads to the other. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { toLocalTime } from '../src/pages/session/memories/local-time.ts';
import { expectAccessible } from './accessibility.ts';
import { type Dashboard, type Team, test } from './dashboard.ts';

const SAID = [
  ['user', 'I live in Lisbon.'],
  ['assistant', 'Noted.'],
  ['user', 'I prefer deliveries before six in the morning.'],
  ['assistant', 'The driver comes between four and six.'],
  ['user', 'I live in Porto now.'],
] as const;

interface Conversation extends Team {
  readonly agentId: string;
  readonly sessionId: string;
  readonly address: string;
}

/** A day between the messages, the last of them today. */
async function converse(dashboard: Dashboard, said: readonly (readonly ['user' | 'assistant', string])[] = SAID): Promise<Conversation> {
  const team = await dashboard.newTeam();
  const agent = await team.client.agents.create({ name: 'Order desk', configs: { memoryPipeline: true } });
  const session = await team.client.sessions.create(agent.id, { id: 'chat', title: 'Delivery window', labels: { channel: 'mail' } });
  const nowMs = dashboard.api.clock.nowMs();
  const messages = said.map(([role, content], at) => ({
    role,
    content,
    createdAt: new Date(nowMs - (said.length - at) * 86_400_000).toISOString(),
  }));
  if (messages.length > 0) await team.client.messages.createBatch(agent.id, session.id, { messages });
  await team.client.memories.waitUntilExtracted(agent.id, session.id);
  return { ...team, agentId: agent.id, sessionId: session.id, address: team.path(`/agents/${agent.id}/sessions/${session.id}`) };
}

const message = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text });
const memory = (page: Page, text: string) => page.getByRole('list', { name: 'Memories', exact: true }).getByRole('button', { name: text });
const feed = (page: Page) => page.getByRole('feed', { name: 'Conversation' });

test('a memory leads to its messages, a message to its memories, and both have an address', async ({ dashboard }) => {
  const { owner, address } = await converse(dashboard);
  const page = await dashboard.open(address, { as: owner });
  await memory(page, 'User lives in Porto').click();
  await expect.poll(() => message(page, 'I live in Porto now.').getAttribute('data-source')).toBe('true');
  expect(await page.locator('[data-source]').count()).toBe(1);
  // Its history: what held before is struck through, with the message that ended it.
  await page.getByText('holds now').waitFor();
  expect(await page.locator('.timeline s').first().textContent()).toContain('Lisbon');
  await expectAccessible(page);

  await message(page, 'before six').getByRole('button', { name: 'User prefers deliveries' }).click();
  await expect.poll(() => memory(page, 'User prefers deliveries').getAttribute('aria-expanded')).toBe('true');
  await expect.poll(() => message(page, 'before six').getAttribute('data-source')).toBe('true');
  await page.keyboard.press('[');
  await expect.poll(() => memory(page, 'User prefers deliveries').getAttribute('aria-expanded')).toBe('false');
  await page.keyboard.press(']');
  await expect.poll(() => memory(page, 'User prefers deliveries').getAttribute('aria-expanded')).toBe('true');
  await page.reload();
  await expect.poll(() => message(page, 'before six').getAttribute('data-source')).toBe('true');
  await page.goBack();
  await page.goBack();
  await page.goBack();
  await expect.poll(() => memory(page, 'User lives in Porto').getAttribute('aria-expanded')).toBe('true');
});

test('messages are written, edited, deleted with undo, and forked', async ({ dashboard }) => {
  const { owner, client, address, agentId, sessionId } = await converse(dashboard);
  const page = await dashboard.open(address, { as: owner });
  await page.getByLabel('Message', { exact: true }).fill('I work as a baker.');
  await page.getByLabel('Message', { exact: true }).press('Control+Enter');
  await message(page, 'I work as a baker.').waitFor();
  await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('');
  await memory(page, 'baker').waitFor();

  // By keyboard: up to the answer, and into its text.
  await feed(page).focus();
  const last = page.getByRole('article', { name: 'Message 6, user' });
  await last.focus();
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Message 4, assistant');
  await page.keyboard.press('e');
  await page.getByLabel('Text of the message').fill('The driver comes at five.');
  await page.getByLabel('Text of the message').press('Control+Enter');
  await page.getByLabel('Text of the message').waitFor({ state: 'detached' });
  await message(page, 'The driver comes at five.').waitFor();
  expect((await client.messages.list(agentId, sessionId)).data[3]?.content).toBe('The driver comes at five.');

  const act = async (name: string, action: string) => {
    await page.getByRole('button', { name: `Actions of message ${name}`, exact: true }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await act('2', 'Show meta');
  await page.getByLabel('Meta of message 2').waitFor();
  await act('4', 'Copy as curl');
  await page.getByText('Command copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`/sessions/${sessionId}/messages/`);

  await act('4', 'Delete message');
  await message(page, 'at five').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await message(page, 'at five').waitFor();
  await act('4', 'Delete message');
  await message(page, 'at five').waitFor({ state: 'detached' });

  await act('3', 'Fork from here');
  await page.getByRole('dialog', { name: 'Fork session' }).getByText('up to message 3').waitFor();
  await expectAccessible(page);
  await page.getByLabel('External id').fill('fork');
  await page.getByRole('button', { name: 'Fork session' }).click();
  await page.getByRole('heading', { level: 1, name: 'Delivery window, fork' }).waitFor();
  await page.getByText('3 messages').waitFor();
  // The delete was sent when its time was over.
  await expect.poll(async () => (await client.messages.list(agentId, sessionId)).meta.total).toBe(5);
});

test('memories are written, edited, forgotten with undo, and regenerated', async ({ dashboard }) => {
  const { owner, client, address, agentId, sessionId } = await converse(dashboard);
  const page = await dashboard.open(address, { as: owner });
  await page.getByRole('button', { name: 'Write', exact: true }).click();
  await page.getByLabel('What to remember').fill('User bakes with rye');
  await page.getByRole('dialog').getByLabel('Kind').selectOption('preference');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save memory' }).click();
  await memory(page, 'User bakes with rye').click();
  await page.getByRole('button', { name: 'Edit memory' }).click();
  await page.getByLabel('What to remember').fill('User bakes with spelt');
  await page.getByLabel('Expires').fill('2099-01-01T10:00');
  await page.getByLabel('What to remember').press('Control+Enter');
  await memory(page, 'User bakes with spelt').getByText('expires').waitFor();
  await page.getByText('Changed by hand').waitFor();

  await page.getByLabel('Kind', { exact: true }).selectOption('preference');
  await memory(page, 'User lives in Porto').waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('kind')).toBe('preference');
  await page.getByLabel('Kind', { exact: true }).selectOption('');

  const forget = async () => {
    if ((await memory(page, 'User bakes with spelt').getAttribute('aria-expanded')) === 'false')
      await memory(page, 'User bakes with spelt').click();
    await page.getByRole('button', { name: 'Forget memory' }).click();
    await memory(page, 'User bakes with spelt').waitFor({ state: 'detached' });
  };
  await forget();
  await page.getByRole('button', { name: 'Undo' }).click();
  await memory(page, 'User bakes with spelt').waitFor();
  await forget();
  await page.getByRole('button', { name: 'Regenerate memories' }).click();
  await page.getByText('Looking at 3 messages again').waitFor();
  await page.getByText('3 of 3 messages read').waitFor();
  await memory(page, 'User lives in Porto').waitFor();
  await expect
    .poll(async () => (await client.memories.list(agentId, sessionId)).data.some(({ content }) => content.includes('spelt')))
    .toBe(false);
});

test('what was held at a moment is a slider, a field and an address', async ({ dashboard }) => {
  const { owner, address } = await converse(dashboard);
  const page = await dashboard.open(address, { as: owner });
  await memory(page, 'User lives in Porto').waitFor();
  const slider = page.getByRole('slider', { name: 'As of' });
  await slider.and(page.locator(':enabled')).waitFor();
  expect(await slider.getAttribute('aria-valuetext')).toBe('now');
  await slider.fill('1');
  await memory(page, 'User lives in Lisbon').waitFor();
  await memory(page, 'User lives in Porto').waitFor({ state: 'detached' });
  const { searchParams } = new URL(page.url());
  expect(Date.parse(searchParams.get('asOf') ?? '')).toBeLessThan(dashboard.api.clock.nowMs());
  expect(await message(page, 'I live in Porto now.').getAttribute('data-later')).toBe('true');
  await page.reload();
  await memory(page, 'User lives in Lisbon').waitFor();
  await expect.poll(() => slider.inputValue()).toBe('1');
  await expectAccessible(page);
  // Any moment in between is the state after the change before it.
  await page.getByLabel('As of, date and time').fill(toLocalTime(dashboard.api.clock.nowMs() - 2.5 * 86_400_000));
  await memory(page, 'User prefers deliveries').waitFor();
  await memory(page, 'User lives in Lisbon').waitFor();
  await page.getByRole('button', { name: 'Now' }).click();
  await memory(page, 'User lives in Porto').waitFor();
  expect(await slider.inputValue()).toBe(await slider.getAttribute('max'));
});

test('each step of the slider is another state, also of a short talk long ago', async ({ dashboard }) => {
  const { owner, client, agentId, ...team } = await converse(dashboard, []);
  const session = await client.sessions.create(agentId, { id: 'short' });
  const startMs = dashboard.api.clock.nowMs() - 400 * 86_400_000;
  const said = SAID.map(([role, content], at) => ({ role, content, createdAt: new Date(startMs + at * 20_000).toISOString() }));
  await client.messages.createBatch(agentId, session.id, { messages: said });
  await client.memories.waitUntilExtracted(agentId, session.id);
  const page = await dashboard.open(team.path(`/agents/${agentId}/sessions/${session.id}`), { as: owner });
  const slider = page.getByRole('slider', { name: 'As of' });
  await slider.and(page.locator(':enabled')).waitFor();
  await slider.focus();
  await page.keyboard.press('Home');
  await page.getByText('Nothing was held then').waitFor();
  const states = [''];
  const told = [await slider.getAttribute('aria-valuetext')];
  const max = Number(await slider.getAttribute('max'));
  const list = page.getByRole('list', { name: 'Memories', exact: true });
  for (let step = 1; step <= max; step++) {
    await page.keyboard.press('ArrowRight');
    await expect.poll(async () => states.includes((await list.textContent()) ?? '')).toBe(false);
    states.push((await list.textContent()) ?? '');
    told.push(await slider.getAttribute('aria-valuetext'));
  }
  expect(states[1]).toContain('User lives in Lisbon');
  expect(states[2]).toContain('User prefers deliveries');
  expect(states.at(-1)).toContain('User lives in Porto');
  expect(new Set(told).size).toBe(told.length);
  expect(told.at(-1)).toBe('now');
  expect(new URL(page.url()).searchParams.has('asOf')).toBe(false);
});

test('a search says why each hit is there, and goes to it', async ({ dashboard }) => {
  const { owner, address } = await converse(dashboard);
  const page = await dashboard.open(address, { as: owner, dark: true });
  await feed(page).waitFor();
  await page.keyboard.press('/');
  await page.locator('input[type=search]:focus').waitFor();
  await page.keyboard.type('when does the driver come');
  const hits = page.getByRole('list', { name: 'Hits' }).getByRole('listitem');
  const driver = hits.filter({ hasText: 'The driver comes' });
  await driver.getByText('meaning').waitFor();
  expect(await driver.locator('mark').first().textContent()).toBe('driver');
  await expectAccessible(page);
  await driver.getByRole('button', { name: 'The driver comes' }).click();
  await expect.poll(() => message(page, 'The driver comes').getAttribute('data-source')).toBe('true');
  await page.getByRole('button', { name: 'Memories', exact: true }).click();
  await driver.waitFor({ state: 'detached' });
  await page.reload();
  expect(await page.getByLabel('Search this session by meaning').inputValue()).toBe('when does the driver come');
});

test('labels and meta are edited, the session archived, and deleted with its numbers', async ({ dashboard }) => {
  const { owner, client, address, agentId, sessionId } = await converse(dashboard);
  const page = await dashboard.open(`${address}?tab=details`, { as: owner });
  await page.getByLabel('Add a label').fill('customer=holt');
  await page.getByRole('button', { name: 'Add label' }).click();
  await page.getByRole('button', { name: 'Remove label channel' }).click();
  await expect.poll(async () => (await client.sessions.get(agentId, sessionId)).labels).toEqual({ customer: 'holt' });
  await page.getByRole('button', { name: 'Edit meta' }).click();
  await page.getByLabel('Meta as JSON').fill('{"order": ');
  await page.getByLabel('Meta', { exact: true }).getByRole('alert').waitFor();
  await page.getByLabel('Meta as JSON').fill('{"order": "SO-4471"}');
  await page.getByRole('button', { name: 'Save meta' }).click();
  await page.getByLabel('Session meta').getByText('SO-4471').waitFor();
  await page.getByRole('button', { name: 'Archive session' }).click();
  await page.getByRole('button', { name: 'Bring back from the archive' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Delete session' }).click();
  await page.getByRole('alertdialog').getByText('5 messages and').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete session' }).click();
  await page.waitForURL('**/sessions?agent=*');
  await page.getByText(/No sessions of .* yet/).waitFor();
  await page.goto(address);
  await page.getByRole('alert').getByText('request').waitFor();
});

test('on a phone the memories are a drawer', async ({ dashboard }) => {
  const { owner, address } = await converse(dashboard);
  const page = await dashboard.open(address, { as: owner, phone: true });
  await message(page, 'before six').getByRole('button', { name: 'User prefers deliveries' }).tap();
  await expect.poll(() => memory(page, 'User prefers deliveries').getAttribute('aria-expanded')).toBe('true');
  await page.getByText('holds now').waitFor();
  await expectAccessible(page);
  // However far its content is scrolled, the way back to the field to write in is in sight.
  const close = page.getByRole('button', { name: 'Close the drawer' });
  const inner = page.locator('.split-side > .inner');
  for (const part of [0, 1]) {
    const scrolled = await inner.evaluate((box, at) => {
      box.scrollTop = (box.scrollHeight - box.clientHeight) * at;
      return box.scrollTop;
    }, part);
    expect(scrolled > 0).toBe(part === 1);
    const [drawer, button] = [await inner.boundingBox(), await close.boundingBox()];
    expect(button?.y).toBeGreaterThanOrEqual(drawer?.y ?? Number.NaN);
    expect(button?.y).toBeLessThan((drawer?.y ?? 0) + 44);
  }
  const composer = page.getByLabel('Message', { exact: true });
  await composer.waitFor({ state: 'hidden' });
  await close.tap();
  await page.getByText('holds now').waitFor({ state: 'hidden' });
  await composer.waitFor();
  await page.getByRole('tab', { name: 'Memories' }).tap();
  await page.getByText('holds now').waitFor();
});
