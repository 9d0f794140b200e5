/** Which sessions of a person a context is made from. */
import type { Session } from '@commonplace/contract/sessions';
import type { Queryable } from '../db/database.ts';
import { shape } from '../db/shape.ts';
import { asId, join, list, raw, type Sql, sql } from '../db/sql.ts';
import type { AgentPlace } from '../sessions/store.ts';

type ActiveSession = Pick<Session, 'id' | 'lastActivityAt'>;
const activeSession = shape<ActiveSession>({ id: 'text', lastActivityAt: 'time' });

/** A label that so many sessions have is no way to find a few: then the last active ones are looked through. */
const FEW_LABELLED = 1_000;

/** The sessions of an agent that have all of the labels, last active first; those that are archived only where they are asked for. */
export async function findLabelledSessions(
  db: Queryable,
  place: AgentPlace & { readonly includeArchived?: boolean },
  labels: Readonly<Record<string, string>>,
  limit: number,
  mostLabelled = FEW_LABELLED,
): Promise<string[]> {
  const { workspaceId, agentId } = place;
  const rare = await findRareLabel(db, place, labels, mostLabelled);
  const hasLabel = (label: Label) =>
    sql`exists (select 1 from session_labels l where ${isLabel(place, label, 'l.')} and l.session_id = s.id)`;
  const isMeant = place.includeArchived ? [] : [sql`s.status = 'active'`];
  const areLabelled = join([...Object.entries(labels).map(hasLabel), ...isMeant], ' and ');
  const found = await db.query(
    rare
      ? // Crossed, so that SQLite begins with the label.
        sql<ActiveSession>`
          select ${activeSession.of('s')} from session_labels r cross join sessions s
          where ${isLabel(place, rare, 'r.')} and s.workspace_id = ${workspaceId} and s.id = r.session_id and ${areLabelled}`
      : sql<ActiveSession>`
          select ${activeSession.of('s')} from sessions s
          where s.workspace_id = ${workspaceId} and s.agent_id = ${agentId} and ${areLabelled}
          order by s.last_activity_at desc, s.id desc limit ${limit}`,
  );
  return found
    .toSorted((a, b) => (b.lastActivityAt < a.lastActivityAt ? -1 : b.lastActivityAt > a.lastActivityAt ? 1 : b.id < a.id ? -1 : 1))
    .slice(0, limit)
    .map(({ id }) => id);
}

type Label = readonly [key: string, value: string];

/** The first label that few sessions have. */
async function findRareLabel(
  db: Queryable,
  place: AgentPlace,
  labels: Readonly<Record<string, string>>,
  most: number,
): Promise<Label | undefined> {
  for (const label of Object.entries(labels)) {
    const { count } = await db.one(sql<{ count: number }>`
      select count(*) as count from (select 1 as one from session_labels where ${isLabel(place, label)} limit ${most + 1}) labelled`);
    if (count <= most) return label;
  }
  return undefined;
}

function isLabel({ workspaceId, agentId }: AgentPlace, [key, value]: Label, alias = ''): Sql {
  const column = (name: string) => raw(`${alias}${name}`);
  return sql`${column('workspace_id')} = ${workspaceId} and ${column('agent_id')} = ${agentId} and ${column('key')} = ${key} and ${column('value')} = ${value}`;
}

/** Of some sessions of an agent those that are still there. */
export async function findPresentSessions(
  db: Queryable,
  { workspaceId, agentId }: AgentPlace,
  sessionIds: readonly string[],
): Promise<string[]> {
  if (sessionIds.length === 0) return [];
  const found = await db.query(sql<{ id: string }>`
    select id from sessions where workspace_id = ${workspaceId} and agent_id = ${agentId} and id in ${list(sessionIds)}`);
  return found.map(({ id }) => id);
}

/** Of some sessions those whose latest message is newest, that one first. */
export async function orderByNewestMessage(
  db: Queryable,
  workspaceId: string,
  sessionIds: readonly string[],
  limit: number,
): Promise<string[]> {
  if (sessionIds.length <= 1) return [...sessionIds];
  const found = await db.query(sql<{ id: string; newest: string | null }>`
    select s.id, (
      select m.id from messages m where m.workspace_id = ${asId(workspaceId)} and m.session_id = s.id order by m.id desc limit 1) as newest
    from sessions s where s.workspace_id = ${workspaceId} and s.id in ${list(sessionIds)}`);
  const newest = new Map(found.map((row) => [row.id, `${row.newest ?? ''} ${row.id}`]));
  const newestOf = (id: string) => newest.get(id) ?? '';
  return sessionIds.toSorted((a, b) => (newestOf(a) < newestOf(b) ? 1 : -1)).slice(0, limit);
}
