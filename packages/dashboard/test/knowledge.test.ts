/** Documents: many files at once, what became of each, the text with its chunks, and how a search finds it. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { type Team, test } from './dashboard.ts';

const fileOf = (name: string, text: string) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });

const allergens = `# Allergens

## Malts

Rice malt syrup is filled on line 4. It is safe for coeliacs.

## Nuts

Line 2 handles almonds on Fridays.
`;

/** Long enough for many chunks, which overlap: it has no headings, and one paragraph only. */
const terms = Array.from({ length: 400 }, (_, at) => `Clause ${at + 1} says that flour 🥖 is paid within ${at + 1} days.`).join(' ');

const rowOf = (page: Page, title: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name: title, exact: true }) });

async function uploadTerms({ client }: Team) {
  const { id } = await client.documents.upload(new Blob([terms]), { filename: 'terms.txt', title: 'Terms', externalId: 'terms.txt' });
  return client.documents.waitUntilIndexed(id);
}

test('many files are uploaded at once, each with its own end; a failure says why, and what can help', async ({ dashboard }) => {
  const { owner, path, client } = await dashboard.newTeam();
  const page = await dashboard.open(path('/knowledge'), { as: owner });
  await page.getByText('No documents yet').waitFor();
  await page.getByLabel('Labels for these files').fill('lang=en, public');
  const many = Array.from({ length: 6 }, (_, at) => fileOf(`note-${at}.md`, `# Note ${at}\n\nFlour of the kind ${at}.`));
  await page
    .getByLabel('Files to upload')
    .setInputFiles([fileOf('allergens.md', allergens), fileOf('empty.txt', ''), fileOf('scan.pdf', '%PDF-1.7'), ...many]);
  const uploads = page.getByRole('list', { name: 'Uploads' });
  await uploads.getByText('Only .txt and .md files are allowed').waitFor();
  await page.getByText('8 of 9 files uploaded').waitFor();
  await rowOf(page, 'allergens').getByText('indexed').waitFor();
  await rowOf(page, 'allergens').getByText('lang=en').waitFor();
  await rowOf(page, 'empty').getByText('failed').waitFor();
  await page.getByText('The file is empty').waitFor();
  await expectAccessible(page);
  // The same file would be refused again: another takes its place, or none.
  expect(await page.getByRole('button', { name: 'Retry scan.pdf' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Replace file: scan.pdf' }).waitFor();
  await uploads.getByLabel('New file for scan.pdf').setInputFiles([fileOf('photo.png', 'PNG')]);
  await page.getByRole('button', { name: 'Remove photo.png' }).click();
  await page.getByText('8 of 8 files uploaded').waitFor();
  await page.getByRole('button', { name: 'Clear the list' }).click();
  await uploads.waitFor({ state: 'hidden' });

  // Nothing can be indexed of it, however often it is tried.
  await page.getByText('Trying the same file again can’t help').waitFor();
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);

  await page.getByLabel('Status').selectOption('failed');
  await page.waitForURL('**?status=failed');
  await rowOf(page, 'note-1').waitFor({ state: 'hidden' });
  await page.getByLabel('Status').selectOption('');
  await page.getByLabel('Choose empty').check();
  await page.getByLabel('Choose note-5').check();
  await page.getByText('2 documents chosen').waitFor();
  await page.getByRole('button', { name: 'Delete documents' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete 2 documents?' });
  await dialog.getByText('Agents stop finding them at once').waitFor();
  await dialog.getByRole('button', { name: 'Delete 2 documents' }).click();
  // What is behind a dialog is hidden too: first it has to go.
  await dialog.waitFor({ state: 'hidden' });
  await rowOf(page, 'empty').waitFor({ state: 'hidden' });
  expect((await client.documents.list()).meta.total).toBe(6);
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('tr') !== null)).toBe(true);
});

test('a document without text takes another file in its place, from the list and from its page', async ({ dashboard }) => {
  const { owner, path, client } = await dashboard.newTeam();
  const { id } = await client.documents.upload(new Blob([' \n']), { filename: 'prices.md', title: 'Prices', externalId: 'prices.md' });
  const page = await dashboard.open(path('/knowledge'), { as: owner });
  await page.getByText('Replace it with one that has text').waitFor();
  await page.getByLabel('New file for Prices').setInputFiles([fileOf('prices.md', 'Flour is 2 a kilogram.')]);
  await rowOf(page, 'Prices').getByText('indexed').waitFor();
  expect((await client.documents.list()).data.map((document) => document.id)).toEqual([id]);

  const { id: other } = await client.documents.upload(new Blob(['']), { filename: 'rates.md', title: 'Rates', externalId: 'rates.md' });
  await page.goto(path(`/knowledge/${other}`));
  await page.getByText('Trying the same file again can’t help').waitFor();
  expect(await page.getByRole('button', { name: 'Index again' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Retry indexing' }).count()).toBe(0);
  await expectAccessible(page);
  await page.getByLabel('New file for Rates').setInputFiles([fileOf('rates.md', 'Rye is 3 a kilogram.')]);
  await page.getByRole('region', { name: 'Text' }).getByText('Rye is 3 a kilogram.').waitFor();
});

test('a file that the line or the labels kept back is tried again', async ({ dashboard }) => {
  const { owner, path, client } = await dashboard.newTeam();
  const page = await dashboard.open(path('/knowledge'), { as: owner });
  await page.getByLabel('Labels for these files').fill('_own=1');
  await page.getByLabel('Files to upload').setInputFiles([fileOf('allergens.md', allergens)]);
  await page.getByText('Labels must not use keys starting with _').waitFor();
  expect(await page.getByRole('button', { name: 'Replace file' }).count()).toBe(0);
  await page.getByLabel('Labels for these files').fill('lang=en');
  await page.route('**/documents', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()));
  await page.getByRole('button', { name: 'Retry allergens.md' }).click();
  await page.getByText('No answer from').waitFor();
  await page.unroute('**/documents');
  await page.getByRole('button', { name: 'Retry allergens.md' }).click();
  await page.getByText('1 of 1 file uploaded').waitFor();
  expect((await client.documents.list()).data[0]?.labels).toEqual(['lang=en']);
});

test('files are dropped anywhere on the page, and the same name takes the place of what it was', async ({ dashboard }) => {
  const { owner, path, client } = await dashboard.newTeam();
  const page = await dashboard.open(path('/knowledge'), { as: owner });
  await page.getByText('No documents yet').waitFor();
  const drop = async (name: string, text: string) => {
    const data = await page.evaluateHandle(
      ([filename, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content as string], filename as string));
        return transfer;
      },
      [name, text],
    );
    const heading = page.getByRole('heading', { level: 1 });
    await heading.dispatchEvent('dragenter', { dataTransfer: data });
    await page.getByText('Drop to upload').waitFor();
    await heading.dispatchEvent('drop', { dataTransfer: data });
    await page.getByText('Drop files or folders').waitFor();
  };
  await drop('prices.md', 'Flour is 2 a kilogram.');
  await page.getByText('1 of 1 file uploaded').waitFor();
  await drop('prices.md', 'Flour is 3 a kilogram.');
  await page.getByRole('list', { name: 'Uploads' }).getByText('replaced').waitFor();
  await drop('prices.md', 'Flour is 3 a kilogram.');
  await page.getByText('3 of 3 files uploaded').waitFor();
  await page.getByLabel('Replace files of the same name').uncheck();
  await drop('prices.md', 'Flour is 4 a kilogram.');
  await page.getByText('4 of 4 files uploaded').waitFor();
  expect((await client.documents.list()).data.map(({ externalId }) => externalId)).toEqual([undefined, 'prices.md']);
});

test('an upload says how far it is, and can be stopped on its way', async ({ dashboard }) => {
  const { owner, path, client } = await dashboard.newTeam();
  const page = await dashboard.open(path('/knowledge'), { as: owner });
  await page.getByText('No documents yet').waitFor();
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  // A slow line: the whole file would take a minute, and nobody waits for it.
  await network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 20_000 });
  await page.getByLabel('Files to upload').setInputFiles([fileOf('slow.md', 'flour '.repeat(200_000))]);
  const bar = page.getByRole('progressbar', { name: 'slow.md' });
  await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
  expect(Number(await bar.getAttribute('aria-valuenow'))).toBeLessThan(100);
  await page.getByRole('button', { name: 'Stop slow.md' }).click();
  await bar.waitFor({ state: 'hidden' });
  expect((await client.documents.list()).meta.total).toBe(0);
});

test('a search shows why it found what it did, as an agent would see it, and leads to the chunk', async ({ dashboard }) => {
  const { owner, path, client } = await dashboard.newTeam();
  await client.agents.create({ name: 'French desk', kbLabels: { lang: 'fr' } });
  const { id } = await client.documents.upload(new Blob([allergens]), {
    filename: 'allergens.md',
    title: 'Allergens',
    labels: ['lang=en'],
  });
  await client.documents.waitUntilIndexed(id);
  const page = await dashboard.open(path('/knowledge'), { as: owner });
  await page.getByText('Ask as your agent would').waitFor();
  await page.keyboard.press('/');
  await page.getByLabel('Question').fill('is rice malt safe for coeliacs?');
  await page.keyboard.press('Enter');
  const play = page.getByRole('region', { name: 'Try a search' });
  const hit = play.getByRole('listitem').first();
  await hit.getByText('words').waitFor();
  await hit.getByText('meaning').waitFor();
  expect(await hit.locator('mark').allTextContents()).toEqual(expect.arrayContaining(['Rice', 'malt', 'coeliacs']));
  await play.getByText(/hits? in .*s$/).waitFor();
  await expectAccessible(page);
  await play.getByRole('button', { name: 'Copy as curl' }).click();
  const curl = await page.evaluate(() => navigator.clipboard.readText());
  expect(curl).toContain('/documents/search');
  expect(curl).toContain('is rice malt safe for coeliacs?');

  await play.getByLabel('See as').selectOption({ label: 'As French desk' });
  await play.getByText('Nothing found').waitFor();
  await play.getByLabel('See as').selectOption('');
  await play.getByLabel('With labels').fill('lang=fr');
  await play.getByRole('button', { name: 'Search' }).click();
  await play.getByText('Nothing found').waitFor();
  await play.getByLabel('With labels').fill('lang=en');
  await play.getByRole('button', { name: 'Search' }).click();
  await hit.getByRole('link', { name: 'Allergens' }).click();
  await page.waitForURL(`**/knowledge/${id}?chunk=*`);
  await page.locator('.is-chosen').getByText('safe for').waitFor();
  expect(await page.locator('.is-chosen mark').allTextContents()).toContain('coeliacs');
  await expectAccessible(page);
  // Back undoes the last look: the same question stands there again.
  await page.goBack();
  await hit.getByRole('link', { name: 'Allergens' }).waitFor();
  expect(await page.getByLabel('Question').inputValue()).toBe('is rice malt safe for coeliacs?');
});

test('a document shows its chunks in its text, where they overlap, and the one of the address', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const { owner, path, client } = team;
  const { id } = await uploadTerms(team);
  const chunks = (await client.documents.chunks(id, { limit: 100 })).data;
  expect(chunks.length).toBeGreaterThan(10);
  const far = chunks[chunks.length - 3];
  const page = await dashboard.open(path(`/knowledge/${id}?chunk=${encodeURIComponent(far?.id ?? '')}`), { as: owner });
  const text = page.getByRole('region', { name: 'Text' });
  const chosen = text.locator('.is-chosen');
  const button = text.getByRole('button', { name: `Chunk ${(far?.index ?? 0) + 1}`, exact: true });
  await button.waitFor();
  expect(await button.getAttribute('aria-pressed')).toBe('true');
  // The offsets are in code points: what is marked is what the API says the chunk is.
  await expect.poll(async () => (await chosen.allTextContents()).join('')).toBe(far?.text);
  await text.locator('.is-overlap').first().waitFor();
  await expectAccessible(page);
  await page.keyboard.press(']');
  await page.waitForURL(`**chunk=${encodeURIComponent(chunks[chunks.length - 2]?.id ?? '')}`);
  await expect.poll(async () => (await chosen.allTextContents()).join('')).toBe(chunks[chunks.length - 2]?.text);
  await page.getByRole('list', { name: 'Chunks' }).getByRole('link').first().waitFor();

  // Far less than the text is in the page at a time.
  expect((await text.textContent())?.length).toBeLessThan(terms.length);
});

test('a file is replaced under its document, which is deleted after a question', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const { owner, path, client } = team;
  const { id } = await uploadTerms(team);
  const page = await dashboard.open(path(`/knowledge/${id}`), { as: owner });
  await page.getByRole('button', { name: 'Replace file' }).waitFor();
  await page.getByLabel('New file', { exact: true }).setInputFiles([fileOf('terms.txt', 'All is paid within a week.')]);
  await page.getByText('File replaced').waitFor();
  await page.getByRole('region', { name: 'Text' }).getByText('All is paid within a week.').waitFor();
  await page.getByLabel('New file', { exact: true }).setInputFiles([fileOf('terms.pdf', 'no')]);
  await page.getByRole('alert').getByText('Only .txt and .md files are allowed').first().waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete document' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete document' }).click();
  await page.waitForURL(`**${path('/knowledge')}`);
  await page.getByText('No documents yet').waitFor();
  expect((await client.documents.list()).meta.total).toBe(0);
  await page.goto(path(`/knowledge/${id}`));
  await page.getByRole('alert').getByText('not found').waitFor();
});

test('documents are filtered by a label, and the filter is in the address', async ({ dashboard }) => {
  const { owner, path, client } = await dashboard.newTeam();
  await client.documents.upload(new Blob(['one']), { filename: 'one.md', title: 'One', labels: ['lang=en'] });
  await client.documents.upload(new Blob(['two']), { filename: 'two.md', title: 'Two', labels: ['lang=fr'] });
  const page = await dashboard.open(path('/knowledge'), { as: owner });
  await page.getByRole('button', { name: 'lang=fr' }).click();
  await rowOf(page, 'One').waitFor({ state: 'hidden' });
  await page.waitForURL(/label=lang(?:=|%3D)fr/);
  await page.getByLabel('Filter by label').fill('lang=none');
  await page.keyboard.press('Enter');
  await page.getByText('None has the label lang=none').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await rowOf(page, 'One').waitFor();
  // By keyboard: to the second row, chosen, and asked to be deleted.
  await page.getByRole('heading', { level: 1 }).click();
  for (const key of ['j', 'j', 'x', 'Backspace']) await page.keyboard.press(key);
  await page.getByRole('alertdialog', { name: 'Delete 1 document?' }).getByText('“One”').waitFor();
});

test('a member who may only read sees documents and can’t change them', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const { id } = await uploadTerms(team);
  const reader = await dashboard.newMember(team, 'readonly');
  const page = await dashboard.open(team.path('/knowledge'), { as: reader });
  await rowOf(page, 'Terms').waitFor();
  expect(await page.getByLabel('Files to upload').count()).toBe(0);
  expect(await page.getByLabel('Choose Terms').count()).toBe(0);
  await page.goto(team.path(`/knowledge/${id}`));
  await page.getByRole('button', { name: 'Index again' }).waitFor();
  expect(await page.getByRole('button', { name: 'Index again' }).isDisabled()).toBe(true);
});

test('who is left with reading while documents are chosen can’t delete them any more', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  await uploadTerms(team);
  const admin = await dashboard.newMember(team, 'admin');
  const page = await dashboard.open(team.path('/knowledge'), { as: admin });
  await page.getByLabel('Choose Terms').check();
  await page.getByText('1 document chosen').waitFor();
  await team.client.members.update(admin.id, { role: 'readonly' });
  // As when the window is looked at again after a minute.
  await page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() + 60_000;
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
  await page.getByLabel('Choose Terms').waitFor({ state: 'detached' });
  await page.getByText('1 document chosen').waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  await page.getByRole('heading', { level: 1 }).click();
  for (const key of ['j', 'x', 'Backspace']) await page.keyboard.press(key);
  expect(await page.getByRole('alertdialog').count()).toBe(0);
});

test('the browser asks before it leaves in the middle of uploads', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const page = await dashboard.open(team.path('/knowledge'), { as: team.owner });
  const asks = () =>
    page.evaluate(() => {
      const leaving = new Event('beforeunload', { cancelable: true });
      window.dispatchEvent(leaving);
      return leaving.defaultPrevented;
    });
  const held = Promise.withResolvers<void>();
  await page.route('**/documents', async (route) => {
    if (route.request().method() === 'POST') await held.promise;
    await route.continue();
  });
  await page.getByLabel('Files to upload').setInputFiles([fileOf('allergens.md', allergens)]);
  await page.getByRole('list', { name: 'Uploads' }).getByText('allergens.md').waitFor();
  expect(await asks()).toBe(true);
  held.resolve();
  await page.getByText('1 of 1 file uploaded').waitFor();
  expect(await asks()).toBe(false);
});

test('knowledge fits a phone, in dark', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const { id } = await uploadTerms(team);
  const long = { filename: 'empty.txt', title: 'W'.repeat(250), labels: Array.from({ length: 100 }, (_, at) => `${at}${'l'.repeat(300)}`) };
  const { id: longId } = await team.client.documents.upload(new Blob(['']), long);
  const page = await dashboard.open(team.path('/knowledge?q=paid'), { as: team.owner, phone: true, dark: true });
  await page.getByText('The file is empty').waitFor();
  await page.getByText(/hits? in/).waitFor();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.goto(team.path(`/knowledge/${id}`));
  await page.getByRole('button', { name: 'Chunk 1', exact: true }).waitFor();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.goto(team.path(`/knowledge/${longId}`));
  await page.getByRole('button', { name: 'Show all 100' }).click();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});
