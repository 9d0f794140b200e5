/** The time by which points in time expire: a clock that has jumped ahead must not delete the history of a target. */
import { findNewestMs } from './inventory.ts';
import type { BackupEvent } from './protocol.ts';
import type { Target } from './target.ts';

export class PlausibleClock {
  readonly #toleratedMs: number;
  readonly #note: (event: BackupEvent) => void;
  /** The newest time that the target held, and when that was looked at by a clock that only goes on. */
  #newest: { readonly atMs: number; readonly seenMs: number } | undefined;
  #isDoubted = false;

  constructor(toleratedMs: number, note: (event: BackupEvent) => void) {
    this.#toleratedMs = toleratedMs;
    this.#note = note;
  }

  /** Once, before this process has written to the target. */
  async lookAt(target: Target): Promise<void> {
    this.#newest ??= { atMs: (await findNewestMs(target)) ?? Date.now(), seenMs: performance.now() };
  }

  /** The time of the clock, or that of the target and what has passed since, where the clock is too far ahead of it. */
  nowMs(): number {
    const clockMs = Date.now();
    if (!this.#newest) return clockMs;
    const expectedMs = this.#newest.atMs + performance.now() - this.#newest.seenMs;
    if (clockMs - expectedMs <= this.#toleratedMs) return clockMs;
    if (!this.#isDoubted) {
      const fields = { clock: new Date(clockMs).toISOString(), expected: new Date(expectedMs).toISOString() };
      const message = 'The clock is ahead of what the backup holds by more than a snapshot interval; old points are kept for longer';
      this.#note({ level: 'warn', message, fields });
    }
    this.#isDoubted = true;
    return expectedMs;
  }
}
