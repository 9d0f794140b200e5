/** The memories of a session in a copy of it. */
import { timestamp } from '../../clock.ts';
import type { Transaction } from '../../db/database.ts';
import { newIdAt } from '../../db/ids.ts';
import { sql } from '../../db/sql.ts';
import { enqueue } from '../../jobs/queue.ts';
import { enqueueEmbedding } from '../../search/vectors.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import { enqueueExtraction, extractionJob, findUnread } from './extraction-queue.ts';
import { insertMemories, insertSources, memoryVectors, type StoredMemory, storedColumns } from './rows.ts';

/** A statement takes no more than some thousands of parameters. */
const COPIED_AT_ONCE = 500;

/** Copies what a session held at a time into another; what it holds now when no time is given. */
export async function copyMemories(
  tx: Transaction,
  from: SessionPlace,
  toSessionId: string,
  heldAt: string | undefined,
  copiedMessageIds: ReadonlyMap<string, string>,
  nowMs: number,
): Promise<number> {
  const at = heldAt ?? timestamp(nowMs);
  const memories = await tx.query(sql<StoredMemory>`
    select ${storedColumns} from memories where workspace_id = ${from.workspaceId} and session_id = ${from.sessionId}
    and (superseded_at is null or superseded_at > ${at}) and (expires_at is null or expires_at > ${at})
    ${heldAt === undefined ? sql`` : sql`and created_at <= ${heldAt}`} order by id`);
  await copyWaiting(tx, from, toSessionId, copiedMessageIds, nowMs);
  if (memories.length === 0) return 0;
  const ids = new Map(memories.map(({ id, createdAt }) => [id, newIdAt(Date.parse(createdAt))]));
  const copies = memories.map((memory) => ({
    ...memory,
    id: ids.get(memory.id) as string,
    sessionId: toSessionId,
    meta: memory.source === 'extracted' ? copiedMeta(memory.meta, copiedMessageIds) : memory.meta,
    supersededAt: null,
    supersededBy: null,
  }));
  const to = { ...from, sessionId: toSessionId };
  for (let start = 0; start < copies.length; start += COPIED_AT_ONCE) {
    const some = copies.slice(start, start + COPIED_AT_ONCE);
    await tx.run(insertMemories(from.workspaceId, some));
    const copiedIds = some.map(({ id }) => id);
    await tx.run(enqueueEmbedding(memoryVectors(to), copiedIds, nowMs));
  }
  const sources = await tx.query(sql<{ messageId: string; memoryId: string; causeId: string }>`
    select message_id as "messageId", memory_id as "memoryId", cause_id as "causeId" from memory_sources
    where workspace_id = ${from.workspaceId} and session_id = ${from.sessionId}`);
  const copiedSources = sources.flatMap(({ messageId, memoryId, causeId }) => {
    const [message, memory, cause] = [
      copiedMessageIds.get(messageId),
      ids.get(memoryId),
      copiedMessageIds.get(causeId) ?? ids.get(causeId),
    ];
    return message && memory && cause ? [{ memoryId: memory, causeId: cause, messageIds: [message] }] : [];
  });
  for (const statement of insertSources(to, copiedSources)) await tx.run(statement);
  return copies.length;
}

/** What was not looked at yet is looked at in the copy too. */
async function copyWaiting(
  tx: Transaction,
  from: SessionPlace,
  toSessionId: string,
  copiedMessageIds: ReadonlyMap<string, string>,
  nowMs: number,
): Promise<void> {
  const ids = (await findUnread(tx, from)).flatMap((id) => copiedMessageIds.get(id) ?? []);
  for (let start = 0; start < ids.length; start += COPIED_AT_ONCE)
    await tx.run(enqueueExtraction({ ...from, sessionId: toSessionId }, ids.slice(start, start + COPIED_AT_ONCE), nowMs));
  if (ids.length > 0) await tx.run(enqueue({ ...extractionJob(from.workspaceId), delayMs: 1_000 }, nowMs));
}

/** Of what was extracted: by the messages of the copy. What came before is not copied, and so not told of. */
function copiedMeta(meta: unknown, copied: ReadonlyMap<string, string>): unknown {
  const { history, messageIds, ...rest } = meta as { history?: unknown; messageIds: readonly string[] };
  return { ...rest, messageIds: messageIds.map((id) => copied.get(id) ?? id) };
}
