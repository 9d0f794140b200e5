/** The soak of `npm run soak` in small: a few thousand bad requests and a few kills, the same in every run. */
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { problemsOf, runBadRequests } from '../../../bench/soak/bad-requests.ts';
import { startEmbeddings } from '../../../bench/soak/embeddings.ts';
import { runKills } from '../../../bench/soak/kills.ts';
import { soakService } from '../../../bench/soak/service.ts';
import { temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { createTestDatabase } from './database.ts';

const REQUESTS = 4_000;
const KILLS = 5;
const SEED = 20_261_115;

const engines = inject('postgres') ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const);

async function environmentOn(engine: 'sqlite' | 'postgres'): Promise<Record<string, string>> {
  const embeddings = await startEmbeddings();
  onTestFinished(() => embeddings[Symbol.asyncDispose]());
  const common = { COMMONPLACE_EMBEDDINGS_URL: embeddings.url };
  if (engine === 'sqlite') return { ...common, COMMONPLACE_DATA_DIR: temporaryFolder() };
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  return { ...common, COMMONPLACE_DATABASE_URL: database.url };
}

describe.each(engines)('on %s', (engine) => {
  test('bad requests are answered or hung up on, none by 5xx, and leave no connection and no file open', async () => {
    await using soak = await soakService(await environmentOn(engine));
    const report = await runBadRequests({ service: soak.service, requests: REQUESTS, seed: SEED, connections: 8 });
    expect(problemsOf(report)).toEqual([]);
    expect(report.requests).toBeGreaterThanOrEqual(REQUESTS);
  });

  test('what was acknowledged survives kill -9, and a key that was deleted stays so', async () => {
    const report = await runKills({ kills: KILLS, seed: SEED, environment: await environmentOn(engine) });
    expect(report.lost).toEqual([]);
    expect(report.kills).toBe(KILLS);
  });
});
