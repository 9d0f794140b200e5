/** Changes become events: numbered in the order in which they were committed, by one transaction at a time in a workspace. */
import { type Sql, sql } from '../db/sql.ts';

/**
 * The statements that publish changes, in the transaction that takes them off the outbox. The first holds the heads of their workspaces until
 * the commit, and returns whose they are: no event becomes readable after one with a higher number, and a reader who goes on from the last one misses none.
 */
export function publishEvents(changes: Sql): Sql[] {
  return [
    sql`
      insert into event_heads (workspace_id, last_seq)
      select change.workspace_id, count(*) from ${changes} where 1 = 1 group by change.workspace_id order by change.workspace_id
      on conflict (workspace_id) do update set last_seq = event_heads.last_seq + excluded.last_seq
      returning workspace_id as "workspaceId"`,
    sql`
      insert into events (workspace_id, seq, type, agent_id, session_id, subject_id, data, created_at)
      select change.workspace_id,
        h.last_seq - count(*) over (partition by change.workspace_id)
          + row_number() over (partition by change.workspace_id order by change.position, change.ordinal),
        change.type, change.agent_id, change.session_id, change.subject_id, change.data, change.created_at
      from ${changes} join event_heads h on h.workspace_id = change.workspace_id`,
  ];
}
