import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { type Team, test } from './dashboard.ts';

const content = 'You answer for {{company}}.\nBe brief, and sign as {{name}}.';

async function newPrompt({ client }: Team, versions: readonly string[] = [content]) {
  const [first = content, ...others] = versions;
  const prompt = await client.prompts.create({ name: 'Order desk reply', type: 'text', content: first, production: true });
  for (const text of others)
    await client.prompts.versions.create(prompt.promptId, { type: 'text', content: text, config: { temperature: 0.2 } });
  return prompt;
}

const editorOf = (page: Page) => page.getByRole('textbox', { name: 'Prompt text' });

/** As people do it: all of it chosen, and typed over. */
async function write(page: Page, text: string): Promise<void> {
  await editorOf(page).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

/** The one that is open is marked in the list, for the eye and for a reader, and no other. */
async function expectMarked(page: Page, version: string): Promise<void> {
  const rows = page.getByRole('complementary', { name: 'Versions' }).getByRole('link', { name: /^v\d/ });
  const marked = () =>
    rows.evaluateAll((all) =>
      all
        .filter((row) => getComputedStyle(row).boxShadow !== 'none' && row.hasAttribute('aria-current'))
        .map((row) => row.querySelector('b')?.textContent),
    );
  await expect.poll(marked).toEqual([version]);
}

test('a prompt is made, written, tried, promoted and rolled back', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path('/prompts'), { as: team.owner });
  await page.getByText('No prompts yet').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'New prompt' }).click();
  await page.getByLabel('Name').fill('Order desk reply');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create prompt' }).click();
  await page.waitForURL('**/prompts/*-*');
  const promptId = new URL(page.url()).pathname.split('/').at(-1) as string;
  await team.client.agents.create({ name: 'Order desk', promptId });
  await page.reload();
  // By keyboard: written, saved with Ctrl Enter.
  await write(page, content);
  await page.getByText('v1, latest, with your changes').waitFor();
  await page.getByLabel('What changed?').fill('Sign with a name');
  await editorOf(page).press('ControlOrMeta+Enter');
  await page.waitForURL('**version=2');
  await page.getByText('Saved as v2').waitFor();
  await expectMarked(page, 'v2');
  const [saved] = (await team.client.prompts.versions.list(promptId)).data;
  expect(saved).toMatchObject({ version: 2, content, commitMessage: 'Sign with a name', production: false });
  // Tried with values: what is saved is rendered by the service.
  await page.getByLabel('company', { exact: true }).fill('Millhouse');
  await page.getByRole('tab', { name: 'Preview' }).click();
  await page.getByText('Without a value for name, the service refuses to render it.').waitFor();
  await page.getByRole('tab', { name: 'Variables' }).click();
  await page.getByLabel('name', { exact: true }).fill('Ines {{company}}');
  await page.getByRole('tab', { name: 'Preview' }).click();
  await page.getByText('Rendered by the service from v2.').waitFor();
  await page.getByText('Be brief, and sign as Ines {{company}}.').waitFor();
  await expectAccessible(page);
  // Promoted: it asks once, and says who is affected.
  await page.getByRole('button', { name: 'Promote v2' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText('Order desk').waitFor();
  await dialog.getByRole('button', { name: 'Promote v2' }).click();
  await page.getByRole('button', { name: 'v2 is in production' }).waitFor();
  await expectMarked(page, 'v2');
  expect(await team.client.prompts.getById(promptId)).toMatchObject({ productionVersion: 2, versionCount: 2 });
  // And back.
  await page.getByRole('complementary', { name: 'Versions' }).getByRole('link', { name: /^v1/ }).click();
  await page.getByRole('button', { name: 'Roll back to v1' }).click();
  await dialog.getByRole('button', { name: 'Roll back to v1' }).click();
  await page.getByRole('button', { name: 'v1 is in production' }).waitFor();
  expect(await team.client.prompts.getById(promptId)).toMatchObject({ productionVersion: 1 });
});

test('what would change is always in sight: two versions, any two, and what is typed', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const many = Array.from({ length: 30 }, (_, at) => `Rule ${at + 1}.`).join('\n');
  const prompt = await newPrompt(team, [`Answer in six sentences.\n${many}`, `Answer in four sentences.\n${many}`, `Answer.\n${many}`]);
  const page = await dashboard.open(team.path(`/prompts/${prompt.promptId}?version=2`), { as: team.owner });
  const table = page.getByRole('table', { name: 'Differences between v1 and v2' });
  await table.waitFor();
  expect(await table.locator('del').allTextContents()).toEqual(['six']);
  expect(await table.locator('ins').allTextContents()).toEqual(['four']);
  await page.getByText('1 line added, 1 line removed').waitFor({ state: 'attached' });
  await page.getByText('{"temperature":0.2}').waitFor();
  expect(await table.getByText('Rule 20.').count()).toBe(0);
  await page.getByRole('button', { name: /^Show \d+ unchanged lines$/ }).click();
  expect(await table.getByText('Rule 20.').count()).toBe(2);
  await page.getByLabel('Compare with').selectOption('v3, latest');
  await page.waitForURL('**compare=3');
  await page.getByRole('table', { name: 'Differences between v3 and v2' }).waitFor();
  await write(page, `Answer in five sentences.\n${many}`);
  const typed = page.getByRole('table', { name: 'Differences between v3 and v2 with your changes' });
  await typed.getByText('in five sentences').waitFor();
  await expectAccessible(page);
  // `[` and `]` go through the versions, but not while somebody types.
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press(']');
  await page.waitForURL((url) => url.searchParams.get('version') === '3' && !url.searchParams.has('compare'));
});

test('a line that is added after one without a newline is one line, saved or not', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const { promptId } = await newPrompt(team, ['Answer.\nBe brief.', 'Answer.\nBe brief.\nSign.\n']);
  const page = await dashboard.open(team.path(`/prompts/${promptId}`), { as: team.owner });
  await page.getByText('1 line added, 0 lines removed').waitFor({ state: 'attached' });
  await expectMarked(page, 'v2');
  await page.getByRole('button', { name: 'Promote v2' }).click();
  await page.getByRole('alertdialog').getByText('1 line added, 0 lines removed.').waitFor();
});

test('what is typed is kept until it is saved, and the browser asks before it goes', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const { promptId } = await newPrompt(team);
  const page = await dashboard.open(team.path(`/prompts/${promptId}`), { as: team.owner });
  const asks = () =>
    page.evaluate(() => {
      const leaving = new Event('beforeunload', { cancelable: true });
      window.dispatchEvent(leaving);
      return leaving.defaultPrevented;
    });
  await editorOf(page).waitFor();
  expect(await asks()).toBe(false);
  await write(page, 'Half a thought');
  expect(await asks()).toBe(true);
  // Tab leaves the editor; it does not trap.
  await editorOf(page).press('Tab');
  await page.locator(':focus').and(page.getByLabel('What changed?')).waitFor();
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Prompts/ })
    .click();
  await page.getByText('Your changes to Order desk reply are kept').waitFor();
  await page.getByRole('cell', { name: /edited/ }).waitFor();
  await page.getByRole('link', { name: 'Order desk reply' }).click();
  await editorOf(page).getByText('Half a thought').waitFor();
  await page.getByRole('button', { name: 'More for v1' }).click();
  await page.getByRole('menuitem', { name: 'Discard changes' }).click();
  await editorOf(page).getByText('Be brief').waitFor();
  expect(await asks()).toBe(false);
});

test('the version that is typed over stays open when somebody saves a later one', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const { promptId } = await newPrompt(team);
  const page = await dashboard.open(team.path(`/prompts/${promptId}`), { as: team.owner });
  await write(page, 'Half a thought');
  await page.waitForURL('**version=1');
  await team.client.prompts.versions.create(promptId, { type: 'text', content: 'Of a colleague' });
  // As when the window is looked at again after a minute.
  await page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() + 60_000;
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
  await page.getByRole('link', { name: /^v2.*latest/ }).waitFor();
  await editorOf(page).getByText('Half a thought').waitFor();
  expect(await page.getByRole('button', { name: 'Save as new version' }).isEnabled()).toBe(true);
});

test('a chat prompt is written turn by turn', async ({ dashboard }) => {
  const { client, owner, path } = await dashboard.newTeam();
  const turns = [
    { role: 'system', content: 'Be {{mood}}.', name: 'desk' },
    { role: 'user', content: 'Hello' },
  ];
  const { promptId } = await client.prompts.create({ name: 'Chat', type: 'chat', content: JSON.stringify(turns) });
  const page = await dashboard.open(path(`/prompts/${promptId}`), { as: owner });
  await page.getByRole('button', { name: 'Add turn' }).click();
  await page.getByRole('textbox', { name: 'Text of turn 3' }).focus();
  await page.keyboard.insertText('Good day, {{name}}.');
  expect(await page.getByLabel('Role of turn 3').inputValue()).toBe('assistant');
  await page.getByRole('button', { name: 'Move turn 3 up' }).click();
  await page.getByLabel('Role of turn 2').selectOption('system');
  await page.getByLabel('name', { exact: true }).fill('Maren');
  await page.getByRole('tab', { name: 'Preview' }).click();
  await page.getByRole('tabpanel').getByText('Good day, Maren.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save as new version' }).click();
  await page.getByText('Saved as v2').waitFor();
  const [saved] = (await client.prompts.versions.list(promptId)).data;
  expect(JSON.parse(saved?.content ?? '')).toEqual([turns[0], { role: 'system', content: 'Good day, {{name}}.' }, turns[1]]);
});

test('versions are archived and deleted, a prompt renamed and deleted, and it is said who loses it', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const { promptId } = await newPrompt(team, [content, 'Two', 'Three']);
  await team.client.agents.create({ name: 'Storefront helper', promptId });
  const page = await dashboard.open(team.path(`/prompts/${promptId}`), { as: team.owner });
  const menu = async (button: string, item: string) => {
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await menu('More for v3', 'Archive version');
  await page.getByText('v3 is archived').waitFor();
  await page.getByRole('link', { name: /^v3.*archived/ }).waitFor();
  await page.getByRole('link', { name: /^v2.*latest/ }).click();
  await menu('More for v2', 'Delete version');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete v2' }).click();
  await page.getByRole('link', { name: /^v2/ }).waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('e');
  await page.getByRole('dialog').getByLabel('Name').fill('Storefront reply');
  await page.getByRole('button', { name: 'Save prompt' }).click();
  await page.getByRole('heading', { level: 1, name: 'Storefront reply' }).waitFor();
  await page.getByRole('tab', { name: 'Use it' }).click();
  await page.getByRole('button', { name: 'TypeScript' }).click();
  await page.getByText("prompts.get('storefront-reply', { version: 'production' })").waitFor();
  await menu('More for this prompt', 'Delete prompt');
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText('Storefront helper loses this prompt.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Delete prompt' }).click();
  await page.getByText('No prompts yet').waitFor();
  expect((await team.client.prompts.list()).meta.total).toBe(0);
});

test('who may only read sees it all and changes nothing', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const { promptId } = await newPrompt(team, [content, 'Two']);
  const reader = await dashboard.newMember(team, 'readonly');
  const page = await dashboard.open(team.path('/prompts'), { as: reader });
  await page.getByRole('link', { name: 'Order desk reply' }).waitFor();
  expect(await page.getByRole('button', { name: 'New prompt' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Order desk reply' }).click();
  await page.waitForURL(`**/${promptId}`);
  expect(await editorOf(page).getAttribute('aria-readonly')).toBe('true');
  await editorOf(page).focus();
  await page.keyboard.insertText('Not mine');
  expect(await page.getByRole('button', { name: 'Save as new version' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Promote v2' }).isDisabled()).toBe(true);
  expect(await editorOf(page).textContent()).toBe('Two');
  await expectAccessible(page);
});

test('a list of many is filtered, and a prompt fits a phone in the dark', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const { promptId } = await newPrompt(team, [content, `${content}\n${'long'.repeat(400)}\nشكرا {{name}}`]);
  for (const name of ['Weekly digest', 'Night handover']) await team.client.prompts.create({ name, type: 'text', content: 'x' });
  const page = await dashboard.open(team.path('/prompts'), { as: team.owner, phone: true, dark: true });
  await page.getByLabel('Filter prompts').fill('NIGHT');
  await page.waitForURL('**q=NIGHT');
  await page.getByRole('link', { name: 'Weekly digest' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Night handover' }).waitFor();
  await page.getByLabel('Filter prompts').fill('nothing like it');
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await expectAccessible(page);
  await page.goto(team.path(`/prompts/${promptId}`));
  await editorOf(page).waitFor();
  await page.getByRole('table', { name: 'Differences between v1 and v2' }).waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  // Neither a name without a break, nor five thousand variables in one line.
  const name = '<b>x</b>'.padEnd(150, 'x');
  const hostile = await team.client.prompts.create({ name, type: 'text', content: '{{constructor}} '.repeat(5_000), production: true });
  await page.goto(team.path(`/prompts/${hostile.promptId}`));
  await page.getByLabel('constructor', { exact: true }).fill('value');
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await expectNoSidewaysScroll(page);
});
