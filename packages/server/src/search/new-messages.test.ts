import { expect } from 'vitest';
import { made, test } from '../../test/api.ts';

test('whoever distributes new messages finds them in their queues, whoever else does so at the same time', async ({ api }) => {
  const session = await api.newSession(await api.newAgent(undefined, { configs: { memoryPipeline: true } }));
  const { id: workspaceId } = session.agent.workspace;
  for (let batch = 0; batch < 8; batch++) {
    const messages = Array.from({ length: 100 }, (_, index) => ({ role: index % 2 ? 'user' : 'assistant', content: `Entry ${index}.` }));
    made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
  }
  const sortedBy = async () => {
    await api.app.newMessages.distribute();
    return { left: await api.app.newMessages.count(), queued: await api.countRows('embedding_queue', workspaceId) };
  };
  const results = await Promise.all([sortedBy(), sortedBy(), sortedBy(), sortedBy()]);
  expect(results).toEqual(Array(4).fill({ left: 0, queued: 800 }));
  // Only what users say is looked at for memories.
  expect(await api.countRows('extraction_queue', workspaceId)).toBe(400);
});
