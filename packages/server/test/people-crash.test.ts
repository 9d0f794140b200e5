/** The service killed again and again while it extracts the memories of people from several sessions: nothing is lost and nothing doubled. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { DATABASE_FILE } from '../src/db/sqlite/connection.ts';
import { startService } from './service.ts';

const KILLS = 8;
const USERS = ['ada', 'ben', 'eve'];
const SESSIONS_OF_EACH = 3;
const cities = 'Lisbon Porto Madrid Vigo Braga Faro Evora Seville Granada Malaga Toledo Leon Bilbao Oviedo Burgos Avila'.split(' ');
const foods = 'peanuts almonds walnuts cashews shrimp lobster crab oysters mussels wheat barley soy sesame mustard celery milk'.split(' ');

/** Nobody listens there: only extraction is of interest. */
const SETTINGS = { COMMONPLACE_EMBEDDINGS_URL: 'http://127.0.0.1:9/v1' };

const AT_WORK = `select count(*) as count from jobs where kind in ('extract-memories', 'regenerate-memories') and state = 'running'`;
const LEFT = `select (select count(*) from extraction_queue) + (select count(*) from outbox where messages like '%,1]%') as count`;

async function untilAtWork(dataDir: string): Promise<void> {
  using db = new DatabaseSync(join(dataDir, DATABASE_FILE), { readOnly: true });
  const atWork = db.prepare(AT_WORK);
  const left = db.prepare(LEFT);
  while (atWork.get()?.count === 0 && left.get()?.count !== 0) await sleep(2);
}

/** Leases run out and retries are due. */
function letAnHourPass(dataDir: string): void {
  using db = new DatabaseSync(join(dataDir, DATABASE_FILE));
  const past = new Date(Date.now() - 3_600_000).toISOString();
  db.prepare('update jobs set run_at = min(run_at, ?), lease_until = min(lease_until, ?)').run(past, past);
  db.prepare('update extraction_states set retry_at = min(retry_at, ?)').run(past);
}

test('the memories of people survive kill -9 in the middle of extraction, rebuilds and deletions', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'commonplace-people-crash-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  let service = await startService(dataDir, SETTINGS);
  const { id: workspaceId } = await service.ask('POST', '/workspaces', { name: 'Crashing' });
  const agents = `/workspaces/${workspaceId}/agents`;
  const configs = { memoryPipeline: true, memorySubject: 'user' };
  const { id: agentId } = await service.ask('POST', agents, { name: 'A', description: 'A', configs });
  const agent = `${agents}/${agentId}`;
  const sessions: { user: string; url: string; said: { home?: string; foods: Set<string>; order: number } }[] = [];
  let opened = 0;
  const open = async (user: string) => {
    const { id } = await service.ask('POST', `${agent}/sessions`, { id: `${user}-${++opened}`, labels: { user } });
    sessions.push({ user, url: `${agent}/sessions/${id}`, said: { foods: new Set(), order: -1 } });
  };
  for (const user of USERS) for (let index = 0; index < SESSIONS_OF_EACH; index++) await open(user);

  let order = 0;
  for (let kills = 0; kills < KILLS; kills++) {
    for (const [index, { url, said }] of sessions.entries()) {
      const [home, food] = [cities[(kills * 5 + index) % cities.length] as string, foods[(kills * 3 + index) % foods.length] as string];
      const messages = [`I live in ${home}.`, `I am allergic to ${food}.`].map((content) => ({ role: 'user', content }));
      await service.ask('POST', `${url}/messages/batch`, { messages });
      Object.assign(said, { home, order: order++ });
      said.foods.add(food);
      if ((kills + index) % 5 === 0) await service.ask('POST', `${url}/memories/regenerate`);
    }
    await untilAtWork(dataDir);
    // With what it says, at any moment of the extraction.
    const [gone] = sessions.splice((kills * 7) % sessions.length, 1);
    if (kills % 2 === 1 && gone) {
      await service.ask('DELETE', gone.url);
      await open(gone.user);
    } else if (gone) sessions.push(gone);
    await sleep(Math.random() * 40);
    expect(await service.kill('SIGKILL')).toBeNull();
    letAnHourPass(dataDir);
    service = await startService(dataDir, SETTINGS);
  }

  const waiting = async () => {
    const all = await Promise.all(sessions.map(({ url }) => service.ask('GET', `${url}/memories/status`)));
    return all.filter(({ pending, regenerating }) => pending > 0 || regenerating).length;
  };
  await expect.poll(waiting, { interval: 200 }).toBe(0);
  for (const user of USERS) {
    const own = sessions.filter((session) => session.user === user).map(({ said }) => said);
    const latest = own.toSorted((a, b) => b.order - a.order)[0];
    const allergies = new Set(own.flatMap((said) => [...said.foods]));
    const { memories } = await service.ask('GET', `${agent}/memories?limit=100&user=${user}`);
    const contents = memories.filter(({ kind }: { kind: string }) => kind !== 'summary').map(({ content }: { content: string }) => content);
    const expected = [...allergies].map((food) => `User is allergic to ${food}`);
    expect(contents.sort(), user).toEqual([...expected, `User lives in ${latest?.home}`].sort());
  }
  expect(await service.kill('SIGTERM')).toBe(0);

  using db = new DatabaseSync(join(dataDir, DATABASE_FILE), { readOnly: true });
  const count = (statement: string) => db.prepare(statement).get()?.count;
  expect(count(LEFT)).toBe(0);
  expect(
    count('select count(*) as count from sessions s where memory_count <> (select count(*) from memories m where m.session_id = s.id)'),
  ).toBe(0);
  // Each message says what it says once.
  expect(count('select count(*) as count from (select 1 from assertions group by message_id, ordinal having count(*) > 1)')).toBe(0);
  expect(count('select count(*) as count from messages m where not exists (select 1 from assertions a where a.message_id = m.id)')).toBe(0);
});
