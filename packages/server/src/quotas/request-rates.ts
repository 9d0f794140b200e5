/**
 * Requests a minute of each workspace, of all its callers: a bucket that fills up evenly, on each node. Nodes tell each other every two
 * seconds how many they have let through, and take what the others did from their own buckets: no clocks are compared.
 */
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { RateLimiter, type Verdict } from '../http/rate-limit.ts';
import { type RequestTotal, readRequestTotals, writeRequestTotals } from './store.ts';

const SHARED_EVERY_MS = 2_000;
/** Who sent nothing for so long has a full bucket again, whatever was owed. */
const FORGOTTEN_AFTER_MS = 120_000;

interface Followed {
  limit: number;
  /** Let through by this node since it began to follow the workspace. */
  total: number;
  lastMs: number;
  /** As of the last exchange: what this node told, and what it heard of the others. Undefined before the first. */
  told: number;
  heard: Map<string, number> | undefined;
}

export class RequestRates {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #nodeId = newId();
  /** By the limit: workspaces with the same one share a limiter, not a bucket. */
  readonly #limiters = new Map<number, RateLimiter>();
  readonly #followed = new Map<string, Followed>();
  #timer: NodeJS.Timeout | undefined;
  #sharing: Promise<void> = Promise.resolve();

  constructor(db: Database, clock: Clock, log: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
  }

  take(workspaceId: string, limit: number): Verdict {
    const nowMs = this.#clock.monotonicMs();
    const verdict = this.#limiterOf(limit).take(workspaceId, nowMs);
    // Of the embedded engine there is one node.
    if (this.#db.engine === 'sqlite') return verdict;
    const followed = this.#follow(workspaceId, limit);
    followed.lastMs = nowMs;
    if (verdict.allowed) followed.total++;
    return verdict;
  }

  /** How many workspaces the nodes tell each other of. */
  get followed(): number {
    return this.#followed.size;
  }

  /** How many of its bucket are spent now; more than the limit where several nodes let through more. */
  spent(workspaceId: string, limit: number): number {
    return this.#limiterOf(limit).spent(workspaceId, this.#clock.monotonicMs());
  }

  /** Tells the other nodes what this one let through, and hears of them. */
  share(): Promise<void> {
    this.#sharing = this.#sharing
      .then(() => this.#exchange())
      .catch((error) => this.#log.warn({ err: error }, 'nodes could not tell each other of requests'));
    return this.#sharing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sharing;
  }

  async #exchange(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    for (const [workspaceId, { lastMs }] of this.#followed) if (nowMs - lastMs > FORGOTTEN_AFTER_MS) this.#followed.delete(workspaceId);
    const followed = [...this.#followed];
    if (followed.length === 0) return;
    const changed = followed.filter(([, { total, told }]) => total !== told);
    const totals = changed.map(([workspaceId, { total }]) => ({ workspaceId, nodeId: this.#nodeId, total }));
    await writeRequestTotals(this.#db, totals, this.#clock.nowMs());
    for (const [index, [, of]] of changed.entries()) of.told = (totals[index] as RequestTotal).total;
    const workspaceIds = followed.map(([workspaceId]) => workspaceId);
    const others = Map.groupBy(await readRequestTotals(this.#db, workspaceIds, this.#nodeId), ({ workspaceId }) => workspaceId);
    for (const [workspaceId, of] of followed) this.#hear(workspaceId, of, others.get(workspaceId) ?? []);
  }

  /** What was there before the first exchange may be of any time, and says nothing. */
  #hear(workspaceId: string, of: Followed, totals: readonly RequestTotal[]): void {
    const { heard } = of;
    of.heard = new Map(totals.map(({ nodeId, total }) => [nodeId, total]));
    if (!heard) return;
    let letThrough = 0;
    for (const { nodeId, total } of totals) {
      const before = heard.get(nodeId) ?? 0;
      // Less than before: that node had forgotten the workspace, and began again.
      letThrough += total >= before ? total - before : total;
    }
    if (letThrough > 0) this.#limiterOf(of.limit).spend(workspaceId, this.#clock.monotonicMs(), letThrough);
  }

  #follow(workspaceId: string, limit: number): Followed {
    this.#timer ??= setInterval(() => void this.share(), SHARED_EVERY_MS).unref();
    const found = this.#followed.get(workspaceId);
    if (found) {
      found.limit = limit;
      return found;
    }
    const followed: Followed = { limit, total: 0, lastMs: 0, told: 0, heard: undefined };
    this.#followed.set(workspaceId, followed);
    return followed;
  }

  #limiterOf(limit: number): RateLimiter {
    const found = this.#limiters.get(limit);
    if (found) return found;
    const limiter = new RateLimiter({ perSecond: limit / 60, burst: limit });
    this.#limiters.set(limit, limiter);
    return limiter;
  }
}
