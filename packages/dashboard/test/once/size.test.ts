/** What a first visit transfers, nothing cached. Data of the API is not counted. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Dashboard, test } from '../dashboard.ts';
import { furnishTeam, pagesOf } from '../furnished-team.ts';

const FIRST_LOAD_BYTES = 200_000;
const PAGE_FILE_BYTES = 25_000;
/** In a file of its own, for the pages that edit a prompt. */
const CODE_EDITOR = /\/code-editor-/;

interface Transferred {
  readonly path: string;
  readonly bytes: number;
}

async function visit(dashboard: Dashboard, path: string, as?: Parameters<Dashboard['open']>[1]): Promise<Transferred[]> {
  const page = await dashboard.open('about:blank', as);
  const files = collectFiles(page);
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  const found = await Promise.all(files);
  await page.context().close();
  return found;
}

function collectFiles(page: Page): Promise<Transferred>[] {
  const files: Promise<Transferred>[] = [];
  page.on('requestfinished', (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith('/api/') && pathname !== '/openapi.json')
      files.push(request.sizes().then(({ responseBodySize }) => ({ path: pathname, bytes: responseBodySize })));
  });
  return files;
}

const add = (files: readonly Transferred[]) => files.reduce((sum, { bytes }) => sum + bytes, 0);

test('a first visit of any page transfers less than 200 kB, the editor of prompts apart, and what is a page’s own at most 25 kB', async ({
  dashboard,
}) => {
  const team = await furnishTeam(dashboard);
  const signIn = await visit(dashboard, '/sign-in');
  expect(add(signIn), '/sign-in').toBeLessThan(FIRST_LOAD_BYTES);
  const overview = await visit(dashboard, team.path(), { as: team.owner });
  const atFirst = new Set([...signIn, ...overview].map(({ path }) => path));
  for (const path of [...pagesOf(team), '/account', '/docs']) {
    const files = await visit(dashboard, path, { as: team.owner });
    expect(files.length, path).toBeGreaterThan(5);
    const counted = files.filter((file) => !CODE_EDITOR.test(file.path));
    expect(add(counted), path).toBeLessThan(FIRST_LOAD_BYTES);
    for (const { path: name, bytes } of counted)
      if (!atFirst.has(name)) expect(bytes, `${name} of ${path}`).toBeLessThanOrEqual(PAGE_FILE_BYTES);
  }
});
