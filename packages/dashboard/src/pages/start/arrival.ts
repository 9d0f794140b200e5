/** Whether something of an agent's own has come, and what was remembered of it. Example data does not count. */
import type { Memory, Message, Session } from '@commonplace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { isExampleSession } from '../../example-data/marks.ts';

export interface Arrival {
  readonly session: Session;
  /** Absent where an editor wrote a memory and nothing else. */
  readonly message: Message | undefined;
  readonly memory: Memory | undefined;
}

const ASK_EVERY_MS = 1_500;
/** The last active: one that was opened and holds nothing yet may be among them. */
const SESSIONS_LOOKED_AT = 10;

async function findArrival(workspaceId: string, agentId: string, signal: AbortSignal): Promise<Arrival | null> {
  const { sessions, messages, memories } = client.workspace(workspaceId);
  const { data: latest } = await sessions.list(agentId, { limit: SESSIONS_LOOKED_AT }, { signal });
  for (const session of latest.filter((each) => !isExampleSession(each))) {
    const [said, kept] = await Promise.all([
      messages.list(agentId, session.id, { limit: 1 }, { signal }),
      memories.list(agentId, session.id, { limit: SESSIONS_LOOKED_AT }, { signal }),
    ]);
    const memory = kept.data.find(({ kind }) => kind !== 'summary') ?? kept.data[0];
    if (said.data[0] || memory) return { session, message: said.data[0], memory };
  }
  return null;
}

export const arrivalQuery = (workspaceId: string, agentId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'arrival', agentId],
    queryFn: ({ signal }) => findArrival(workspaceId, agentId, signal),
    // Nothing more can change what is said once there is a memory.
    refetchInterval: (query) => (query.state.data?.memory ? false : ASK_EVERY_MS),
  });
