/** The service killed again and again while it extracts and rebuilds memories: nothing is lost and nothing doubled. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { DATABASE_FILE } from '../src/db/sqlite/connection.ts';
import { startService } from './service.ts';

const KILLS = 14;
const SESSIONS = 6;
const foods =
  `peanuts almonds walnuts cashews shrimp lobster crab oysters mussels wheat barley rye soy sesame mustard celery milk eggs salmon
  tuna cod strawberries kiwi mangoes peaches apples carrots tomatoes garlic onions chickpeas lentils corn rice oats coconut`.split(/\s+/);

/** Nobody listens there: only extraction is of interest. */
const SETTINGS = { COMMONPLACE_EMBEDDINGS_URL: 'http://127.0.0.1:9/v1' };

const RUNNING = `select count(*) as count from jobs where kind in ('extract-memories', 'regenerate-memories') and state = 'running'`;

const WAITING = `select (select count(*) from extraction_queue) + (select count(*) from outbox where messages like '%,1]%')
  + (select count(*) from jobs where kind in ('extract-memories', 'regenerate-memories')) as count`;

/** Until extraction is at work, or has nothing left to do. */
async function untilAtWork(dataDir: string): Promise<void> {
  using db = new DatabaseSync(join(dataDir, DATABASE_FILE), { readOnly: true });
  const running = db.prepare(RUNNING);
  const waiting = db.prepare(WAITING);
  while (running.get()?.count === 0 && waiting.get()?.count !== 0) await sleep(2);
}

/** Leases run out and retries are due. How many jobs were at work before. */
function letAnHourPass(dataDir: string): number {
  using db = new DatabaseSync(join(dataDir, DATABASE_FILE));
  const running = db.prepare(RUNNING).get()?.count as number;
  const past = new Date(Date.now() - 3_600_000).toISOString();
  db.prepare('update jobs set run_at = min(run_at, ?), lease_until = min(lease_until, ?)').run(past, past);
  db.prepare('update extraction_states set retry_at = min(retry_at, ?)').run(past);
  return running;
}

test('memories survive kill -9 in the middle of extraction and of regeneration', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'commonplace-extraction-crash-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const sessions: string[] = [];
  const said = new Map<string, Set<string>>();
  let interrupted = 0;
  let service = await startService(dataDir, SETTINGS);
  const { id: workspaceId } = await service.ask('POST', '/workspaces', { name: 'Crashing' });
  const agents = `/workspaces/${workspaceId}/agents`;
  const { id: agentId } = await service.ask('POST', agents, { name: 'A', description: 'A', configs: { memoryPipeline: true } });
  for (let index = 0; index < SESSIONS; index++) {
    const { id } = await service.ask('POST', `${agents}/${agentId}/sessions`);
    sessions.push(`${agents}/${agentId}/sessions/${id}`);
    said.set(sessions[index] as string, new Set());
    // Beside what is extracted.
    await service.ask('POST', `${sessions[index]}/memories`, { kind: 'fact', content: 'Written by hand' });
  }

  for (let kills = 0; kills < KILLS; kills++) {
    for (const [index, session] of sessions.entries()) {
      const some = [0, 1, 2].map((offset) => foods[(kills * 3 + index + offset) % foods.length] as string);
      const messages = some.map((food) => ({ role: 'user', content: `I am allergic to ${food}.` }));
      await service.ask('POST', `${session}/messages/batch`, { messages });
      for (const food of some) said.get(session)?.add(`User is allergic to ${food}`);
      if ((kills + index) % 3 === 0) await service.ask('POST', `${session}/memories/regenerate`);
    }
    await untilAtWork(dataDir);
    await sleep(Math.random() * 40);
    expect(await service.kill('SIGKILL')).toBeNull();
    interrupted += letAnHourPass(dataDir);
    service = await startService(dataDir, SETTINGS);
  }
  expect(interrupted).toBeGreaterThanOrEqual(KILLS / 2);

  const waiting = async () => {
    const all = await Promise.all(sessions.map((session) => service.ask('GET', `${session}/memories/status`)));
    return all.filter(({ pending, regenerating }) => pending > 0 || regenerating).length;
  };
  await expect.poll(waiting, { interval: 200 }).toBe(0);
  for (const session of sessions) {
    const { memories } = await service.ask('GET', `${session}/memories?limit=100`);
    const contents = memories.filter(({ kind }: { kind: string }) => kind !== 'summary').map(({ content }: { content: string }) => content);
    expect(contents.sort()).toEqual([...(said.get(session) as Set<string>), 'Written by hand'].sort());
    expect(memories.length - contents.length).toBeLessThanOrEqual(1);
    expect(await service.ask('GET', `${session}/memories/status`)).toMatchObject({ failed: 0 });
  }
  expect(await service.kill('SIGTERM')).toBe(0);

  using db = new DatabaseSync(join(dataDir, DATABASE_FILE), { readOnly: true });
  const count = (statement: string) => db.prepare(statement).get()?.count;
  // Every message of the user stands behind a memory, and no memory behind nothing.
  expect(
    count('select count(*) as count from messages m where not exists (select 1 from memory_sources s where s.message_id = m.id)'),
  ).toBe(0);
  expect(
    count(`select count(*) as count from memories m where source = 'extracted'
      and not exists (select 1 from memory_sources s where s.memory_id = m.id)`),
  ).toBe(0);
  expect(
    count('select count(*) as count from sessions s where memory_count <> (select count(*) from memories m where m.session_id = s.id)'),
  ).toBe(0);
  expect(count('select count(*) as count from extraction_queue')).toBe(0);
});
