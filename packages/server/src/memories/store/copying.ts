/** The memories of a session in a copy of it. */
import { timestamp } from '../../clock.ts';
import type { Queryable, Transaction } from '../../db/database.ts';
import { newIdAt } from '../../db/ids.ts';
import { asId, json, perEngine, rows, type Sql, sql } from '../../db/sql.ts';
import { enqueue } from '../../jobs/queue.ts';
import { enqueueEmbedding } from '../../search/vectors.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import { loadSessionAssertions } from './assertions.ts';
import { enqueueExtraction, extractionJob, findUnread } from './extraction-queue.ts';
import { lockPeople, recordPerson } from './people.ts';
import { changeAssertions } from './person-memories.ts';
import { inSession, insertSources, memoryVectors, type StoredMemory } from './rows.ts';

/** A statement takes no more than some thousands of parameters. */
const COPIED_AT_ONCE = 500;

// Values of a list have no type of their own in PostgreSQL.
const originalId = perEngine({ sqlite: 'copied.column1', postgres: 'copied.column1::uuid' });
const copiedId = perEngine({ sqlite: 'copied.column2', postgres: 'copied.column2::uuid' });

/** Of what is copied: how many bytes of contents and meta. */
export async function measureMemories(tx: Queryable, from: SessionPlace, heldAt: string | undefined, nowMs: number): Promise<number> {
  const { bytes } = await tx.one(sql<{ bytes: number }>`
    select coalesce(sum(octet_length(content) + octet_length(meta)), 0) as bytes from memories where ${isHeld(from, heldAt, nowMs)}`);
  return bytes;
}

/** Copies what a session held at a time into another; what it holds now when no time is given. */
export async function copyMemories(
  tx: Transaction,
  from: SessionPlace,
  toSessionId: string,
  heldAt: string | undefined,
  copiedMessageIds: ReadonlyMap<string, string>,
  personId: string | null,
  nowMs: number,
): Promise<number> {
  // The meta of those extracted names messages, and is written anew. What else they say never leaves the database.
  const stored = await tx.query(sql<Pick<StoredMemory, 'id' | 'createdAt'> & { extractedMeta: string | null }>`
    select id, created_at as "createdAt", case when source = 'extracted' then meta end as "extractedMeta"
    from memories where ${isHeld(from, heldAt, nowMs)} ${personId === null ? sql`` : isNotOfPerson(from.workspaceId)} order by id`);
  await copyWaiting(tx, from, toSessionId, copiedMessageIds, nowMs);
  if (personId !== null) await copyAssertions(tx, from, toSessionId, copiedMessageIds, personId, nowMs);
  if (stored.length === 0) return 0;
  const ids = new Map(stored.map(({ id, createdAt }) => [id, newIdAt(Date.parse(createdAt))]));
  const to = { ...from, sessionId: toSessionId };
  for (let start = 0; start < stored.length; start += COPIED_AT_ONCE) {
    const copies = stored
      .slice(start, start + COPIED_AT_ONCE)
      .map(({ id, extractedMeta }) => [id, ids.get(id) as string, extractedMeta && copiedMeta(extractedMeta, copiedMessageIds)]);
    await tx.run(sql`
      insert into memories (workspace_id, agent_id, session_id, id, kind, content, meta, version, source, slot, fingerprint, expires_at, created_at, updated_at)
      select m.workspace_id, ${asId(from.agentId)}, ${asId(toSessionId)}, ${copiedId}, m.kind, m.content, coalesce(copied.column3, m.meta), 1,
        m.source, m.slot, m.fingerprint, m.expires_at, m.created_at, m.updated_at
      from (values ${rows(copies)}) copied cross join memories m
      where m.workspace_id = ${from.workspaceId} and m.session_id = ${from.sessionId} and m.id = ${originalId}`);
    const copiedIds = copies.map(([, id]) => id as string);
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
  return stored.length;
}

/** What else belongs to the session. The memories of a person follow from what their messages say. */
const isNotOfPerson = (workspaceId: string) => sql`and (source = 'written' or kind = 'summary' or not exists (
  select 1 from assertions a where a.workspace_id = ${workspaceId} and a.id = memories.id))`;

/** What the messages of the copy say is what those that they were copied from say: the person says the same twice. */
async function copyAssertions(
  tx: Transaction,
  from: SessionPlace,
  toSessionId: string,
  copiedMessageIds: ReadonlyMap<string, string>,
  personId: string,
  nowMs: number,
): Promise<void> {
  const to = { ...from, sessionId: toSessionId };
  await tx.run(recordPerson(to, personId, nowMs));
  const lastId = [...copiedMessageIds.keys()].reduce((last, id) => (id > last ? id : last), '');
  if (lastId === '') return;
  const said = (await loadSessionAssertions(tx, from, lastId)).filter(({ messageId }) => copiedMessageIds.has(messageId));
  // Held already, but for people whom the session was of before.
  await lockPeople(
    tx,
    from.workspaceId,
    said.map((assertion) => assertion.personId),
  );
  const ids = new Map(said.map(({ id, saidAt }) => [id, newIdAt(Date.parse(saidAt))]));
  const added = said.map((assertion) => ({
    ...assertion,
    id: ids.get(assertion.id) as string,
    sessionId: toSessionId,
    messageId: copiedMessageIds.get(assertion.messageId) as string,
    successorId: ids.get(assertion.successorId ?? '') ?? null,
    sources: assertion.sources.map((source) => {
      const messageId = copiedMessageIds.get(source.messageId);
      return messageId === undefined ? source : { sessionId: toSessionId, messageId };
    }),
  }));
  await changeAssertions(tx, from.workspaceId, { added, copySessionId: toSessionId }, nowMs);
}

/** Those that a session held at a time; those that it holds now when no time is given. */
function isHeld(place: SessionPlace, heldAt: string | undefined, nowMs: number): Sql {
  const at = heldAt ?? timestamp(nowMs);
  return sql`${inSession(place)} and (superseded_at is null or superseded_at > ${at}) and (expires_at is null or expires_at > ${at})
    ${heldAt === undefined ? sql`` : sql`and created_at <= ${heldAt}`}`;
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
function copiedMeta(stored: string, copied: ReadonlyMap<string, string>): string {
  const { history, messageIds, ...rest } = JSON.parse(stored) as { history?: unknown; messageIds: readonly string[] };
  return json({ ...rest, messageIds: messageIds.map((id) => copied.get(id) ?? id) });
}
