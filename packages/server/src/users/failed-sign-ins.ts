/** Wrong passwords in the audit log of an account: the first at once, those of the next minutes together as one entry. */
import type { User } from '@commonplace/contract/users';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { type Origin, recordFailedSignIns } from './store.ts';

const TOGETHER_MS = 10 * 60 * 1000;
const LOOK_EVERY_MS = 60 * 1000;
const MOST_ACCOUNTS = 10_000;

interface Window {
  readonly user: User;
  readonly endsMs: number;
  /** Since the last entry, and where the last of them came from. */
  attempts: number;
  origin: Origin;
}

export class FailedSignIns {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #windows = new Map<string, Window>();
  readonly #looking: NodeJS.Timeout;
  #writing: Promise<void> = Promise.resolve();

  constructor(db: Database, clock: Clock, log: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#looking = setInterval(() => this.#endWindows(), LOOK_EVERY_MS).unref();
  }

  /** Takes no time that could tell an account that is there from one that is not. What waits is lost with the process. */
  note(user: User, origin: Origin): void {
    const open = this.#windows.get(user.id);
    if (open && open.endsMs > this.#clock.monotonicMs()) {
      open.attempts++;
      open.origin = origin;
      return;
    }
    const [oldest] = this.#windows.values();
    if (!open && oldest && this.#windows.size >= MOST_ACCOUNTS) this.#end(oldest);
    this.#write(user, origin, (open?.attempts ?? 0) + 1);
    this.#open(user, origin);
  }

  /** Writes what waits. */
  async flush(): Promise<void> {
    for (const window of this.#windows.values()) this.#end(window);
    await this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await this.flush();
  }

  #open(user: User, origin: Origin): void {
    // Taken out and put in again, so that the map stays in the order of age.
    this.#windows.delete(user.id);
    this.#windows.set(user.id, { user, origin, attempts: 0, endsMs: this.#clock.monotonicMs() + TOGETHER_MS });
  }

  #endWindows(): void {
    for (const window of this.#windows.values()) {
      if (window.endsMs > this.#clock.monotonicMs()) return;
      const { user, origin, attempts } = window;
      this.#end(window);
      // Whoever goes on trying is met with one entry for each window.
      if (attempts > 0) this.#open(user, origin);
    }
  }

  #end({ user, origin, attempts }: Window): void {
    this.#windows.delete(user.id);
    if (attempts > 0) this.#write(user, origin, attempts);
  }

  #write(user: User, origin: Origin, attempts: number): void {
    const nowMs = this.#clock.nowMs();
    this.#writing = this.#writing.then(async () => {
      try {
        await recordFailedSignIns(this.#db, user, origin, attempts, nowMs);
      } catch (error) {
        this.#log.warn({ err: error, userId: user.id, attempts }, 'failed sign-ins were not written to the audit log');
      }
    });
  }
}
