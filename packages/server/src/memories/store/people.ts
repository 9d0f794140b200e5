/** Whose the memories of a session are: the session's alone, or those of a person, whom a label of the session names. */
import { hash } from 'node:crypto';
import type { AgentConfigs } from '@commonplace/contract/agents';
import { timestamp } from '../../clock.ts';
import type { Queryable, Transaction } from '../../db/database.ts';
import { idOfDigest } from '../../db/ids.ts';
import { shape } from '../../db/shape.ts';
import { perEngine, type Sql, sql } from '../../db/sql.ts';
import type { SessionPlace } from '../../sessions/store.ts';

/** What tells whose the memories are. */
export interface PersonTraits {
  readonly agentId: string;
  readonly configs: AgentConfigs | null;
  readonly labels: Readonly<Record<string, string>>;
}

/** The label that names the person; null where the agent names none, or the session has none or an empty one. */
export function personLabelOf({ configs, labels }: Omit<PersonTraits, 'agentId'>): readonly [key: string, value: string] | null {
  const key = configs?.memorySubject;
  const value = key && Object.hasOwn(labels, key) ? labels[key] : undefined;
  return key && value ? [key, value] : null;
}

/** Null where the memories are the session's alone. */
export function personIdOf({ agentId, ...traits }: PersonTraits): string | null {
  const label = personLabelOf(traits);
  return label && idOfDigest(hash('sha256', JSON.stringify([agentId, ...label]), 'buffer'));
}

interface SessionPerson {
  /** Whose its memories are by its labels now. */
  readonly personId: string | null;
  /** Whose they were when its messages were last looked at. */
  readonly keptPersonId: string | null;
}

const traits = shape<PersonTraits & { keptPersonId: string | null }>({
  agentId: 'text',
  configs: 'json',
  labels: 'json',
  keptPersonId: 'text',
});

/** Undefined where the session is gone. */
export async function findSessionPerson(db: Queryable, { workspaceId, sessionId }: SessionPlace): Promise<SessionPerson | undefined> {
  const found = await db.maybeOne(sql<PersonTraits & { keptPersonId: string | null }>`
    select ${traits} from (
      select s.agent_id, a.configs, s.labels, x.person_id as kept_person_id
      from sessions s left join agents a on a.workspace_id = s.workspace_id and a.id = s.agent_id
        left join extraction_states x on x.workspace_id = s.workspace_id and x.session_id = s.id
      where s.workspace_id = ${workspaceId} and s.id = ${sessionId}) found`);
  if (!found) return undefined;
  const { configs, keptPersonId } = found;
  // An agent that is being deleted changes nobody's memories.
  return { personId: configs === null ? keptPersonId : personIdOf(found), keptPersonId };
}

/** Whether anything was extracted from the session that another owner would have to take over. */
export async function hasExtracted(db: Queryable, { workspaceId, sessionId }: SessionPlace): Promise<boolean> {
  const [found] = await db.query(sql`
    select 1 as one from memories where workspace_id = ${workspaceId} and session_id = ${sessionId} and source = 'extracted' and kind <> 'summary'
    union all select 1 as one from assertions where workspace_id = ${workspaceId} and session_id = ${sessionId} limit 1`);
  return found !== undefined;
}

export function recordPerson({ workspaceId, sessionId }: SessionPlace, personId: string | null, nowMs: number): Sql {
  return sql`
    insert into extraction_states (workspace_id, session_id, done, summarized, attempts, person_id, updated_at)
    values (${workspaceId}, ${sessionId}, 0, 0, 0, ${personId}, ${timestamp(nowMs)})
    on conflict (workspace_id, session_id) do update set person_id = excluded.person_id`;
}

/**
 * Until the transaction ends, nobody else changes what is known of these people. Goes before the lock on a session: a change of
 * one session reaches others of the same person. The embedded engine has one writer and needs no such lock.
 */
export async function lockPeople(tx: Transaction, workspaceId: string, personIds: Iterable<string>): Promise<void> {
  for (const personId of [...new Set(personIds)].sort()) {
    const key = `${workspaceId} ${personId}`;
    await tx.query(sql`select ${LOCK_BEGINS}${key}${LOCK_ENDS} as locked`);
  }
}

const LOCK_BEGINS = perEngine({ sqlite: 'length(', postgres: 'cast(pg_advisory_xact_lock(hashtextextended(' });
const LOCK_ENDS = perEngine({ sqlite: ')', postgres: ', 0)) as text)' });

/** Whose the memories of a session are, as it was last looked at. */
export async function findKeptPerson(db: Queryable, { workspaceId, sessionId }: SessionPlace): Promise<string | null> {
  const state = await db.maybeOne(sql<{ personId: string | null }>`
    select person_id as "personId" from extraction_states where workspace_id = ${workspaceId} and session_id = ${sessionId}`);
  return state?.personId ?? null;
}

/** Locked, too; null where they are the session's alone. */
export async function lockPersonOf(tx: Transaction, place: SessionPlace): Promise<string | null> {
  const personId = await findKeptPerson(tx, place);
  if (personId !== null) await lockPeople(tx, place.workspaceId, [personId]);
  return personId;
}
