/** Sessions full of messages: straight into the database of a service that is not started yet, or by its API as an import. */
import { pino } from 'pino';
import { createAgent } from '../packages/server/src/agents/store.ts';
import { createApiKey } from '../packages/server/src/api-keys/store.ts';
import { readConfig } from '../packages/server/src/config.ts';
import { migrate } from '../packages/server/src/db/migrate.ts';
import { openDatabase } from '../packages/server/src/db/open.ts';
import { createMessages } from '../packages/server/src/messages/store.ts';
import { createSession } from '../packages/server/src/sessions/store.ts';
import { createUser } from '../packages/server/src/users/store.ts';
import { createWorkspace } from '../packages/server/src/workspaces/store.ts';
import { call, type Service } from './service.ts';
import { sentence } from './texts.ts';

const BATCH = 100;
const IMPORTS_AT_ONCE = 8;

/** Of the assistant: nothing is extracted from them, and indexing is alone. The API key of their owner. */
export async function fillSessions(environment: Readonly<Record<string, string>>, sessions: number, messages: number): Promise<string> {
  const db = await openDatabase(readConfig(environment), pino({ level: 'silent' }));
  await migrate(db);
  const origin = { address: 'local', requestId: 'bench' };
  const user = await createUser(db, origin, { email: 'bench@localhost', name: 'Bench', passwordHash: null }, 'admin', Date.now());
  const by = { type: 'user', id: user.id, name: user.name, ...origin } as const;
  const { key } = await createApiKey(db, by, user.id, { name: 'Bench' }, Date.now());
  const { id: workspaceId } = await createWorkspace(db, by, { name: 'Bench' }, Date.now());
  const { id: agentId } = await createAgent(db, by, workspaceId, { name: 'Bench', description: 'Bench' }, Date.now());
  for (let number = 0; number < sessions; number++) {
    const { id } = await createSession(db, { workspaceId, agentId }, { externalId: undefined, labels: {} }, {}, Date.now());
    const place = { workspaceId, agentId, sessionId: id };
    for (let start = 0; start < messages; start += BATCH) {
      const written = Array.from({ length: Math.min(BATCH, messages - start) }, (_, index) => ({
        role: 'assistant' as const,
        content: sentence(number * messages + start + index),
        meta: {},
      }));
      await createMessages(db, place, written, false, Date.now());
    }
  }
  await db.close();
  return key;
}

/** The paths of the messages of each session. */
export async function importSessions(service: Service, sessions: number, messages: number): Promise<string[]> {
  const { id: workspaceId } = await call<{ id: string }>(service, 'POST', '/api/v1/workspaces', { name: 'Import' });
  const agents = `/api/v1/workspaces/${workspaceId}/agents`;
  const { id: agentId } = await call<{ id: string }>(service, 'POST', agents, { name: 'Bench', description: 'Bench' });
  const paths: string[] = [];
  const importOne = async (number: number) => {
    const { id } = await call<{ id: string }>(service, 'POST', `${agents}/${agentId}/sessions`);
    const path = `${agents}/${agentId}/sessions/${id}/messages`;
    for (let start = 0; start < messages; start += BATCH) {
      const written = Array.from({ length: BATCH }, (_, index) => ({
        role: index % 2 ? 'assistant' : 'user',
        content: sentence(number * messages + start + index),
      }));
      await call(service, 'POST', `${path}/batch`, { messages: written });
    }
    paths[number] = path;
  };
  let next = 0;
  const worker = async () => {
    while (next < sessions) await importOne(next++);
  };
  await Promise.all(Array.from({ length: IMPORTS_AT_ONCE }, worker));
  return paths;
}
