/** The service goes away while somebody works, and comes back. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished } from 'vitest';
import { newSecret } from '../../server/src/auth/secrets.ts';
import { type Running, serve } from '../../server/src/cli/spawn-for-test.ts';
import { freePort } from '../../server/test/cluster.ts';
import { createTestDatabase } from '../../server/test/database.ts';
import { test } from './dashboard.ts';

const EMAIL = 'ines@millhouse.example';
const PASSWORD = 'correct horse battery staple';

async function settingsOf(): Promise<Record<string, string>> {
  if (inject('engine') === 'postgres') {
    const database = await createTestDatabase();
    onTestFinished(database.drop);
    return { COMMONPLACE_DATABASE_URL: database.url };
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'commonplace-stopped-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return { COMMONPLACE_DATA_DIR: dataDir };
}

test('a service that stops loses nothing that was typed, and the page goes on when it is back', async ({ dashboard }) => {
  const admin = { COMMONPLACE_ADMIN_EMAIL: EMAIL, COMMONPLACE_ADMIN_PASSWORD: PASSWORD, COMMONPLACE_ADMIN_API_KEY: newSecret('apiKey') };
  const settings = { ...(await settingsOf()), ...admin, COMMONPLACE_PORT: String(await freePort()) };
  const start = (): Promise<Running> => serve(settings);
  const before = await start();
  const page = await dashboard.openElsewhere(`${before.url}/sign-in`);
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/set-up');
  await page.getByLabel('Name', { exact: true }).fill('Millhouse Supply');

  await before.stop('SIGKILL');
  await page.getByRole('button', { name: 'Create workspace' }).click();
  await page.getByText('The service does not answer.').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Millhouse Supply');

  await start();
  await page.getByText('The service does not answer.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create workspace' }).click();
  await page.getByText('Millhouse Supply').first().waitFor();
});
