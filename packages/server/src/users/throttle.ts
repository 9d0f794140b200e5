import { AppError } from '../errors.ts';
import { RateLimiter } from '../http/rate-limit.ts';

/**
 * Slows down whoever tries passwords or makes accounts by the dozen, by account and by address. Failures count, not
 * successes, so that nobody who knows the password is kept out by their own use.
 */
export class SignInThrottle {
  readonly #failuresByAccount = new RateLimiter({ perSecond: 1 / 30, burst: 10 });
  readonly #failuresByAddress = new RateLimiter({ perSecond: 1 / 3, burst: 60 });
  readonly #accountsByAddress = new RateLimiter({ perSecond: 1, burst: 200 });

  /** Undefined is a failure. An attempt counts as one from its start, so that no more guesses are tried at once than one by one. */
  async attempt<T>(email: string, address: string, nowMs: number, tried: () => Promise<T | undefined>): Promise<T | undefined> {
    if (!this.#failuresByAccount.peek(email, nowMs) || !this.#failuresByAddress.peek(address, nowMs)) {
      throw new AppError('too_many_requests', 'Too many failed attempts. Try again later.', { retryAfterSeconds: 30 });
    }
    this.#failuresByAccount.take(email, nowMs);
    this.#failuresByAddress.take(address, nowMs);
    let failed = false;
    try {
      const result = await tried();
      failed = result === undefined;
      return result;
    } finally {
      if (!failed) {
        this.#failuresByAccount.giveBack(email);
        this.#failuresByAddress.giveBack(address);
      }
    }
  }

  requireMayRegister(address: string, nowMs: number): void {
    const verdict = this.#accountsByAddress.take(address, nowMs);
    if (!verdict.allowed) {
      throw new AppError('too_many_requests', 'Too many accounts from this address. Try again later.', {
        retryAfterSeconds: verdict.retryAfterSeconds,
      });
    }
  }
}
