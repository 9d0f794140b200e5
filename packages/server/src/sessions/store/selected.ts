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

/** As `selectedSessions` by labels, of whatever agent: also of one that is being deleted. Its agents are found by steps through the key. */
export function labelledSessions(workspaceId: string, labels: Readonly<Record<string, string>>): Sql {
  const [first, ...others] = Object.entries(labels);
  if (!first) throw new TypeError('Sessions are selected by a label');
  const next = (after: Sql) => sql`
    select n.agent_id from session_labels n where n.workspace_id = ${workspaceId} ${after} order by n.agent_id limit 1`;
  const conditions = others.map(
    ([key, value]) => sql`and exists (
      select 1 from session_labels o
      where o.workspace_id = ${workspaceId} and o.agent_id = l.agent_id and o.key = ${key} and o.value = ${value} and o.session_id = l.session_id)`,
  );
  const [key, value] = first;
  return sql`
    with recursive labelling (agent_id) as (
      select * from (${next(sql``)}) first
      union all
      select (${next(sql`and n.agent_id > labelling.agent_id`)}) from labelling where labelling.agent_id is not null)
    select l.session_id from labelling cross join session_labels l
    where l.workspace_id = ${workspaceId} and l.agent_id = labelling.agent_id and l.key = ${key} and l.value = ${value} ${join(conditions, ' ')}`;
}
