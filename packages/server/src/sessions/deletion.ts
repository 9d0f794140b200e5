import { recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import type { Transactable } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import { enqueue } from '../jobs/queue.ts';
import { forgetSession, lockPeopleOf } from '../memories/store/forgetting.ts';
import { recordEvent } from '../outbox/outbox.ts';
import { noteDeletedSessions } from './store/deleted.ts';
import { sessionChange } from './store/recording.ts';
import { isSession, type SessionPlace } from './store.ts';

/**
 * Gone with its messages and memories at once, because every path to them leads through it; their rows follow in the background.
 * What they had taken the place of in other sessions of the same person holds again.
 */
export async function deleteSession(db: Transactable, by: Actor, place: SessionPlace, nowMs: number): Promise<void> {
  const { workspaceId, sessionId } = place;
  await db.transaction(async (tx) => {
    await lockPeopleOf(tx, place, undefined);
    await tx.batch([
      noteDeletedSessions(workspaceId, [sessionId]),
      sql`delete from sessions where ${isSession(place)}`.orElse(() => notFound('Session')),
      recordAudit(by, { workspaceId, action: 'session.delete', resourceId: sessionId, detail: { agentId: place.agentId } }, nowMs),
      recordEvent(sessionChange('session.deleted', place), nowMs),
      enqueue({ kind: 'purge-session', key: `${workspaceId} ${sessionId}`, workspaceId, payload: { sessionId } }, nowMs),
    ]);
    await forgetSession(tx, place, nowMs);
  });
}
