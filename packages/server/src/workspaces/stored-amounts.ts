/** What a workspace stores of what callers wrote: messages, documents, and the bytes of all of it. What is made from it does not count. */
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import type { Counts, QuotaLimits } from '../quotas/rules.ts';
import { isUnmeasured, measureSessions, ofLivingAgents } from './session-sizes.ts';

/** What the texts of a table take, beside those of messages, which each session adds up for itself. */
const countedTexts: readonly (readonly [table: string, columns: readonly string[], condition?: string])[] = [
  ['agents', ['name', 'description', 'configs', 'kb_labels']],
  ['memories', ['content', 'meta'], "and source = 'written'"],
  ['memory_events', ['content']],
  ['prompts', ['name', 'description']],
  ['prompt_versions', ['content', 'config', 'labels', 'meta', 'commit_message']],
  ['documents', ['title', 'labels', 'filename']],
];

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
  async count(
    workspaceId: string,
    limits: Pick<QuotaLimits, 'messages' | 'documents' | 'bytes'>,
    /** Whether sessions that were never measured are, in the background. */
    measures: boolean,
  ): Promise<Counts> {
    const countsBytes = limits.bytes !== undefined;
    const zero = sql`0`;
    const messages = sql`(select coalesce(sum(s.message_count), 0) ${ofLivingAgents(workspaceId)})`;
    const documents = sql`(select count(*) from documents where workspace_id = ${workspaceId})`;
    const unmeasured = sql`(select count(*) ${ofLivingAgents(workspaceId)} and ${isUnmeasured})`;
    const [row] = await this.#db.query(sql<Counts & { unmeasured: number }>`
      select ${limits.messages === undefined ? zero : messages} as messages,
        ${limits.documents === undefined ? zero : documents} as documents,
        ${countsBytes ? bytesOf(workspaceId) : zero} as bytes,
        ${countsBytes && measures ? unmeasured : zero} as unmeasured`);
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
    const measuring = measureSessions(this.#db, this.#log, workspaceId, this.#closing.signal)
      .catch((error) => this.#log.warn({ err: error, workspaceId }, 'the sizes of some sessions could not be measured'))
      .finally(() => this.#measuring.delete(workspaceId));
    this.#measuring.set(workspaceId, measuring);
  }
}

function bytesOf(workspaceId: string): Sql {
  const texts = countedTexts.map(([table, columns, condition = '']) => {
    const sum = columns.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ');
    return sql`(select coalesce(sum(${raw(sum)}), 0) from ${raw(table)} where workspace_id = ${workspaceId} ${raw(condition)})`;
  });
  const files = sql`(select coalesce(sum(size_bytes), 0) from documents where workspace_id = ${workspaceId})`;
  // Below zero where an earlier version wrote what a later one deleted, until it is measured.
  const sessions = sql`(select coalesce(sum(case when s.message_bytes > 0 then s.message_bytes else 0 end + octet_length(s.external_id) + octet_length(s.title)
    + octet_length(s.labels) + octet_length(s.meta)), 0) ${ofLivingAgents(workspaceId)})`;
  return [files, ...texts].reduce((all, part) => sql`${all} + ${part}`, sessions);
}
