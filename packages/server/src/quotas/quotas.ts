/** What each workspace may store and ask: the service's limits, or its own, which every node hears of at once. Costs nothing where there are none. */
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { EVERYTHING } from '../db/listeners.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { RecentCounts } from './recent-counts.ts';
import { RequestRates } from './request-rates.ts';
import {
  type Amounts,
  limitsFrom,
  limitsStored,
  noLimits,
  type OwnLimits,
  type Quota,
  QuotaExceeded,
  type QuotaLimits,
  quotas,
  tooManyRequests,
} from './rules.ts';
import { findOwnLimits, loadOwnLimits, QUOTAS_TOPIC } from './store.ts';
import { type CountStored, StoredCounts } from './stored-counts.ts';
import type { Reservation } from './workspace-counts.ts';

const RELOADED_AFTER_MS = 5_000;

export interface QuotaOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly defaults: QuotaLimits;
  /** Of a workspace, what there is of what a limit is set for. With `measures`, what was never measured is, in the background. */
  readonly countStored: (workspaceId: string, limits: QuotaLimits, measures: boolean) => ReturnType<CountStored>;
}

export class Quotas {
  readonly requests: RequestRates;
  readonly #options: QuotaOptions;
  readonly #counts: StoredCounts;
  /** For `usage`, whether or not there are limits. */
  readonly #recent: RecentCounts;
  readonly #hasDefaults: boolean;
  readonly #refused = new Map<Quota, number>();
  /** Of the workspaces that have some, all of them: so no request has to ask. */
  #own = new Map<string, OwnLimits>();
  #reading: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;

  constructor(options: QuotaOptions) {
    const { db, clock, log, defaults, countStored } = options;
    this.#options = options;
    this.#hasDefaults = quotas.some((quota) => defaults[quota] !== undefined);
    this.requests = new RequestRates(db, clock, log);
    this.#counts = new StoredCounts(
      clock,
      (workspaceId) => countStored(workspaceId, this.limitsOf(workspaceId), true),
      (error, workspaceId) => log.warn({ err: error, workspaceId }, 'a workspace could not be counted; its last count holds'),
    );
    this.#recent = new RecentCounts(clock, (workspaceId) => {
      const { bytes } = this.limitsOf(workspaceId);
      return countStored(workspaceId, { ...noLimits, messages: 0, bytes: 0 }, bytes !== undefined);
    });
    db.listen(QUOTAS_TOPIC, (payload) => void this.#read(payload));
  }

  /** Before the first request. */
  async load(): Promise<void> {
    const loading = this.#reading.then(() => this.#readAll());
    this.#reading = loading.catch(() => undefined);
    await loading;
  }

  limitsOf(workspaceId: string): QuotaLimits {
    return limitsFrom(this.#options.defaults, this.#own.get(workspaceId));
  }

  /** Throws where the workspace has had its requests of the minute. */
  chargeRequest(workspaceId: string, request: { rateLimit: RateLimit | undefined }): void {
    if (!this.#hasLimits(workspaceId)) return;
    const { requestsPerMinute: limit } = this.limitsOf(workspaceId);
    if (limit === undefined) return;
    const verdict = this.requests.take(workspaceId, limit);
    if (verdict.allowed) return;
    this.#countRefused('requestsPerMinute');
    request.rateLimit = { limit, remaining: 0, resetSeconds: verdict.resetSeconds };
    throw tooManyRequests(limit, verdict.retryAfterSeconds);
  }

  limitsStored(workspaceId: string): boolean {
    return this.#hasLimits(workspaceId) && limitsStored(this.limitsOf(workspaceId));
  }

  /** Room for what a request is about to store; throws where there is none. */
  async reserve(workspaceId: string, asked: Amounts): Promise<Reservation> {
    try {
      return await this.#counts.reserve(workspaceId, this.limitsOf(workspaceId), asked);
    } catch (error) {
      if (error instanceof QuotaExceeded) this.#countRefused(error.quota);
      throw error;
    }
  }

  noteFreed(workspaceId: string): void {
    this.#counts.noteFreed(workspaceId);
  }

  /** As of some seconds ago, whether or not it is limited. Of requests, what is spent of the limit. */
  async usage(workspaceId: string): Promise<{ limits: QuotaLimits; messages: number; bytes: number; requests: number }> {
    const limits = this.limitsOf(workspaceId);
    const { messages, bytes } = await this.#recent.find(workspaceId);
    const { requestsPerMinute: limit } = limits;
    return { limits, messages, bytes, requests: limit === undefined ? 0 : this.requests.spent(workspaceId, limit) };
  }

  /** By quota, since the start of this process. */
  refused(): Record<string, number> {
    return Object.fromEntries(this.#refused);
  }

  /** Resolves when what was heard of until now is in force. */
  async settled(): Promise<void> {
    await this.#reading;
  }

  async close(): Promise<void> {
    clearTimeout(this.#retry);
    await this.requests.close();
    await this.settled();
  }

  #hasLimits(workspaceId: string): boolean {
    return this.#hasDefaults || this.#own.has(workspaceId);
  }

  #countRefused(quota: Quota): void {
    this.#refused.set(quota, (this.#refused.get(quota) ?? 0) + 1);
  }

  /** One after the other, so that what was read last is what was written last. */
  #read(payload: string): Promise<void> {
    this.#reading = this.#reading.then(async () => {
      try {
        if (payload === EVERYTHING) await this.#readAll();
        else await this.#readOne(payload);
      } catch (error) {
        this.#options.log.warn({ err: error }, 'the limits of workspaces could not be read; trying again');
        clearTimeout(this.#retry);
        this.#retry = setTimeout(() => void this.#read(EVERYTHING), RELOADED_AFTER_MS).unref();
      }
    });
    return this.#reading;
  }

  /** Also each time that the node has joined the others anew: counts stay, where the limits are what they were. */
  async #readAll(): Promise<void> {
    const [before, now] = [this.#own, await loadOwnLimits(this.#options.db)];
    this.#own = now;
    for (const id of new Set([...before.keys(), ...now.keys()])) if (!isSame(before.get(id), now.get(id))) this.#counts.forget(id);
  }

  async #readOne(workspaceId: string): Promise<void> {
    const [before, found] = [this.#own.get(workspaceId), await findOwnLimits(this.#options.db, workspaceId)];
    if (found) this.#own.set(workspaceId, found);
    else this.#own.delete(workspaceId);
    if (!isSame(before, found)) this.#counts.forget(workspaceId);
  }
}

function isSame(one: OwnLimits | undefined, other: OwnLimits | undefined): boolean {
  return quotas.every((quota) => (one?.[quota] ?? null) === (other?.[quota] ?? null));
}
