import type { NewSession, Session, SessionChanges } from '@commonplace/contract/sessions';
import type { Page } from '@commonplace/contract/wire';
import { agentExists, lockAgent, requireAgent } from '../agents/store.ts';
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable } from '../db/database.ts';
import { UniqueViolation } from '../db/errors.ts';
import { newId } from '../db/ids.ts';
import { shape } from '../db/shape.ts';
import { forUpdate, join, list, raw, rows, type Sql, sql } from '../db/sql.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { recordEvent } from '../outbox/outbox.ts';
import { measureReplaced } from '../quotas/store.ts';
import { labelsKey, type SessionSelector, unnamedLabels } from './rules.ts';
import { noteStatus } from './store/archived.ts';
import { sessionChange } from './store/recording.ts';

export interface AgentPlace {
  readonly workspaceId: string;
  readonly agentId: string;
}

/** The path of everything that belongs to one session. */
export interface SessionPlace extends AgentPlace {
  readonly sessionId: string;
}

export const sessionColumns = shape<Session>({
  id: 'text',
  externalId: 'text',
  workspaceId: 'text',
  agentId: 'text',
  title: 'text',
  status: 'text',
  labels: 'json',
  meta: 'json',
  lastActivityAt: 'time',
  createdAt: 'time',
  updatedAt: 'time',
});

interface StoredSession extends Session {
  named: boolean;
  unnamedLabels: string | null;
  labelsKey: string;
  messageCount: number;
  messageEdits: number;
  memoryCount: number;
  memoryEdits: number;
  messageBytes: number;
  measuredMessages: number;
  measuredEdits: number;
}
const stored = sessionColumns.with<Omit<StoredSession, keyof Session>>({
  named: 'boolean',
  unnamedLabels: 'text',
  labelsKey: 'text',
  messageCount: 'integer',
  messageEdits: 'integer',
  memoryCount: 'integer',
  memoryEdits: 'integer',
  messageBytes: 'integer',
  measuredMessages: 'integer',
  measuredEdits: 'integer',
});

export async function createSession(
  db: Queryable,
  { workspaceId, agentId }: AgentPlace,
  { externalId, labels }: SessionSelector,
  fields: NewSession,
  nowMs: number,
): Promise<Session> {
  const session = newSession({ workspaceId, agentId }, externalId, labels, nowMs);
  session.title = fields.title ?? '';
  session.meta = fields.meta ?? {};
  try {
    await db.batch([
      lockAgent(workspaceId, agentId),
      ...sessionInsertions(session, externalId !== undefined),
      recordEvent(sessionChange('session.created', { workspaceId, agentId, sessionId: session.id }), nowMs),
    ]);
  } catch (error) {
    throw asConflict(error);
  }
  return session;
}

/** The session that stands in the way of creating one like this, or a new one. */
export async function findOrCreateSession(
  db: Transactable,
  place: AgentPlace,
  selector: SessionSelector,
  fields: NewSession,
  nowMs: number,
): Promise<{ session: Session; isNew: boolean }> {
  const same = await findSameSession(db, place, selector);
  if (same && !hasLabels(same, selector.labels)) throw conflict('A session with this id and other labels exists already');
  if (same) return { session: same, isNew: false };
  const session = newSession(place, selector.externalId, selector.labels, nowMs);
  session.title = fields.title ?? '';
  session.meta = fields.meta ?? {};
  // No failure to recover from, so it holds inside a caller's transaction too.
  const made = await db.transaction(async (tx) => {
    await tx.one(lockAgent(place.workspaceId, place.agentId));
    const [insertion, ...labelled] = sessionInsertions(session, selector.externalId !== undefined) as [Sql, ...Sql[]];
    if ((await tx.run(sql`${insertion} on conflict do nothing`)) === 0) return undefined;
    const created = sessionChange('session.created', { ...place, sessionId: session.id });
    for (const statement of [...labelled, recordEvent(created, nowMs)]) await tx.run(statement);
    return session;
  });
  return made ? { session: made, isNew: true } : findOrCreateSession(db, place, selector, fields, nowMs);
}

export async function findSameSession(
  db: Queryable,
  place: AgentPlace,
  { externalId, labels }: SessionSelector,
): Promise<Session | undefined> {
  const same = externalId === undefined ? sql`unnamed_labels = ${labelsKey(labels)}` : sql`external_id = ${externalId}`;
  return db.maybeOne(
    sql<Session>`select ${sessionColumns} from sessions where ${ofAgent(place)} and ${agentExists(place.workspaceId, place.agentId)} and ${same}`,
  );
}

/** By id: that session, if it has the labels. Without: the one with exactly these labels, last active first. */
export async function findSelectedSession(
  db: Queryable,
  place: AgentPlace,
  { externalId, labels }: SessionSelector,
): Promise<Session | undefined> {
  if (externalId === undefined && Object.keys(labels).length === 0) throw invalid('id', 'An id or at least one label is required');
  const selected =
    externalId === undefined
      ? sql`labels_key = ${labelsKey(labels)} order by last_activity_at desc, id desc limit 1`
      : sql`external_id = ${externalId}`;
  const session = await db.maybeOne(
    sql<Session>`select ${sessionColumns} from sessions where ${ofAgent(place)} and ${agentExists(place.workspaceId, place.agentId)} and ${selected}`,
  );
  return session && hasLabels(session, labels) ? session : undefined;
}

export async function requireSelectedSession(db: Queryable, place: AgentPlace, selector: SessionSelector): Promise<Session> {
  const session = await findSelectedSession(db, place, selector);
  if (session) return session;
  await requireAgent(db, place.workspaceId, place.agentId);
  throw notFound('Session');
}

function hasLabels(session: Session, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([key, value]) => Object.hasOwn(session.labels, key) && session.labels[key] === value);
}

/** Last activity first. Labels filter by containment. */
export async function listSessions(db: Queryable, place: AgentPlace, { externalId, labels }: SessionSelector, page: Page) {
  await requireAgent(db, place.workspaceId, place.agentId);
  const conditions = [ofAgent(place)];
  if (externalId !== undefined) conditions.push(sql`external_id = ${externalId}`);
  for (const [key, value] of Object.entries(labels)) {
    conditions.push(sql`id in (
      select session_id from session_labels
      where workspace_id = ${place.workspaceId} and agent_id = ${place.agentId} and key = ${key} and value = ${value})`);
  }
  const matching = join(conditions, ' and ');
  const [sessions, counts] = await Promise.all([
    db.query(sql<Session>`
      select ${sessionColumns} from sessions where ${matching} order by last_activity_at desc, id desc limit ${page.limit} offset ${page.offset}`),
    db.query(sql<{ total: number }>`select count(*) as total from sessions where ${matching}`),
  ]);
  return { sessions, total: counts[0]?.total ?? 0 };
}

/** The agents of sessions, by the ids of the sessions; none for those that are gone. */
export async function findAgentsOf(db: Queryable, workspaceId: string, sessionIds: readonly string[]): Promise<Map<string, string>> {
  if (sessionIds.length === 0) return new Map();
  const found = await db.query(sql<{ id: string; agentId: string }>`
    select id, agent_id as "agentId" from sessions where workspace_id = ${workspaceId} and id in ${list([...new Set(sessionIds)])}`);
  return new Map(found.map(({ id, agentId }) => [id, agentId]));
}

export async function requireSession(db: Queryable, place: SessionPlace): Promise<Session> {
  const session = await db.maybeOne(sql<Session>`select ${sessionColumns} from sessions where ${isSession(place)}`);
  if (!session) throw notFound('Session');
  return session;
}

/** What a change takes the place of. */
export function measureSession(db: Queryable, place: SessionPlace, changes: SessionChanges): Promise<number> {
  return measureReplaced(db, changes, ['title', 'status', 'labels', 'meta'], sql`from sessions where ${isSession(place)}`);
}

export async function updateSession(db: Transactable, place: SessionPlace, changes: SessionChanges, nowMs: number): Promise<Session> {
  const { workspaceId, agentId, sessionId } = place;
  const labels = changes.labels === null ? {} : changes.labels;
  try {
    return await db.transaction(async (tx) => {
      const held = await tx.one(
        sql<{ named: boolean | number }>`select named from sessions where ${isSession(place)}${forUpdate}`.orElse(() =>
          notFound('Session'),
        ),
      );
      const set = stored.assignments({
        ...changes,
        title: changes.title === null ? '' : changes.title,
        meta: changes.meta === null ? {} : changes.meta,
        labels,
        labelsKey: labels && labelsKey(labels),
        unnamedLabels: labels && unnamedLabels(Boolean(held.named), labels),
        updatedAt: timestamp(nowMs),
      });
      if (labels) {
        await tx.run(sql`delete from session_labels where workspace_id = ${workspaceId} and session_id = ${sessionId}`);
        for (const insertion of labelInsertions({ workspaceId, agentId, id: sessionId, labels })) await tx.run(insertion);
      }
      await tx.batch([recordEvent(sessionChange('session.updated', place), nowMs), ...noteStatus(place, changes.status)]);
      return tx.one(sql<Session>`
        update sessions set ${set} where workspace_id = ${workspaceId} and id = ${sessionId} returning ${sessionColumns}`);
    });
  } catch (error) {
    throw asConflict(error);
  }
}

function ofAgent({ workspaceId, agentId }: AgentPlace): Sql {
  return sql`workspace_id = ${workspaceId} and agent_id = ${agentId}`;
}

/** For statements about what belongs to a session: nothing is found in one that is not there. */
export function sessionExists(place: SessionPlace): Sql {
  return sql`exists (select 1 from sessions where ${isSession(place)})`;
}

/** As `sessionExists`, for rows of several sessions: `row` has workspace_id and session_id. */
export function sessionOfRowExists(row: string): Sql {
  return raw(`exists (
    select 1 from sessions s join agents a on a.workspace_id = s.workspace_id and a.id = s.agent_id
    where s.workspace_id = ${row}.workspace_id and s.id = ${row}.session_id)`);
}

export function isSession(place: SessionPlace): Sql {
  return sql`workspace_id = ${place.workspaceId} and id = ${place.sessionId} and agent_id = ${place.agentId}
    and ${agentExists(place.workspaceId, place.agentId)}`;
}

export function newSession(
  { workspaceId, agentId }: AgentPlace,
  externalId: string | undefined,
  labels: Record<string, string>,
  nowMs: number,
): Session {
  const now = timestamp(nowMs);
  return {
    id: newId(),
    externalId: externalId ?? newId(),
    workspaceId,
    agentId,
    title: '',
    status: 'active',
    labels,
    meta: {},
    lastActivityAt: now,
    createdAt: now,
    updatedAt: now,
  };
}

export function sessionInsertions(session: Session, named: boolean): Sql[] {
  return [
    stored.insertInto('sessions', [session], {
      named,
      unnamedLabels: unnamedLabels(named, session.labels),
      labelsKey: labelsKey(session.labels),
      messageCount: 0,
      messageEdits: 0,
      memoryCount: 0,
      memoryEdits: 0,
      messageBytes: 0,
      measuredMessages: 0,
      measuredEdits: 0,
    }),
    ...labelInsertions(session),
    ...noteStatus({ ...session, sessionId: session.id }, session.status === 'active' ? undefined : session.status),
  ];
}

function labelInsertions({ workspaceId, agentId, id, labels }: Pick<Session, 'workspaceId' | 'agentId' | 'id' | 'labels'>): Sql[] {
  const entries = Object.entries(labels);
  if (entries.length === 0) return [];
  return [
    sql`insert into session_labels (workspace_id, agent_id, key, value, session_id)
        values ${rows(entries.map(([key, value]) => [workspaceId, agentId, key, value, id]))}`,
  ];
}

export function asConflict(error: unknown): unknown {
  if (!(error instanceof UniqueViolation && error.table === 'sessions')) return error;
  if (error.columns.includes('external_id')) return conflict('A session with this id exists already');
  return error.columns.includes('unnamed_labels')
    ? conflict('A session without an id and with exactly these labels exists already')
    : error;
}
