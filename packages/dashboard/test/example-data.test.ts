/** Example data: marked, once however often it is pressed, and taken out without anything else. */
import { expect } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { type Dashboard, type Team, test } from './dashboard.ts';

const REMOVE = 'Remove example data';

/** What of a workspace is counted where something would be double. */
async function countAll({ owner, workspace }: Team) {
  const { agents, sessions, messages, prompts, documents } = await owner.client.workspaces.stats(workspace.id);
  return { agents, sessions, messages, prompts, documents };
}

async function addExample(dashboard: Dashboard, team: Team) {
  const page = await dashboard.open(team.path('/start'), { as: team.owner });
  await page.getByRole('button', { name: 'Add example data' }).click();
  await page.getByRole('button', { name: REMOVE }).waitFor();
  await page.getByRole('button', { name: 'Add example data' }).waitFor({ state: 'detached' });
  return page;
}

test('it fills the workspace over the last two weeks, and says so everywhere', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await addExample(dashboard, team);
  await expectAccessible(page);
  const counts = await countAll(team);
  expect(counts).toMatchObject({ agents: 2, sessions: 8, prompts: 1, documents: 3 });
  const weeksAgoMs = dashboard.api.clock.nowMs() - 15 * 24 * 60 * 60 * 1000;
  for await (const agent of team.client.agents.list()) {
    expect(agent.description).toMatch(/^Example data/);
    for await (const session of team.client.sessions.list(agent.id)) {
      expect(session.labels.example).toBe('true');
      await team.client.memories.waitUntilExtracted(agent.id, session.id);
      for await (const message of team.client.messages.list(agent.id, session.id)) {
        expect(Date.parse(message.createdAt)).toBeLessThan(Date.parse(session.createdAt));
        expect(Date.parse(message.createdAt)).toBeGreaterThan(weeksAgoMs);
      }
    }
  }
  // Memories come of what was said, and the newer statement took the place of the older.
  const [desk] = (await team.client.agents.list({ handle: 'order-desk-example' })).data;
  const kept: string[] = [];
  for await (const { content } of team.client.memories.listAgent(desk?.id ?? '', { labels: { customer: 'holt-daughters' } }))
    kept.push(content);
  expect(kept).toEqual(expect.arrayContaining(['User prefers deliveries before six in the morning', 'User lives in Leoben']));
  expect(kept).not.toContain('User lives in Graz');
  for await (const document of team.client.documents.list()) expect(document.labels).toContain('example=true');
  const [prompt] = (await team.client.prompts.list()).data;
  expect(prompt).toMatchObject({ versionCount: 3, description: expect.stringMatching(/^Example data/) });
});

test('two who press it at once, and one who presses it again, make it once', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const other = await dashboard.newMember(team, 'admin');
  const pages = await Promise.all([team.owner, other].map((as) => dashboard.open(team.path('/start'), { as })));
  await Promise.all(pages.map((page) => page.getByRole('button', { name: 'Add example data' }).click()));
  for (const page of pages) await page.getByText('The workspace has example data').waitFor();
  const once = await countAll(team);
  expect(once).toMatchObject({ agents: 2, sessions: 8, prompts: 1, documents: 3 });

  // A run that broke off: what is missing comes back, and nothing twice.
  const [desk] = (await team.client.agents.list({ handle: 'order-desk-example' })).data;
  await team.client.agents.delete(desk?.id ?? '');
  await pages[0]?.reload();
  await pages[0]?.getByRole('button', { name: 'Add example data' }).click();
  await pages[0]?.getByText('The workspace has example data').waitFor();
  await expect.poll(() => countAll(team)).toEqual(once);
  await pages[0]?.getByRole('button', { name: 'See a session' }).click();
  await pages[0]?.waitForURL('**/sessions/*');
});

test('it is removed whole, under whatever name, and takes nothing else along', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const own = await team.client.agents.create({
    name: 'Order desk (of our own)',
    description: 'Example data is what this agent explains.',
  });
  const ownSession = await team.client.sessions.create(own.id, { id: 'example-of-ours', labels: { example: 'true' } });
  const ownPrompt = await team.client.prompts.create({
    name: 'Ours',
    type: 'text',
    content: 'Hello',
    description: 'Example data, explained',
  });
  const before = await countAll(team);
  const page = await addExample(dashboard, team);

  const [desk] = (await team.client.agents.list({ handle: 'order-desk-example' })).data;
  await team.client.agents.update(desk?.id ?? '', { name: 'Renamed', description: 'Changed' });
  const prompt = (await team.client.prompts.list()).data.find(({ promptId }) => promptId !== ownPrompt.promptId);
  await team.client.prompts.update(prompt?.promptId ?? '', { name: 'Also renamed', description: 'Changed too' });
  const [foreman] = (await team.client.agents.list({ handle: 'foreman-example' })).data;
  const used = await team.client.sessions.create(foreman?.id ?? '', { id: 'what-we-tried' });

  await page.getByRole('button', { name: REMOVE }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: REMOVE }).waitFor();
  await expectAccessible(page);
  await page.getByRole('alertdialog').getByRole('button', { name: REMOVE }).click();
  await page.getByText('Foreman (example) stays: it has sessions that were not example data.').waitFor();
  // The rows of an agent that is deleted follow in the background.
  await expect.poll(() => countAll(team)).toEqual({ ...before, agents: before.agents + 1, sessions: before.sessions + 1 });
  await team.client.sessions.get(own.id, ownSession.id);
  await team.client.sessions.get(foreman?.id ?? '', used.id);
  await team.client.prompts.getById(ownPrompt.promptId);

  await team.client.sessions.delete(foreman?.id ?? '', used.id);
  await page.reload();
  await page.getByRole('button', { name: REMOVE }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: REMOVE }).click();
  await page.getByText('Example data is removed').waitFor();
  await page.getByRole('button', { name: REMOVE }).waitFor({ state: 'detached' });
  await expect.poll(() => countAll(team)).toEqual(before);
});

test('a version that was made from the example stays in production when the example is added again', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await addExample(dashboard, team);
  const [prompt] = (await team.client.prompts.list()).data;
  const promptId = prompt?.promptId ?? '';
  await page.goto(team.path(`/prompts/${promptId}`));
  await page.getByRole('textbox', { name: 'Prompt text' }).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText('Answer {{customer}} as we do.');
  await page.getByRole('button', { name: 'Save as new version' }).click();
  await page.getByRole('button', { name: 'Promote v4' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Promote v4' }).click();
  await page.getByRole('button', { name: 'v4 is in production' }).waitFor();
  const [own] = (await team.client.prompts.versions.list(promptId)).data;
  expect(own).toMatchObject({ version: 4, meta: null });

  const [desk] = (await team.client.agents.list({ handle: 'order-desk-example' })).data;
  await team.client.agents.delete(desk?.id ?? '');
  await page.goto(team.path('/start'));
  await page.getByRole('button', { name: 'Add example data' }).click();
  await page.getByText('The workspace has example data').waitFor();
  expect(await team.client.prompts.getById(promptId)).toMatchObject({ versionCount: 4, productionVersion: 4 });
});

test('it is offered where a workspace is empty, and taken out in the settings', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path(), { as: team.owner });
  for (const below of ['', '/agents', '/sessions']) {
    await page.goto(team.path(below));
    await page.getByRole('button', { name: 'Add example data' }).waitFor();
  }
  await page.getByRole('link', { name: 'Get started' }).waitFor();
  await page.goto(team.path('/settings'));
  await page.getByRole('button', { name: 'Add example data' }).click();
  await page.getByRole('button', { name: REMOVE }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: REMOVE }).click();
  await page.getByText('Example data is removed').waitFor();
  await expect.poll(() => countAll(team)).toMatchObject({ agents: 0, sessions: 0, messages: 0, prompts: 0, documents: 0 });
});

test('the offer fits on a phone', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path('/start'), { as: team.owner, phone: true, dark: true });
  await page.getByRole('button', { name: 'Add example data' }).waitFor();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});
