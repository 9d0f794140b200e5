/**
 * What the messages of sessions take, where it is not known: those of an earlier version, or those that one wrote to since. Messages
 * and edits are counted in each session, so that the two numbers together tell whether anything has changed.
 */
import type { Logger } from 'pino';
import type { Database, Queryable } from '../db/database.ts';
import { forUpdate, nothing, type Sql, sql } from '../db/sql.ts';

const SESSIONS_AT_ONCE = 50;
const MESSAGES_AT_ONCE = 2_000;
/** While others write to it; after that they wait until it is measured. */
const MOST_TRIES = 3;

/** Sessions of an agent that is gone are gone with it; their rows follow in the background. */
export function ofLivingAgents(workspaceId: string): Sql {
  return sql`from sessions s join agents a on a.workspace_id = s.workspace_id and a.id = s.agent_id where s.workspace_id = ${workspaceId}`;
}

export const isUnmeasured = sql`(s.measured_messages is distinct from s.message_count or s.measured_edits is distinct from s.message_edits)`;

/** One pass, from the lowest id to the highest: what is written by an earlier version meanwhile is left for the next. */
export async function measureSessions(db: Database, log: Logger, workspaceId: string, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  for (;;) {
    const after: Sql = lastId === undefined ? nothing : sql`and s.id > ${lastId}`;
    const some: { id: string }[] = await db.query(sql<{ id: string }>`
      select s.id ${ofLivingAgents(workspaceId)} and ${isUnmeasured} ${after} order by s.id limit ${SESSIONS_AT_ONCE}`);
    if (some.length === 0) return;
    for (const { id } of some) {
      if (signal.aborted) return;
      try {
        await measureSession(db, workspaceId, id);
      } catch (error) {
        log.warn({ err: error, workspaceId, sessionId: id }, 'the size of a session could not be measured');
      }
    }
    lastId = some.at(-1)?.id;
  }
}

/** Nobody is held up, unless the session is written to each time. */
async function measureSession(db: Database, workspaceId: string, sessionId: string): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) if (await measureOnce(db, workspaceId, sessionId, nothing)) return;
  await db.transaction((tx) => measureOnce(tx, workspaceId, sessionId, forUpdate));
}

interface Version {
  readonly messages: number;
  readonly edits: number;
}

/** False where the session changed meanwhile. */
async function measureOnce(db: Queryable, workspaceId: string, sessionId: string, lock: Sql): Promise<boolean> {
  const isThis = sql`workspace_id = ${workspaceId} and id = ${sessionId}`;
  const version = await db.maybeOne(
    sql<Version>`select message_count as messages, message_edits as edits from sessions where ${isThis}${lock}`,
  );
  if (!version) return true;
  const { messages, edits } = version;
  const bytes = await sumMessages(db, workspaceId, sessionId);
  const measured = await db.run(sql`
    update sessions set measured_messages = message_count, measured_edits = message_edits, message_bytes = ${bytes}
    where ${isThis} and message_count = ${messages} and message_edits = ${edits}`);
  return measured > 0;
}

async function sumMessages(db: Queryable, workspaceId: string, sessionId: string): Promise<number> {
  let sum = 0;
  let lastId: string | undefined;
  for (;;) {
    const after: Sql = lastId === undefined ? nothing : sql`and id > ${lastId}`;
    const page: { id: string; bytes: number }[] = await db.query(sql<{ id: string; bytes: number }>`
      select id, octet_length(content) + octet_length(meta) as bytes from messages
      where workspace_id = ${workspaceId} and session_id = ${sessionId} ${after} order by id limit ${MESSAGES_AT_ONCE}`);
    for (const { bytes } of page) sum += bytes;
    if (page.length < MESSAGES_AT_ONCE) return sum;
    lastId = page.at(-1)?.id;
  }
}
