import type { Session, SessionFork } from '@commonplace/contract/sessions';
import type { Transactable } from '../db/database.ts';
import { forUpdate, sql } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import { copyMemories } from '../memories/store/copying.ts';
import { copyMessages } from '../messages/store.ts';
import { asConflict, isSession, newSession, type SessionPlace, sessionColumns, sessionInsertions } from './store.ts';

/** A copy with its messages up to one of them, and the memories held by then. */
export async function forkSession(db: Transactable, place: SessionPlace, fork: SessionFork, nowMs: number): Promise<Session> {
  try {
    return await db.transaction(async (tx) => {
      const source = await tx.one(
        sql<Session>`select ${sessionColumns} from sessions where ${isSession(place)}${forUpdate}`.orElse(() => notFound('Session')),
      );
      const copy = newSession(place, fork.id ?? undefined, source.labels, nowMs);
      copy.title = fork.title ?? source.title;
      copy.meta = withOrigin(source, fork.messageId ?? null);
      // Counts as named, so that it is never in conflict with its source by labels alone.
      for (const insertion of sessionInsertions(copy, true)) await tx.run(insertion);
      const copied = await copyMessages(tx, place, copy.id, fork.messageId ?? undefined, nowMs);
      const memories = await copyMemories(tx, place, copy.id, fork.messageId ? copied.lastAt : undefined, copied.copiedIds, nowMs);
      await tx.run(sql`
        update sessions set message_count = ${copied.copiedIds.size}, memory_count = ${memories} where workspace_id = ${place.workspaceId} and id = ${copy.id}`);
      return copy;
    });
  } catch (error) {
    throw asConflict(error);
  }
}

function withOrigin(source: Session, messageId: string | null): unknown {
  const { meta } = source;
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return meta;
  return { ...meta, forkedFrom: { sessionId: source.id, messageId } };
}
