import { expect, inject, vi } from 'vitest';
import { made, test } from '../../test/api.ts';
import { type Sql, sql } from '../db/sql.ts';

// As a plain join of page and items, SQLite walked all items of the workspace: seconds for a page of five.
test('the items of several sessions are read page first, by their whole key', async ({ api }) => {
  const agent = await api.newAgent();
  const read = vi.spyOn(api.db, 'query');
  for (const content of ['Tea is steeped.', 'Coffee is brewed.']) {
    const session = await api.newSession(agent);
    made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content }));
    made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content }));
  }
  const plans: Record<string, string> = {};
  for (const table of ['messages', 'memories']) {
    const { body } = await agent.runtime.post(`${agent.url}/${table}/search`, { query: 'tea' });
    expect(body.results).toHaveLength(2);
    if (inject('engine') !== 'sqlite') continue;
    const statement = read.mock.calls
      .map(([call]) => call as Sql)
      .find((call) => call.text('sqlite').includes(`join ${table} i`) && call.text('sqlite').includes('bytes_before'));
    const steps = await api.db.query(sql<{ detail: string }>`explain query plan ${statement as Sql}`);
    plans[table] = steps.map(({ detail }) => detail).join('\n');
  }
  for (const plan of Object.values(plans)) {
    expect(plan).toMatch(/SCAN summed\n.*SEARCH i USING INDEX \S+ \(workspace_id=\? AND session_id=\? AND id=\?\)/s);
    expect(plan).not.toMatch(/SCAN i|SEARCH i USING [^\n]*\(workspace_id=\?\)/);
  }
});
