import type { Memory, Message, Session, WorkspaceResources } from '@commonplace/client';
import type { ExampleSession } from './content/sessions.ts';
import { removeDoubles } from './doubles.ts';
import { EXAMPLE_ID_PREFIX, exampleLabels, markedBy, markOf } from './marks.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A session with its history. What is there already is not written again, whoever writes at the same time. */
export async function fillSession(workspace: WorkspaceResources, agentId: string, example: ExampleSession): Promise<Session> {
  const id = EXAMPLE_ID_PREFIX + example.id;
  const labels = { ...exampleLabels, ...example.labels };
  const session = await workspace.sessions.open(agentId, { id, title: example.title, labels, meta: markedBy(example.id) });
  await fillMessages(workspace, session, example);
  await fillMemories(workspace, session, example);
  return session;
}

async function fillMessages(workspace: WorkspaceResources, session: Session, example: ExampleSession): Promise<void> {
  const { agentId, id: sessionId } = session;
  if ((await markedMessages(workspace, session)).length >= example.messages.length) return;
  // From the time of the session and not of this run: a second run at once then sends the very same, and that counts once.
  let atMs = Date.parse(session.createdAt) - example.hoursAgo * HOUR_MS;
  const messages = example.messages.map(([role, minutesLater, content], at) => {
    atMs += minutesLater * MINUTE_MS;
    return { role, content, createdAt: new Date(atMs).toISOString(), meta: markedBy(`${example.id}-${at}`) };
  });
  await workspace.messages.createBatch(agentId, sessionId, { messages }, { idempotencyKey: `example-messages-${sessionId}` });
  await removeDoubles(await markedMessages(workspace, session), (id) => workspace.messages.delete(agentId, sessionId, id));
}

async function fillMemories(workspace: WorkspaceResources, session: Session, example: ExampleSession): Promise<void> {
  const { agentId, id: sessionId } = session;
  if (!example.memories || (await markedMemories(workspace, session)).length >= example.memories.length) return;
  const memories = example.memories.map((memory, at) => ({ ...memory, meta: markedBy(`${example.id}-memory-${at}`) }));
  await workspace.memories.createBatch(agentId, sessionId, { memories }, { idempotencyKey: `example-memories-${sessionId}` });
  await removeDoubles(await markedMemories(workspace, session), (id) => workspace.memories.delete(agentId, sessionId, id));
}

const MOST = 100;
const isMarked = ({ meta }: Message | Memory) => markOf(meta) !== undefined;

async function markedMessages(workspace: WorkspaceResources, { agentId, id }: Session): Promise<Message[]> {
  return (await workspace.messages.list(agentId, id, { limit: MOST })).data.filter(isMarked);
}

async function markedMemories(workspace: WorkspaceResources, { agentId, id }: Session): Promise<Memory[]> {
  return (await workspace.memories.list(agentId, id, { limit: MOST })).data.filter(isMarked);
}
