/** On the embedded engine, whose files anybody may read who has the disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../src/db/sqlite/open-for-test.ts';
import { openApi, type TestSession } from './api.ts';
import { agentScope, embedAll, LEAST, newNode, range, scopeOf, write } from './kept-indexes.ts';

const WORD = 'indelible';

/** The files of the data folder that hold the word. */
function holding(dataDir: string): string[] {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name)).filter((file) => readFileSync(file).includes(WORD));
}

test('what was forgotten is in no file of the data folder', { timeout: 120_000 }, async () => {
  const dataDir = newFolder();
  const { api, close } = await openApi({ COMMONPLACE_DATA_DIR: dataDir });
  const agent = await api.newAgent(undefined, { configs: { memoryPipeline: true, memorySubject: 'user' } });
  const sessions: TestSession[] = [];
  for (const index of range(0, 8)) {
    const session = await api.newSession(agent, `user=${index % 2}&n=${index}`);
    if (index % 2 === 0) sessions.push(session);
    const subject = index % 2 === 0 ? WORD : 'ordinary';
    const messages = range(0, 40).map((n) => ({ role: 'user', content: `Word ${n} of ${subject} `.repeat(n % 10 === 0 ? 2_000 : 1 + n) }));
    await session.runtime.post(`${session.url}/messages/batch`, { messages }, { 'idempotency-key': `${index}` });
    await session.runtime.post(`${session.url}/messages`, { role: 'user', content: `I live in ${subject} Town.` });
    await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content: `Likes ${subject} ink`, meta: { by: subject } });
  }
  await api.extractMemories();
  const node = newNode(api);
  for (const session of sessions) {
    await write(session, range(0, LEAST));
    await embedAll(api, session);
    await node.find(scopeOf(session), WORD);
  }
  await node.find(agentScope(sessions[0] as TestSession), WORD);
  await sessions[3]?.runtime.delete(sessions[3].url);
  expect(holding(dataDir)).not.toEqual([]);
  const { status, body } = await agent.workspace.owner.post(`${agent.workspace.url}/forget`, { labels: { user: '0' } });
  expect([status, body.counts.sessions]).toEqual([200, 4]);
  expect(holding(dataDir)).toEqual([]);
  await node.searcher.close();
  await close();
  expect(holding(dataDir)).toEqual([]);
});
