import { join, type Sql, sql } from '../../db/sql.ts';
import type { SessionSelector } from '../rules.ts';
import type { AgentPlace } from '../store.ts';

/**
 * The `session_id` of those of an agent that have an id or labels, one of which there is: found by them, however many sessions the
 * agent has. To be crossed with what is looked for in them, so that SQLite begins here.
 */
export function selectedSessions({ workspaceId, agentId }: AgentPlace, { externalId, labels }: SessionSelector): Sql {
  const [first, ...others] = Object.entries(labels);
  const isLabelled = (id: Sql, [key, value]: [string, string]) => sql`exists (
    select 1 from session_labels o
    where o.workspace_id = ${workspaceId} and o.agent_id = ${agentId} and o.key = ${key} and o.value = ${value} and o.session_id = ${id})`;
  if (externalId !== undefined) {
    const conditions = Object.entries(labels).map((label) => isLabelled(sql`i.id`, label));
    return sql`select i.id as session_id from sessions i where ${join(
      [sql`i.workspace_id = ${workspaceId} and i.agent_id = ${agentId} and i.external_id = ${externalId}`, ...conditions],
      ' and ',
    )}`;
  }
  if (!first) throw new TypeError('Sessions are selected by an id or a label');
  const conditions = others.map((label) => isLabelled(sql`l.session_id`, label));
  const [key, value] = first;
  return sql`select l.session_id from session_labels l where ${join(
    [sql`l.workspace_id = ${workspaceId} and l.agent_id = ${agentId} and l.key = ${key} and l.value = ${value}`, ...conditions],
    ' and ',
  )}`;
}
