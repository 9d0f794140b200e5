import type { Session } from '@commonplace/contract/sessions';
import { type Sql, sql } from '../../db/sql.ts';
import type { SessionPlace } from '../store.ts';

/** With each change of a session's status: those that are archived are left out where all of an agent is counted. */
export function noteStatus({ workspaceId, agentId, sessionId }: SessionPlace, status: Session['status'] | undefined): Sql[] {
  if (!status) return [];
  if (status === 'active') return [sql`delete from archived_sessions where workspace_id = ${workspaceId} and session_id = ${sessionId}`];
  return [
    sql`insert into archived_sessions (workspace_id, agent_id, session_id) values (${workspaceId}, ${agentId}, ${sessionId})
        on conflict (workspace_id, agent_id, session_id) do nothing`,
  ];
}
