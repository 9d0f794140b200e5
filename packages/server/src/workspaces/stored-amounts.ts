/** What a workspace stores of what callers wrote: messages, documents, and the bytes of all of it. What is made from it does not count. */
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { forUpdate, list, raw, type Sql, sql } from '../db/sql.ts';
import type { Counts, QuotaLimits } from '../quotas/rules.ts';

const SESSIONS_AT_ONCE = 50;

/** Sessions of an agent that is gone are gone with it; their rows follow in the background. */
function sessionsOf(workspaceId: string): Sql {
  return sql`from sessions s join agents a on a.workspace_id = s.workspace_id and a.id = s.agent_id where s.workspace_id = ${workspaceId}`;
}

/** What the texts of a table take, beside those of messages, which each session adds up for itself. */
const countedTexts: readonly (readonly [table: string, columns: readonly string[], condition?: string])[] = [
  ['agents', ['name', 'description', 'configs', 'kb_labels']],
  ['memories', ['content', 'meta'], "and source = 'written'"],
  ['memory_events', ['content']],
  ['prompts', ['name', 'description']],
  ['prompt_versions', ['content', 'config', 'labels', 'meta', 'commit_message']],
  ['documents', ['title', 'labels', 'filename']],
];

const isUnmeasured = sql`s.measured_messages is distinct from s.message_count`;

export class StoredAmounts {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #measuring = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(db: Database, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** Of what has a limit, and zero of the rest. Reads a row for each session, and none of the messages. */
  async count(workspaceId: string, limits: Pick<QuotaLimits, 'messages' | 'documents' | 'bytes'>): Promise<Counts> {
    const countsBytes = limits.bytes !== undefined;
    const zero = sql`0`;
    const messages = sql`(select coalesce(sum(s.message_count), 0) ${sessionsOf(workspaceId)})`;
    const documents = sql`(select count(*) from documents where workspace_id = ${workspaceId})`;
    const unmeasured = sql`(select count(*) ${sessionsOf(workspaceId)} and ${isUnmeasured})`;
    const [row] = await this.#db.query(sql<Counts & { unmeasured: number }>`
      select ${limits.messages === undefined ? zero : messages} as messages,
        ${limits.documents === undefined ? zero : documents} as documents,
        ${countsBytes ? bytesOf(workspaceId) : zero} as bytes,
        ${countsBytes ? unmeasured : zero} as unmeasured`);
    const { unmeasured: left, ...counts } = row as Counts & { unmeasured: number };
    if (left > 0) this.#measureLater(workspaceId);
    return counts;
  }

  /** Resolves when what is being measured now is measured. */
  async settled(): Promise<void> {
    await Promise.all(this.#measuring.values());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.settled();
  }

  /** Until it is done, messages of sessions that are not measured do not count as bytes. */
  #measureLater(workspaceId: string): void {
    if (this.#measuring.has(workspaceId) || this.#closing.signal.aborted) return;
    const measuring = this.#measure(workspaceId)
      .catch((error) => this.#log.warn({ err: error, workspaceId }, 'the sizes of some sessions could not be measured'))
      .finally(() => this.#measuring.delete(workspaceId));
    this.#measuring.set(workspaceId, measuring);
  }

  async #measure(workspaceId: string): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const some = await this.#db.query(sql<{ id: string }>`
        select s.id ${sessionsOf(workspaceId)} and ${isUnmeasured} order by s.id limit ${SESSIONS_AT_ONCE}`);
      if (some.length === 0) return;
      const ids = list(some.map(({ id }) => id));
      await this.#db.transaction(async (tx) => {
        // Held first: what is written meanwhile would be in neither sum.
        await tx.query(sql`select id from sessions where workspace_id = ${workspaceId} and id in ${ids} order by id${forUpdate}`);
        await tx.run(sql`
          update sessions set measured_messages = message_count, message_bytes = (
            select coalesce(sum(octet_length(m.content) + octet_length(m.meta)), 0) from messages m
            where m.workspace_id = ${workspaceId} and m.session_id = sessions.id)
          where workspace_id = ${workspaceId} and id in ${ids}`);
      });
    }
  }
}

function bytesOf(workspaceId: string): Sql {
  const texts = countedTexts.map(([table, columns, condition = '']) => {
    const sum = columns.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ');
    return sql`(select coalesce(sum(${raw(sum)}), 0) from ${raw(table)} where workspace_id = ${workspaceId} ${raw(condition)})`;
  });
  const files = sql`(select coalesce(sum(size_bytes), 0) from documents where workspace_id = ${workspaceId})`;
  const sessions = sql`(select coalesce(sum(coalesce(s.message_bytes, 0) + octet_length(s.external_id) + octet_length(s.title)
    + octet_length(s.labels) + octet_length(s.meta)), 0) ${sessionsOf(workspaceId)})`;
  return [files, ...texts].reduce((all, part) => sql`${all} + ${part}`, sessions);
}
