/** A first visit, nothing cached: what it transfers, without data of the API, and that nothing moves once it is shown. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Dashboard, type OpenOptions, test } from '../dashboard.ts';
import { furnishTeam, pagesOf } from '../furnished-team.ts';

const FIRST_LOAD_BYTES = 200_000;
const PAGE_FILE_BYTES = 25_000;
/** In a file of its own, for the pages that edit a prompt. */
const CODE_EDITOR = /\/code-editor-/;

/** How far things moved, of the screen. What a list holds is not known before it comes; all else has its place from the beginning. */
const MOST_LAYOUT_SHIFT = 0.01;
const LAYOUT_SHIFT = `
  window.moved = { share: 0, what: [] };
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      moved.share += value;
      for (const { node, previousRect, currentRect } of sources)
        moved.what.push((node?.outerHTML ?? '').slice(0, 80) + ' from ' + previousRect.y + ' to ' + currentRect.y);
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;

interface Transferred {
  readonly path: string;
  readonly bytes: number;
}

async function visit(dashboard: Dashboard, path: string, options: OpenOptions = {}): Promise<Transferred[]> {
  const page = await dashboard.open('about:blank', options);
  const files = collectFiles(page);
  await page.addInitScript({ content: LAYOUT_SHIFT });
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  const moved = await page.evaluate<{ share: number; what: string[] }>('moved');
  const found = await Promise.all(files);
  await page.context().close();
  expect.soft(moved.share, `${path}: ${moved.what.join(', ')}`).toBeLessThan(MOST_LAYOUT_SHIFT);
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

test('any page is below 200 kB, the editor of prompts apart, its own files at most 25 kB, and nothing on it moves', async ({
  dashboard,
}) => {
  const team = await furnishTeam(dashboard);
  const signIn = await visit(dashboard, '/sign-in');
  expect(add(signIn), '/sign-in').toBeLessThan(FIRST_LOAD_BYTES);
  expect(add(await visit(dashboard, '/register')), '/register').toBeLessThan(FIRST_LOAD_BYTES);
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
