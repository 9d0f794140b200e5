import type { Session } from '@commonplace/contract/sessions';
import { type Sql, sql } from '../../db/sql.ts';

/** With each change of its status: those that are archived are left out where all of an agent is counted. */
export function noteStatus({ workspaceId, agentId, id }: Pick<Session, 'workspaceId' | 'agentId' | 'id'>, status: Session['status']): Sql {
  if (status === 'active') return sql`delete from archived_sessions where workspace_id = ${workspaceId} and session_id = ${id}`;
  return sql`insert into archived_sessions (workspace_id, agent_id, session_id) values (${workspaceId}, ${agentId}, ${id})
    on conflict (workspace_id, agent_id, session_id) do nothing`;
}
