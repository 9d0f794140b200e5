/** What axe finds on a page: nothing, at WCAG 2.2 AA and by its best practices. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
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
