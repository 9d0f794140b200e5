import { expect } from 'vitest';
import { atOnce, made, type TestApi, test } from '../../test/api.ts';
import { perEngine, sql } from '../db/sql.ts';

const tablesOfWorkspaces = perEngine({
  sqlite: `select t.name from pragma_table_list t, pragma_table_info(t.name) c where t.type = 'table' and c.name = 'workspace_id'`,
  postgres: `select table_name as name from information_schema.columns where table_schema = current_schema() and column_name = 'workspace_id'`,
});

/** The tables that hold rows of a workspace, and how many; found in the schema, so that a new table can't be forgotten. */
async function rowsOf(api: TestApi, workspaceId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of await api.db.query(sql<{ name: string }>`${tablesOfWorkspaces}`)) {
    const count = await api.countRows(name, workspaceId);
    if (count > 0) counts[name] = count;
  }
  return counts;
}

async function furnished(api: TestApi) {
  const prompt = await api.newPrompt();
  const agent = await api.newAgent(prompt.workspace, { promptId: prompt.id });
  const session = await api.newSession(agent, 'id=one&customer=42');
  const messages = Array.from({ length: 100 }, (_, index) => ({ role: 'user', content: `message ${index}` }));
  const batch = made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
  const memory = made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content: 'likes tea' }));
  const version = made(await session.runtime.post(`${prompt.url}/versions`, { type: 'text', content: 'x' }));
  const paths = [
    prompt.workspace.url,
    `${prompt.workspace.url}/stats`,
    `${prompt.workspace.url}/agents`,
    agent.url,
    `${agent.url}/sessions`,
    session.url,
    `${session.url}/messages`,
    `${session.url}/messages/${batch.messages[0].id}`,
    `${session.url}/memories/${memory.id}`,
    `${prompt.url}/versions/${version.id}`,
    `${prompt.workspace.url}/promptsByName/greeting`,
  ];
  return { prompt, agent, session, paths, workspace: prompt.workspace };
}

test('a deleted workspace is gone with everything in it at once, and its rows, of any number, once the jobs are done', async ({ api }) => {
  const [gone, kept] = [await furnished(api), await furnished(api)];
  const messages = Array.from({ length: 100 }, () => ({ role: 'user', content: 'more than one step of a purge' }));
  for (let batch = 0; batch < 11; batch++) made(await gone.session.runtime.post(`${gone.session.url}/messages/batch`, { messages }));
  for (const path of gone.paths) expect((await gone.workspace.owner.get(path)).status, path).toBe(200);

  expect((await gone.workspace.owner.delete(gone.workspace.url)).status).toBe(204);
  for (const path of gone.paths) {
    expect((await gone.workspace.owner.get(path)).status, path).toBe(404);
    expect((await gone.session.runtime.get(path)).status, path).toBe(401);
  }
  expect((await gone.workspace.owner.post(`${gone.session.url}/messages`, { role: 'user', content: 'late' })).status).toBe(404);
  await api.app.context.usage.flush();
  await api.drainJobs();
  expect(await rowsOf(api, gone.workspace.id)).toEqual({});
  for (const path of kept.paths) expect((await kept.workspace.owner.get(path)).status, path).toBe(200);
  expect((await kept.session.runtime.get(`${kept.session.url}/messages`)).body._meta.total).toBe(100);
});

test('what is written while a workspace is deleted leaves no row behind', async ({ api }) => {
  const { workspace, agent, session, prompt } = await furnished(api);
  const { runtime } = session;
  const { answers } = await atOnce(50, async (index) => {
    if (index === 25) {
      const answer = await workspace.owner.delete(workspace.url);
      await api.drainJobs();
      return answer;
    }
    switch (index % 5) {
      case 0:
        return runtime.post(`${session.url}/messages`, { role: 'user', content: 'racing' });
      case 1:
        return runtime.post(`${session.url}/memories`, { kind: 'fact', content: 'racing' });
      case 2:
        return runtime.post(`${agent.url}/sessions?id=${index}&customer=1`);
      case 3:
        return runtime.post(`${prompt.url}/versions`, { type: 'text', content: 'racing' });
      default:
        return runtime.post(`${workspace.url}/agents`, { name: 'Racing', description: 'd' });
    }
  });
  for (const { status } of answers) expect([201, 204, 401, 404]).toContain(status);
  expect(await rowsOf(api, workspace.id)).toEqual({});
});
