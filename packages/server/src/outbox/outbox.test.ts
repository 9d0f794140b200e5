import { expect } from 'vitest';
import { made, test } from '../../test/api.ts';
import { eventsOf } from '../../test/recorded-events.ts';
import { newId } from '../db/ids.ts';
import { rows, sql } from '../db/sql.ts';
import { recordAllEvents } from './outbox.ts';

test('whoever distributes new messages finds them in their queues, whoever else does so at the same time', async ({ api }) => {
  const session = await api.newSession(await api.newAgent(undefined, { configs: { memoryPipeline: true } }));
  const { id: workspaceId } = session.agent.workspace;
  for (let batch = 0; batch < 8; batch++) {
    const messages = Array.from({ length: 100 }, (_, index) => ({ role: index % 2 ? 'user' : 'assistant', content: `Entry ${index}.` }));
    made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
  }
  const sortedBy = async () => {
    await api.app.outbox.distribute();
    return { left: await api.app.outbox.count(), queued: await api.countRows('embedding_queue', workspaceId) };
  };
  const results = await Promise.all([sortedBy(), sortedBy(), sortedBy(), sortedBy()]);
  expect(results).toEqual(Array(4).fill({ left: 0, queued: 800 }));
  // Only what users say is looked at for memories.
  expect(await api.countRows('extraction_queue', workspaceId)).toBe(400);
});

test('a write of many messages is one row, and each of its messages is queued and counted once', async ({ api }) => {
  const session = await api.newSession(await api.newAgent(undefined, { configs: { memoryPipeline: true } }));
  const { id: workspaceId } = session.agent.workspace;
  await api.app.outbox.distribute();
  const messages = Array.from({ length: 100 }, (_, index) => ({ role: index % 4 ? 'assistant' : 'user', content: `Entry ${index}.` }));
  made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
  expect(await api.countRows('outbox', workspaceId)).toBe(1);
  expect(await api.app.outbox.count()).toBe(100);
  const { body } = await session.runtime.get(`${session.url}/memories/status`);
  expect(body.pending).toBe(25);
  expect(await api.app.outbox.distributeSome()).toBe(100);
  expect(await api.countRows('outbox', workspaceId)).toBe(0);
  expect(await api.countRows('embedding_queue', workspaceId)).toBe(100);
  expect(await api.countRows('extraction_queue', workspaceId)).toBe(25);
});

test('what a node of an earlier release wrote is distributed too', async ({ api }) => {
  const session = await api.newSession(await api.newAgent(undefined, { configs: { memoryPipeline: true } }));
  const { id: workspaceId } = session.agent.workspace;
  await api.app.outbox.distribute();
  const now = new Date().toISOString();
  const ids = [newId(), newId()];
  await api.db.run(sql`
    insert into new_messages (workspace_id, session_id, message_id, extracts, created_at)
    values ${rows(ids.map((id, index) => [workspaceId, session.id, id, index === 0, now]))}`);
  expect(await api.app.outbox.count()).toBe(2);
  const { body } = await session.runtime.get(`${session.url}/memories/status`);
  expect(body.pending).toBe(1);
  await api.app.outbox.distribute();
  expect(await api.app.outbox.count()).toBe(0);
  expect(await api.countRows('embedding_queue', workspaceId)).toBe(2);
  expect(await api.countRows('extraction_queue', workspaceId)).toBe(1);
});

test('however many changes there are, they are recorded in their order, some hundred a statement', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const ids = Array.from({ length: 1_201 }, () => newId());
  const statements = recordAllEvents(
    ids.map((subjectId) => ({ workspaceId: workspace.id, type: 'document.deleted', subjectId })),
    api.clock.nowMs(),
  );
  expect(statements).toHaveLength(3);
  await api.db.batch(statements);
  expect((await eventsOf(workspace)).map(({ data }) => data.document.id)).toEqual(ids);
  expect(recordAllEvents([], api.clock.nowMs())).toEqual([]);
});
