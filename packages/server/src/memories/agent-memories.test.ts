/** The memories of all sessions of an agent, where a workspace has very many. */
import { expect, inject, vi } from 'vitest';
import { made, type TestAgent, type TestApi, test } from '../../test/api.ts';
import { type Sql, sql } from '../db/sql.ts';

async function newMemories(api: TestApi, agent: TestAgent, count: number) {
  const session = await api.newSession(agent);
  for (let index = 0; index < count; index++)
    made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content: `Memory ${index}` }));
  return session;
}

/** As the engine would go about it in a large table. */
async function planOf(api: TestApi, statement: Sql): Promise<string> {
  if (inject('engine') === 'sqlite') {
    const steps = await api.db.query(sql<{ detail: string }>`explain query plan ${statement}`);
    return steps.map(({ detail }) => detail).join('\n');
  }
  return api.db.transaction(async (tx) => {
    for (const way of [sql`set local enable_seqscan = off`, sql`set local enable_bitmapscan = off`, sql`set local enable_sort = off`])
      await tx.run(way);
    const steps = await tx.query(sql<{ 'QUERY PLAN': string }>`explain ${statement}`);
    return steps.map((step) => step['QUERY PLAN']).join('\n');
  });
}

test('a page of an agent’s memories is read by the agent, and their number from the index alone', async ({ api }) => {
  const agent = await api.newAgent();
  const other = await api.newAgent(agent.workspace);
  await newMemories(api, agent, 3);
  await newMemories(api, other, 2);
  const spies = [vi.spyOn(api.db, 'query'), vi.spyOn(api.db, 'one')];
  const { body } = await agent.runtime.get(`${agent.url}/memories?kind=fact`);
  expect(body._meta).toMatchObject({ total: 3 });
  expect((await other.runtime.get(`${other.url}/memories`)).body._meta).toMatchObject({ total: 2 });
  const asked = spies
    .flatMap((spy) => spy.mock.calls.map(([statement]) => statement as Sql))
    .filter((statement) => statement.text('sqlite').includes('from memories where'));
  const counted = asked.filter((statement) => /^\s*select count/.test(statement.text('sqlite')));
  const listed = asked.filter((statement) => !counted.includes(statement));
  expect([counted.length, listed.length]).toEqual([2, 2]);
  for (const statement of listed) {
    const plan = await planOf(api, statement);
    expect(plan).toMatch(/memories_by_agent/);
    expect(plan).not.toMatch(/SCAN memories|TEMP B-TREE|Seq Scan on memories|Sort/);
  }
  for (const statement of counted)
    expect(await planOf(api, statement)).toMatch(/COVERING INDEX memories_by_agent|Index Only Scan.*memories_by_agent/);
});

test('what a deleted session held is neither listed nor counted from then on', async ({ api }) => {
  const agent = await api.newAgent();
  const [one, other] = [await newMemories(api, agent, 2), await newMemories(api, agent, 3)];
  const total = async () => {
    const { body } = await agent.runtime.get(`${agent.url}/memories`);
    return [body.memories.length, body._meta.total];
  };
  expect(await total()).toEqual([5, 5]);
  expect((await other.runtime.delete(other.url)).status).toBe(204);
  expect(await total()).toEqual([2, 2]);
  await api.drainJobs();
  expect(await total()).toEqual([2, 2]);
  const copy = made(await one.runtime.post(`${one.url}/fork`));
  expect(copy.id).not.toBe(one.id);
  expect(await total()).toEqual([4, 4]);
});
