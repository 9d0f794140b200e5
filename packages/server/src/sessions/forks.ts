import type { Session, SessionFork } from '@commonplace/contract/sessions';
import type { Queryable, Transactable } from '../db/database.ts';
import { forUpdate, nothing, sql } from '../db/sql.ts';
import { AppError, notFound } from '../errors.ts';
import { countAssertions } from '../memories/store/assertions.ts';
import { copyMemories, measureMemories } from '../memories/store/copying.ts';
import { lockPersonOf } from '../memories/store/people.ts';
import { copyMessages, measureMessages, requireMessageTime } from '../messages/store.ts';
import { recordEvent } from '../outbox/outbox.ts';
import type { Amounts } from '../quotas/rules.ts';
import { sessionBytes } from './rules.ts';
import { sessionChange } from './store/recording.ts';
import { asConflict, isSession, newSession, requireSession, type SessionPlace, sessionColumns, sessionInsertions } from './store.ts';

const MOST_MESSAGES = 10_000;
/** Of contents and meta, of messages and memories together: a copy is one transaction, and others wait for it. */
const MOST_BYTES = 32_000_000;
/** Each has its place among all that a person said. */
const MOST_ASSERTIONS = 5_000;

/** A copy with its messages up to one of them, and the memories held by then. */
export async function forkSession(db: Transactable, place: SessionPlace, fork: SessionFork, nowMs: number): Promise<Session> {
  try {
    return await db.transaction(async (tx) => {
      const personId = await lockPersonOf(tx, place);
      const source = await tx.one(
        sql<Session>`select ${sessionColumns} from sessions where ${isSession(place)}${forUpdate}`.orElse(() => notFound('Session')),
      );
      const copy = copyOf(source, fork, nowMs);
      // Counts as named, so that it is never in conflict with its source by labels alone.
      for (const insertion of sessionInsertions(copy, true)) await tx.run(insertion);
      // What is copied is told of with it, and not message by message: nobody said anything.
      const created = { ...sessionChange('session.created', { ...place, sessionId: copy.id }), data: { forkedFrom: place.sessionId } };
      await tx.run(recordEvent(created, nowMs));
      const lastId = fork.messageId ?? undefined;
      const heldAt = lastId === undefined ? undefined : await requireMessageTime(tx, place, lastId);
      const messages = await measureMessages(tx, place, lastId, MOST_MESSAGES);
      if (messages.count > MOST_MESSAGES || messages.bytes + (await measureMemories(tx, place, heldAt, nowMs)) > MOST_BYTES)
        throw new AppError('conflict', 'A copy holds at most 10,000 messages and 32 MB; name an earlier message to copy up to');
      if (personId !== null && (await countAssertions(tx, place, lastId, MOST_ASSERTIONS + 1)) > MOST_ASSERTIONS)
        throw new AppError('conflict', 'A copy says at most 5,000 things about a person; name an earlier message to copy up to');
      const copiedIds = await copyMessages(tx, place, copy.id, lastId, nowMs);
      const memories = await copyMemories(tx, place, copy.id, heldAt, copiedIds, personId, nowMs);
      const newestId = [...copiedIds.values()].at(-1);
      await tx.run(sql`
        update sessions set message_count = ${copiedIds.size}, measured_messages = ${copiedIds.size}, message_bytes = ${messages.bytes},
          ${newestId === undefined ? nothing : sql`newest_message_id = ${newestId},`} memory_count = memory_count + ${memories} where workspace_id = ${place.workspaceId} and id = ${copy.id}`);
      return copy;
    });
  } catch (error) {
    throw asConflict(error);
  }
}

/** What a fork would store, whatever is sent for it. */
export async function measureFork(
  db: Queryable,
  place: SessionPlace,
  fork: SessionFork,
  nowMs: number,
): Promise<Required<Pick<Amounts, 'messages' | 'bytes'>>> {
  // What is not there for the caller is not measured for them.
  const source = await requireSession(db, place);
  const lastId = fork.messageId ?? undefined;
  const heldAt = lastId === undefined ? undefined : await requireMessageTime(db, place, lastId);
  const { count, bytes } = await measureMessages(db, place, lastId, MOST_MESSAGES);
  const copy = copyOf(source, fork, nowMs);
  return { messages: count, bytes: bytes + (await measureMemories(db, place, heldAt, nowMs)) + sessionBytes(copy) };
}

function copyOf(source: Session, fork: SessionFork, nowMs: number): Session {
  const copy = newSession(source, fork.id ?? undefined, source.labels, nowMs);
  copy.title = fork.title ?? source.title;
  copy.meta = withOrigin(source, fork.messageId ?? null);
  return copy;
}

function withOrigin(source: Session, messageId: string | null): unknown {
  const { meta } = source;
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return meta;
  return { ...meta, forkedFrom: { sessionId: source.id, messageId } };
}
