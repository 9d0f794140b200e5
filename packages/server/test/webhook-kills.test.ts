/** Webhooks of a service that is killed, in small: `npm run bench -- webhooks` does the same with 10,000 events. */
import { expect, inject, onTestFinished, test } from 'vitest';
import { runWebhookKills } from '../../../bench/faults/webhook-kills.ts';
import { temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { createTestDatabase } from './database.ts';

const SEED = 20_261_117;

async function expectAllToArrive(environment: Readonly<Record<string, string>>): Promise<void> {
  const report = await runWebhookKills({ environment, events: 300, sessions: 12, kills: 2, seed: SEED });
  expect(report.problems).toEqual([]);
  expect(report.failed).toBeGreaterThan(0);
  expect(report.hung).toBeGreaterThan(0);
  expect(report.kills).toBe(2);
}

test('every event arrives, in order in its session and signed, though the receiver fails and the service is killed', () =>
  expectAllToArrive({ COMMONPLACE_DATA_DIR: temporaryFolder() }));

if (inject('postgres'))
  test('the same on PostgreSQL, where a lease has to run out', async () => {
    const database = await createTestDatabase();
    onTestFinished(database.drop);
    await expectAllToArrive({ COMMONPLACE_DATABASE_URL: database.url });
  });
