/** What axe finds on a page: nothing, at WCAG 2.2 AA and by its best practices. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';

export async function expectAccessible(page: Page): Promise<void> {
  // What a page looks like does not depend on the engine: once is enough.
  if (inject('engine') === 'postgres') return;
  // In the page itself: there are no frames to put together on a page of its own.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .analyze();
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    at: nodes.map(({ target, failureSummary }) => `${target}: ${failureSummary}`),
  }));
  expect(found, `of ${page.url()}`).toEqual([]);
}

/** The page itself never scrolls sideways; only code and wide tables in it do. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  expect(scroll, `of ${page.url()}`).toBeLessThanOrEqual(client);
}
