/** From an empty service to the first memory; every snippet is run as the page shows it. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { test } from './dashboard.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const LIMIT_MS = 300_000;
const REMEMBERED = 'User prefers deliveries before six';

const shownCode = async (page: Page, label: string) =>
  (await page.getByRole('region', { name: label }).locator('code').textContent()) ?? '';

/** What a program says, given its text by standard input. */
async function pipe(program: string, args: readonly string[], text: string): Promise<string> {
  const running = run(program, [...args], { cwd: repository, timeout: LIMIT_MS });
  running.child.stdin?.end(text);
  return (await running).stdout;
}

/** Not every machine has it; those of CI do. */
async function hasPython(): Promise<boolean> {
  if (process.env.CI) return true;
  return run('python3', ['--version']).then(
    () => true,
    () => false,
  );
}

test('the first run: account, workspace, agent, key, and a message that is remembered', async ({ dashboard }) => {
  const page = await dashboard.open('/');
  await page.waitForURL('**/set-up');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Name is required').waitFor();
  expect(await page.getByLabel('Password').getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await page.getByLabel('Name').fill('Ines Duarte');
  await page.getByLabel('E-mail').fill('ines@millhouse.example');
  await page.getByLabel('Password').fill('correct horse battery staple');
  await page.keyboard.press('Enter');

  // Each step takes the focus, so that a person can type on.
  await page.getByRole('heading', { name: 'Name your workspace' }).waitFor();
  await expect.poll(() => page.getByLabel('Name', { exact: true }).evaluate((field) => field === document.activeElement)).toBe(true);
  await page.getByLabel('Name', { exact: true }).press('Enter');
  await page.getByText('Name must be at least 3 characters').or(page.getByText('Name is required')).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Millhouse Supply');
  await page.keyboard.press('Enter');
  await page.getByText('Step 3 of 5').waitFor();
  expect(await page.getByLabel('Remember what users say').isChecked()).toBe(true);
  await expectAccessible(page);
  await page.reload();
  await page.getByText('Step 3 of 5').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Order desk');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Create access key' }).click();

  await page.getByText('Waiting for your first message').waitFor();
  await page.getByRole('heading', { name: 'First message', exact: true }).waitFor();
  await expectAccessible(page);
  const told = await pipe('bash', ['-s'], await shownCode(page, 'curl example'));
  expect(told).toContain(REMEMBERED);
  const status = page.getByRole('status');
  await status.getByText('Your first message has arrived').waitFor();
  await status.getByText(`and it remembered: ${REMEMBERED}`).waitFor();
  await page.getByRole('heading', { name: /^First message ?, done$/ }).waitFor();
  await expectAccessible(page);

  // The example takes the place of its button: what there is, and one of it.
  await page.getByRole('button', { name: 'Add example data' }).click();
  await status.getByText('Example data is here: 2 agents, 8 sessions, a prompt and 3 documents.').waitFor();
  expect(await status.getByRole('link', { name: 'See a session' }).getAttribute('href')).toMatch(/\/agents\/[^/]+\/sessions\/[^/]+$/);
  await page.getByRole('heading', { name: /^First message ?, done$/ }).waitFor();
  await expectAccessible(page);

  // A key can't be shown again: a reload offers a new one, and snippets with a place for the old.
  const key = /KEY=(\S+)/.exec(await shownCode(page, 'curl example'))?.[1] ?? '';
  expect(key).toMatch(/^cpa_/);
  await page.reload();
  await page.getByText('The workspace has 1 key already').waitFor();
  expect(await page.content()).not.toContain(key);
  await page.getByRole('button', { name: 'I have a key' }).click();
  expect(await shownCode(page, 'curl example')).toContain('KEY=cpa_YOUR_ACCESS_KEY');
  await page.getByRole('link', { name: 'See the session' }).click();
  await page.waitForURL('**/sessions/*');
});

test('each snippet of a workspace runs as it is shown', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const agent = await team.client.agents.create({ name: 'Order desk', configs: { memoryPipeline: true } });
  const page = await dashboard.open(team.path('/start'), { as: team.owner });
  await page.getByText('Put your access key in, then paste it into a shell.').waitFor();
  await page.getByRole('button', { name: 'Create access key' }).click();
  await page.getByText('Shown this once').waitFor();
  await page.getByText('Paste it into a shell as it is.').waitFor();

  await page.getByRole('tab', { name: 'TypeScript' }).click();
  const node = `${repository}node_modules/.bin/node`;
  const typescript = ['--input-type=module-typescript', '-'];
  // As first.mjs: JavaScript, which an older Node runs as well.
  await page.getByText('node first.mjs').waitFor();
  expect(await pipe(node, ['--input-type=module', '-'], await shownCode(page, 'TypeScript example'))).toContain(REMEMBERED);
  await page.getByRole('button', { name: 'With the client' }).click();
  await page.getByText('npx node first.ts').waitFor();
  await page.getByText('npm run build:packages').waitFor();
  expect(await pipe(node, typescript, await shownCode(page, 'TypeScript example'))).toContain(REMEMBERED);

  await page.getByRole('tab', { name: 'Python' }).click();
  await page.getByText('nothing to install').waitFor();
  if (await hasPython()) expect(await pipe('python3', ['-'], await shownCode(page, 'Python example'))).toContain(REMEMBERED);

  await page.getByRole('tab', { name: 'MCP' }).click();
  for (const [editor, servers] of [
    ['Claude Code', 'mcpServers'],
    ['Cursor', 'mcpServers'],
    ['VS Code', 'servers'],
  ] as const) {
    await page.getByRole('button', { name: editor }).click();
    const settings = JSON.parse(await shownCode(page, `MCP settings for ${editor}`));
    const { url, headers } = settings[servers].commonplace;
    expect(headers['X-Agent-Id']).toBe(agent.id);
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    const { result } = (await answer.json()) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['add_memory', 'search_memories', 'remember', 'recall']));
  }
  // The address says what is looked at, and holds no key.
  expect(new URL(page.url()).search).toBe('?language=mcp&typescript=client&editor=vs-code');
  await page.reload();
  await page.getByRole('region', { name: 'MCP settings for VS Code' }).waitFor();
  await expectAccessible(page);
});

test('what an editor remembers by MCP is seen, too', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  await team.client.agents.create({ name: 'Foreman' });
  const page = await dashboard.open(team.path('/start?language=mcp'), { as: team.owner });
  await page.getByRole('button', { name: 'Create access key' }).click();
  await page.getByText('Shown this once').waitFor();
  const { url, headers } = JSON.parse(await shownCode(page, 'MCP settings for Claude Code')).mcpServers.commonplace;
  const params = { name: 'add_memory', arguments: { content: 'Tests run on the release branch' } };
  await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  await page.getByRole('status').getByText('Your first memory has arrived').waitFor();
  await page.getByRole('status').getByText('Tests run on the release branch').waitFor();
});

test('a reader sees the snippets, and how to get a key', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  await team.client.agents.create({ name: 'Order desk' });
  const reader = await dashboard.newMember(team, 'readonly');
  const page = await dashboard.open(team.path('/start'), { as: reader, phone: true });
  await page.getByText('An owner or admin of the workspace can make one for you.').waitFor();
  await page.getByText('Waiting for your first message').waitFor();
  expect(await page.getByRole('button', { name: /Create|Send|Add example/ }).count()).toBe(0);
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});

test('somebody who is signed in and has no workspace begins with one', async ({ dashboard }) => {
  const person = await dashboard.newPerson();
  const page = await dashboard.open('/', { as: person, dark: true, width: 320 });
  await page.waitForURL('**/set-up');
  await page.getByText('Step 2 of 5').waitFor();
  await page.getByText(person.email).waitFor();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});
