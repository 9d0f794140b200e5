/** Every table that holds what belongs to a session: the one list of it. */
import type { Database, Queryable } from '../../db/database.ts';
import { deleteInSteps } from '../../db/deletion.ts';
import { list, raw, sql } from '../../db/sql.ts';
import { goneForGood, noteChangedThreads } from '../../search/segments/changed-items.ts';
import { dropSnapshotsOf } from '../../search/segments/store.ts';

/** What a receipt counts its rows as. */
export type PurgedKind = 'sessions' | 'messages' | 'memories' | 'history' | 'statements' | 'vectors' | 'queued' | 'answers' | 'events';

interface SessionTable {
  readonly name: string;
  /** The column that names the session, where that is not `session_id`. */
  readonly column?: string;
  /** The rest of its primary key. */
  readonly key: string;
  readonly kind: PurgedKind;
  /** A session that is merely deleted is told of still. */
  readonly onlyForgotten?: true;
}

const ofTexts = "kind in ('message', 'memory') and scope_id";

const tables: readonly SessionTable[] = [
  { name: 'messages', key: 'id', kind: 'messages' },
  { name: 'memories', key: 'id', kind: 'memories' },
  // Before what it is distributed to.
  { name: 'outbox', key: 'position', kind: 'queued', onlyForgotten: true },
  { name: 'message_writes', key: 'position', kind: 'queued' },
  { name: 'new_messages', key: 'position', kind: 'queued' },
  { name: 'memory_sources', key: 'message_id, memory_id, cause_id', kind: 'history' },
  { name: 'assertions', key: 'id', kind: 'statements' },
  { name: 'memory_events', key: 'memory_id, id', kind: 'history' },
  { name: 'extraction_queue', key: 'message_id', kind: 'queued' },
  { name: 'extraction_states', key: 'session_id', kind: 'queued' },
  // The answers of receivers may repeat what they were sent. What is pending holds none of it, and says that the session is gone.
  { name: 'webhook_deliveries', column: "status <> 'pending' and session_id", key: 'webhook_id, id', kind: 'queued' },
  { name: 'webhook_deliveries', key: 'webhook_id, id', kind: 'queued', onlyForgotten: true },
  // Before the vectors: what is taken off it gets none any more.
  { name: 'embedding_queue', column: ofTexts, key: 'kind, scope_id, item_id', kind: 'queued' },
  { name: 'vectors', column: ofTexts, key: 'kind, scope_id, item_id, model', kind: 'vectors' },
  { name: 'refused_texts', column: ofTexts, key: 'kind, scope_id, item_id, model', kind: 'queued' },
  { name: 'events', key: 'seq', kind: 'events', onlyForgotten: true },
  // Last: while it is there, there may be more of the session.
  { name: 'deleted_sessions', key: 'session_id', kind: 'sessions' },
];

export type PurgedCounts = Partial<Record<PurgedKind, number>>;

/** Removes the rows of a session that is gone; how many there were of each kind. `isForgotten`: nobody is to be told of it any more. */
export async function purgeSessionRows(
  db: Database,
  { workspaceId, sessionId }: { readonly workspaceId: string; readonly sessionId: string },
  isForgotten: boolean,
  signal: AbortSignal,
): Promise<PurgedCounts> {
  const answers = await beginPurge(db, workspaceId, [sessionId], signal);
  return { ...(await deleteRowsOfSession(db, { workspaceId, sessionId }, isForgotten, signal)), answers };
}

/** As `purgeSessionRows`, of a session that nobody ever saw: nothing of it is kept elsewhere. */
export async function deleteRowsOfSession(
  db: Queryable,
  { workspaceId, sessionId }: { readonly workspaceId: string; readonly sessionId: string },
  isForgotten: boolean,
  signal: AbortSignal,
): Promise<PurgedCounts> {
  const counts: PurgedCounts = {};
  for (const { name, column = 'session_id', key, kind, onlyForgotten } of tables) {
    if (onlyForgotten && !isForgotten) continue;
    const condition = sql`workspace_id = ${workspaceId} and ${raw(column)} = ${sessionId}`;
    counts[kind] = (counts[kind] ?? 0) + (await deleteInSteps(db, { table: name, key, condition }, signal));
  }
  return counts;
}

/** Their index on sessions is for rows that have one alone. */
const indexedInPart = ['events', 'webhook_deliveries'];

/** Of forgotten sessions that have little each, and no more together than may go in one step. */
export async function purgeSmallSessions(
  db: Database,
  workspaceId: string,
  sessionIds: readonly string[],
  signal: AbortSignal,
): Promise<PurgedCounts> {
  const answers = await beginPurge(db, workspaceId, sessionIds, signal);
  return db.transaction(async (tx) => {
    const counts: PurgedCounts = { answers };
    for (const { name, column = 'session_id', key, kind } of tables) {
      const ofSessions = sql`workspace_id = ${workspaceId} and ${raw(column)} in ${list(sessionIds)}`;
      // There SQLite uses the index in a query alone: a deletion would read all of the workspace.
      const found = indexedInPart.includes(name)
        ? sql`and (${raw(key)}) in (select ${raw(key)} from ${raw(name)} where ${ofSessions})`
        : sql``;
      const deleted = await tx.run(sql`delete from ${raw(name)} where ${ofSessions} ${found}`);
      counts[kind] = (counts[kind] ?? 0) + deleted;
    }
    return counts;
  });
}

/** What is kept of them elsewhere than in rows of their own; how many answers. */
async function beginPurge(db: Database, workspaceId: string, sessionIds: readonly string[], signal: AbortSignal): Promise<number> {
  const kinds = ['message', 'memory'] as const;
  await db.batch(sessionIds.flatMap((id) => kinds.map((kind) => noteChangedThreads(workspaceId, kind, goneForGood(id)))));
  await dropSnapshotsOf(db, workspaceId, 'session_id', sessionIds);
  return dropKeptAnswers(db, workspaceId, sessionIds, signal);
}

const ANSWERS_AT_ONCE = 200;

/** What was answered to requests with an Idempotency-Key repeats what was written. How many there were. */
async function dropKeptAnswers(db: Database, workspaceId: string, sessionIds: readonly string[], signal: AbortSignal): Promise<number> {
  const ofSessions = sql`workspace_id = ${workspaceId} and session_id in ${list(sessionIds)}`;
  for (let total = 0; ; ) {
    signal.throwIfAborted();
    const some = await db.query(sql<{ scope: string; key: string }>`
      select distinct scope, key from answers_of_sessions where ${ofSessions} limit ${ANSWERS_AT_ONCE}`);
    if (some.length === 0) return total;
    await db.batch(
      some.flatMap(({ scope, key }) => [
        sql`delete from idempotency_keys where workspace_id = ${workspaceId} and scope = ${scope} and key = ${key}`,
        sql`delete from answers_of_sessions where ${ofSessions} and scope = ${scope} and key = ${key}`,
      ]),
    );
    total += some.length;
  }
}
