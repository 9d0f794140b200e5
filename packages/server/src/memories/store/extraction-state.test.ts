/** What the status of a session's extraction says while its messages are on their way. */
import { expect } from 'vitest';
import { made, test } from '../../../test/api.ts';
import type { Queryable } from '../../db/database.ts';
import { extractionStatus } from './extraction-state.ts';

test('a message that is moved to the queue while the status is read is pending', async ({ api }) => {
  const session = await api.newSession(await api.newAgent(undefined, { configs: { memoryPipeline: true } }));
  const place = { workspaceId: session.agent.workspace.id, agentId: session.agent.id, sessionId: session.id };
  const { outbox } = api.app;
  let last: Promise<unknown> = Promise.resolve();
  /** One statement at a time, with messages moved after one of them. */
  const movingAfter = (moved: number) => {
    let statements = 0;
    return new Proxy<Queryable>(api.db, {
      get: (db, name: 'query' | 'maybeOne') => (statement: never) => {
        const answer = last.then(() => db[name](statement));
        last = answer.then(() => (++statements === moved ? outbox.distribute() : undefined));
        return answer;
      },
    });
  };
  for (let moved = 1; ; moved++) {
    made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content: 'I prefer aisle seats.' }));
    expect(await extractionStatus(movingAfter(moved), place, true)).toMatchObject({ pending: moved, done: 0 });
    await last;
    // There are no more statements to move it after.
    if ((await outbox.count()) > 0) break;
  }
});
