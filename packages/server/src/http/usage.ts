/** Counts calls for each workspace and month, in memory first: a request never waits for its own counting. */
import type { Logger } from 'pino';
import { type Clock, timestamp } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { list, sql } from '../db/sql.ts';

const FLUSH_EVERY_MS = 5_000;
const MOST_IN_ONE_WRITE = 500;

export class UsageCounter {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #flushing: NodeJS.Timeout;
  #counts = new Map<string, number>();

  constructor(db: Database, clock: Clock, log: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#flushing = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  count(workspaceId: string): void {
    this.#counts.set(workspaceId, (this.#counts.get(workspaceId) ?? 0) + 1);
  }

  /** Counted here and not yet written. */
  pending(workspaceId: string): number {
    return this.#counts.get(workspaceId) ?? 0;
  }

  month(): string {
    return timestamp(this.#clock.nowMs()).slice(0, 7);
  }

  async flush(): Promise<void> {
    if (this.#counts.size === 0) return;
    // In one order everywhere, so that two nodes never wait for each other.
    const counts = [...this.#counts].sort();
    this.#counts = new Map();
    const month = this.month();
    try {
      for (let start = 0; start < counts.length; start += MOST_IN_ONE_WRITE) {
        const some = counts.slice(start, start + MOST_IN_ONE_WRITE);
        // A workspace that was deleted meanwhile is counted no more.
        const found = await this.#db.query(sql<{ id: string }>`select id from workspaces where id in ${list(some.map(([id]) => id))}`);
        const there = new Set(found.map(({ id }) => id));
        const counted = some.filter(([id]) => there.has(id));
        if (counted.length === 0) continue;
        await this.#db.batch(
          counted.map(
            ([workspaceId, calls]) => sql`
              insert into usage_counters (workspace_id, month, calls) values (${workspaceId}, ${month}, ${calls})
              on conflict (workspace_id, month) do update set calls = usage_counters.calls + excluded.calls`,
          ),
        );
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'some calls were not counted');
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#flushing);
    await this.flush();
  }
}
