/** Rate limits: a bucket of tokens for each key or address, kept in this process. */

export interface Verdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly resetSeconds: number;
  /** Until the next request may come; 0 when allowed. */
  readonly retryAfterSeconds: number;
}

const MOST_BUCKETS = 50_000;

/**
 * The generic cell rate algorithm: one number for each bucket, the time at which it will be full again.
 * Refilled smoothly, so that nobody gains by waiting for the turn of a window.
 */
export class RateLimiter {
  readonly #perTokenMs: number;
  readonly #burst: number;
  readonly #fullAt = new Map<string, number>();

  constructor(options: { perSecond: number; burst: number }) {
    this.#perTokenMs = 1000 / options.perSecond;
    this.#burst = options.burst;
  }

  take(bucket: string, nowMs: number): Verdict {
    const fullAtMs = Math.max(this.#fullAt.get(bucket) ?? 0, nowMs) + this.#perTokenMs;
    const spent = (fullAtMs - nowMs) / this.#perTokenMs;
    const allowed = spent <= this.#burst + 1e-9;
    if (allowed) this.#keep(bucket, fullAtMs, nowMs);
    const owedMs = allowed ? fullAtMs - nowMs : fullAtMs - this.#perTokenMs - nowMs;
    return {
      allowed,
      limit: this.#burst,
      remaining: allowed ? Math.floor(this.#burst - spent + 1e-9) : 0,
      resetSeconds: Math.ceil(owedMs / 1000),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(((spent - this.#burst) * this.#perTokenMs) / 1000)),
    };
  }

  /** For a token that was taken ahead and not used. */
  giveBack(bucket: string): void {
    const fullAtMs = this.#fullAt.get(bucket);
    if (fullAtMs !== undefined) this.#fullAt.set(bucket, fullAtMs - this.#perTokenMs);
  }

  /** Whether a token is left, without taking it. */
  peek(bucket: string, nowMs: number): boolean {
    return (Math.max(this.#fullAt.get(bucket) ?? 0, nowMs) + this.#perTokenMs - nowMs) / this.#perTokenMs <= this.#burst + 1e-9;
  }

  #keep(bucket: string, fullAtMs: number, nowMs: number): void {
    // Taken out and put in again, so that the map stays in the order of last use.
    this.#fullAt.delete(bucket);
    if (this.#fullAt.size >= MOST_BUCKETS) {
      for (const [other, otherFullAtMs] of this.#fullAt) if (otherFullAtMs <= nowMs) this.#fullAt.delete(other);
      if (this.#fullAt.size >= MOST_BUCKETS) this.#fullAt.delete(this.#fullAt.keys().next().value as string);
    }
    this.#fullAt.set(bucket, fullAtMs);
  }
}
