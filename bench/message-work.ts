/** The messages that the suites write, and a place to write them to. */
import { call, type Service } from './service.ts';

export const BATCH = 100;

/** Nobody listens there: writes without any indexing behind them. */
export const NO_EMBEDDER = { COMMONPLACE_EMBEDDINGS_URL: 'http://127.0.0.1:9/v1' };

/** What is measured of messages, in the order in which a service is asked. */
export const operations = ['one by one', 'all into one session', 'read by id', 'a page of 50', 'in batches'] as const;
export type Operation = (typeof operations)[number];

export const message = {
  role: 'user',
  content: 'I would like an aisle seat near the front, and a vegetarian meal, please.',
} as const;
export const one = JSON.stringify(message);
export const many = JSON.stringify({ messages: Array.from({ length: BATCH }, () => message) });

/** A new session in a new workspace: the path of its messages. */
export async function newSession(service: Service): Promise<string> {
  const { id: workspaceId } = await call<{ id: string }>(service, 'POST', '/api/v1/workspaces', { name: 'Bench' });
  const agents = `/api/v1/workspaces/${workspaceId}/agents`;
  const { id: agentId } = await call<{ id: string }>(service, 'POST', agents, { name: 'Bench', description: 'Bench' });
  const { id } = await call<{ id: string }>(service, 'POST', `${agents}/${agentId}/sessions`);
  return `${agents}/${agentId}/sessions/${id}/messages`;
}

/** So many of them. */
export async function newSessions(service: Service, count: number): Promise<string[]> {
  const sessions: string[] = [];
  while (sessions.length < count) sessions.push(await newSession(service));
  return sessions;
}
