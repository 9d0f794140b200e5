import type { Clock } from '../clock.ts';
import { AppError } from '../errors.ts';
import { RateLimiter } from '../http/rate-limit.ts';

export interface Attempt {
  readonly email: string;
  /** The bucket of the caller's address. */
  readonly address: string;
  /** What guesses at this account are counted by, beside the account itself: the address, or the session of who is signed in. */
  readonly place: string;
  /** Whether the account was signed in to from there before. Asked only where it matters. */
  readonly isKnownPlace: () => Promise<boolean>;
}

/**
 * Slows down whoever tries passwords or makes accounts by the dozen. Failures count, not successes, so that nobody who
 * knows the password is kept out by their own use; nor by somebody else's guesses from elsewhere, where they signed in before.
 * An account that is not there is limited like any other.
 */
export class SignInThrottle {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #failuresByPlace = new RateLimiter({ perSecond: 1 / 30, burst: 10 });
  readonly #failuresByAddress = new RateLimiter({ perSecond: 1 / 3, burst: 60 });
  /** Of one account from all unknown places together: many machines guess no faster than a few. */
  readonly #failuresByAccount = new RateLimiter({ perSecond: 1 / 60, burst: 100 });
  readonly #accountsByAddress = new RateLimiter({ perSecond: 1, burst: 200 });

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Undefined is a failure. An attempt counts as one from its start, so that no more guesses are tried at once than one by one. */
  async attempt<T>(attempt: Attempt, tried: () => Promise<T | undefined>): Promise<T | undefined> {
    const giveBack = await this.#take(attempt);
    let failed = false;
    try {
      const result = await tried();
      failed = result === undefined;
      return result;
    } finally {
      if (!failed) giveBack();
    }
  }

  async #take({ email, address, place, isKnownPlace }: Attempt): Promise<() => void> {
    const taken: (() => void)[] = [];
    const giveBack = () => {
      for (const undo of taken) undo();
    };
    const take = (limiter: RateLimiter, bucket: string) => {
      const { allowed } = limiter.take(bucket, this.#clock.monotonicMs());
      if (allowed) taken.push(() => limiter.giveBack(bucket));
      return allowed;
    };
    const allowed =
      take(this.#failuresByPlace, `${email} ${place}`) &&
      take(this.#failuresByAddress, address) &&
      (take(this.#failuresByAccount, email) || (await isKnownPlace()));
    if (allowed) return giveBack;
    giveBack();
    throw new AppError('too_many_requests', 'Too many failed attempts. Try again later.', { retryAfterSeconds: 30 });
  }

  requireMayRegister(address: string): void {
    const verdict = this.#accountsByAddress.take(address, this.#clock.monotonicMs());
    if (!verdict.allowed) {
      throw new AppError('too_many_requests', 'Too many accounts from this address. Try again later.', {
        retryAfterSeconds: verdict.retryAfterSeconds,
      });
    }
  }
}
