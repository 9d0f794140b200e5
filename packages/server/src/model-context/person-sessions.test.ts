import { expect, inject, vi } from 'vitest';
import { test } from '../../test/api.ts';
import { type Sql, sql } from '../db/sql.ts';
import { findLabelledSessions } from './person-sessions.ts';

test('the sessions of a person, last active first, are found by their rarest label or among the last active ones', async ({ api }) => {
  const agent = await api.newAgent();
  const place = { workspaceId: agent.workspace.id, agentId: agent.id };
  const other = await api.newAgent(agent.workspace);
  await api.newSession(other, 'all=1&user=7');
  const ids: string[] = [];
  for (const labels of ['all=1&user=7&n=1', 'all=1&user=8', 'all=1&user=7&n=2', 'all=1', 'user=7']) {
    ids.unshift((await api.newSession(agent, labels)).id);
  }
  const read = vi.spyOn(api.db, 'query');
  // As if one, three or a thousand sessions were many.
  for (const mostLabelled of [1, 3, 1_000]) {
    const find = (labels: Record<string, string>, limit = 10) => findLabelledSessions(api.db, place, labels, limit, mostLabelled);
    expect(await find({ all: '1', user: '7' })).toEqual([ids[2], ids[4]]);
    expect(await find({ all: '1', user: '7' }, 1)).toEqual([ids[2]]);
    expect(await find({ all: '1' }, 3)).toEqual([ids[1], ids[2], ids[3]]);
    expect(await find({ user: '7', n: '3' })).toEqual([]);
    expect(await find({ user: '9' })).toEqual([]);
  }
  if (inject('engine') !== 'sqlite') return;
  read.mockClear();
  await findLabelledSessions(api.db, place, { all: '1', user: '7' }, 10, 3);
  const statements = read.mock.calls.map(([statement]) => statement as Sql);
  expect(statements.length).toBeGreaterThan(0);
  for (const statement of statements) {
    const steps = await api.db.query(sql<{ detail: string }>`explain query plan ${statement}`);
    expect(steps.map(({ detail }) => detail).join('\n')).not.toMatch(/SCAN|\(workspace_id=\? AND agent_id=\?\)|\(workspace_id=\?\)/);
  }
});
