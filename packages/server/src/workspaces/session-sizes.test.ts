import { pino } from 'pino';
import { expect } from 'vitest';
import { type TestApi, test } from '../../test/api.ts';
import type { Database } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { measureSessions } from './session-sizes.ts';

const silent = pino({ level: 'silent' });
const hello = { role: 'user', content: 'Hello' };

/** The database, with something done after each statement of a kind. */
function interrupted(db: Database, kind: 'run' | 'query', after: (statement: Sql) => Promise<unknown>): Database {
  return new Proxy(db, {
    get: (target, name) => {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== kind) return member.bind(target);
      return async (statement: Sql) => {
        const result = await member.call(target, statement);
        await after(statement);
        return result;
      };
    },
  });
}

async function sizesOf(api: TestApi, workspaceId: string) {
  return api.db.query(sql<{ bytes: number | null }>`
    select message_bytes as bytes from sessions
    where workspace_id = ${workspaceId} and measured_messages = message_count and measured_edits = message_edits order by id`);
}

const forget = (workspaceId: string) =>
  sql`update sessions set message_bytes = ${null}, measured_messages = ${null}, measured_edits = ${null} where workspace_id = ${workspaceId}`;

test('a pass ends, also where an earlier version writes to each session that was measured', async ({ api }) => {
  const first = await api.newSession();
  const { workspace } = first.agent;
  await api.newSession(first.agent);
  await api.db.run(forget(workspace.id));
  let measured = 0;
  const db = interrupted(api.db, 'run', async () => {
    measured++;
    await api.db.run(forget(workspace.id));
  });
  await measureSessions(db, silent, workspace.id, new AbortController().signal);
  expect(measured).toBe(2);
});

test('a session that is written to while it is measured is measured with what was written', async ({ api }) => {
  const session = await api.newSession();
  const { id } = session.agent.workspace;
  const say = () => session.runtime.post(`${session.url}/messages`, hello);
  await say();
  await api.db.run(forget(id));
  let writes = 0;
  const db = interrupted(api.db, 'query', async (statement) => {
    if (!statement.text('sqlite').includes('from messages') || writes === 2) return;
    writes++;
    expect((await say()).status).toBe(201);
  });
  await measureSessions(db, silent, id, new AbortController().signal);
  expect(writes).toBe(2);
  expect(await sizesOf(api, id)).toEqual([{ bytes: 3 * (5 + 2) }]);
});

test('a session that is written to all the time is measured while others wait', async ({ api }) => {
  const session = await api.newSession();
  const { id } = session.agent.workspace;
  await session.runtime.post(`${session.url}/messages`, hello);
  await api.db.run(forget(id));
  const db = interrupted(api.db, 'query', async (statement) => {
    if (statement.text('sqlite').includes('from messages'))
      expect((await session.runtime.post(`${session.url}/messages`, hello)).status).toBe(201);
  });
  await measureSessions(db, silent, id, new AbortController().signal);
  expect(await sizesOf(api, id)).toEqual([{ bytes: 4 * (5 + 2) }]);
});
