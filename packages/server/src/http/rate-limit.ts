/** Rate limits: a bucket of tokens for each caller or address, kept in this process. Times are those of a clock that never goes back. */

/** What a caller may know of its limit. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly resetSeconds: number;
}

export interface Verdict extends RateLimit {
  readonly allowed: boolean;
  /** Until the next request may come; 0 when allowed. */
  readonly retryAfterSeconds: number;
}

const MOST_BUCKETS = 50_000;
/** With fewer, none is dropped soon, and their order does not matter. */
const ORDERED_FROM = MOST_BUCKETS / 2;
/** In tokens and in seconds: what binary fractions lose on the way must not cost a caller anything. */
const ROUNDING_TOKENS = 1e-3;
const ROUNDING_SECONDS = 1e-6;

/**
 * The generic cell rate algorithm: one number for each bucket, the time at which it will be full again.
 * Refilled smoothly, so that nobody gains by waiting for the turn of a window.
 */
export class RateLimiter {
  readonly #perTokenMs: number;
  readonly #burst: number;
  /** Times are counted from the first request on: a number of this century has no room for small fractions of a millisecond. */
  #startMs: number | undefined;
  readonly #fullAt = new Map<string, number>();

  constructor(options: { perSecond: number; burst: number }) {
    this.#perTokenMs = 1000 / options.perSecond;
    this.#burst = options.burst;
  }

  /** A request that costs more than the bucket holds takes all of it. */
  take(bucket: string, clockMs: number, cost = 1): Verdict {
    const nowMs = this.#sinceStart(clockMs);
    const costMs = Math.min(cost, this.#burst) * this.#perTokenMs;
    const fullAtMs = this.#isFullAt(bucket, nowMs) + costMs;
    const spent = (fullAtMs - nowMs) / this.#perTokenMs;
    const allowed = spent <= this.#burst + ROUNDING_TOKENS;
    if (allowed) this.#keep(bucket, fullAtMs, nowMs);
    const owedMs = allowed ? fullAtMs - nowMs : fullAtMs - costMs - nowMs;
    return {
      allowed,
      limit: this.#burst,
      remaining: allowed ? Math.max(0, Math.floor(this.#burst - spent + ROUNDING_TOKENS)) : 0,
      resetSeconds: wholeSeconds(owedMs),
      retryAfterSeconds: allowed ? 0 : Math.max(1, wholeSeconds((spent - this.#burst) * this.#perTokenMs)),
    };
  }

  /** What was let through elsewhere: taken whether or not it is there. What is missing is owed, up to the burst. */
  spend(bucket: string, clockMs: number, cost: number): void {
    const nowMs = this.#sinceStart(clockMs);
    const mostOwedMs = nowMs + 2 * this.#burst * this.#perTokenMs;
    this.#keep(bucket, Math.min(this.#isFullAt(bucket, nowMs) + cost * this.#perTokenMs, mostOwedMs), nowMs);
  }

  /** How many tokens are missing; more than the burst where some are owed. */
  spent(bucket: string, clockMs: number): number {
    const nowMs = this.#sinceStart(clockMs);
    return Math.max(0, Math.ceil((this.#isFullAt(bucket, nowMs) - nowMs) / this.#perTokenMs - ROUNDING_TOKENS));
  }

  /** For a token that was taken ahead and not used. */
  giveBack(bucket: string): void {
    const fullAtMs = this.#fullAt.get(bucket);
    if (fullAtMs !== undefined) this.#fullAt.set(bucket, fullAtMs - this.#perTokenMs);
  }

  /** Whether a token is left, without taking it. */
  peek(bucket: string, clockMs: number): boolean {
    const nowMs = this.#sinceStart(clockMs);
    return (this.#isFullAt(bucket, nowMs) - nowMs) / this.#perTokenMs + 1 <= this.#burst + ROUNDING_TOKENS;
  }

  #sinceStart(clockMs: number): number {
    this.#startMs ??= clockMs;
    return clockMs - this.#startMs;
  }

  #isFullAt(bucket: string, nowMs: number): number {
    return Math.max(this.#fullAt.get(bucket) ?? nowMs, nowMs);
  }

  #keep(bucket: string, fullAtMs: number, nowMs: number): void {
    // Taken out and put in again, so that the map is in the order of last use when it has to be.
    if (this.#fullAt.size >= ORDERED_FROM) this.#fullAt.delete(bucket);
    if (this.#fullAt.size >= MOST_BUCKETS) {
      for (const [other, otherFullAtMs] of this.#fullAt) if (otherFullAtMs <= nowMs) this.#fullAt.delete(other);
      if (this.#fullAt.size >= MOST_BUCKETS) this.#fullAt.delete(this.#fullAt.keys().next().value as string);
    }
    this.#fullAt.set(bucket, fullAtMs);
  }
}

function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1000 - ROUNDING_SECONDS);
}
