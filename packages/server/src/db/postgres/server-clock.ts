/**
 * The time of the database's server, which all nodes share: measured now and then, and carried on by this process's
 * monotonic clock in between. What the machine's own clock says, or is set to, plays no part.
 */
import type pg from 'pg';
import type { Clock } from '../../clock.ts';

/** The server's time, asked for between two times of the monotonic clock. */
export interface TimeSample {
  readonly sentMs: number;
  readonly serverMs: number;
  readonly receivedMs: number;
}

const SAMPLES = 5;
/** A correction backwards of less than this is waited out; a greater one is another clock, and taken over at once. */
const HELD_MS = 1_000;

/** An expression for the server's time in milliseconds, at the moment it is computed. */
export const SERVER_MS = 'extract(epoch from clock_timestamp())::float8 * 1000';

export class ServerClock implements Clock {
  readonly #monotonicMs: () => number;
  /** How far the server's time is ahead of the monotonic clock; the machine's word for it until the first measurement. */
  #aheadMs: number;
  #isMeasured = false;
  #latestMs = 0;

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
    this.#aheadMs = Date.now() - monotonicMs();
  }

  nowMs(): number {
    const ms = Math.floor(this.#monotonicMs() + this.#aheadMs);
    if (ms < this.#latestMs && this.#latestMs - ms < HELD_MS) return this.#latestMs;
    this.#latestMs = ms;
    return ms;
  }

  monotonicMs(): number {
    return this.#monotonicMs();
  }

  /**
   * When the server answered lies between sending and receiving, so a sample leaves a span for the offset, as wide as the
   * round trip. The first is taken at its middle; later ones correct the offset only as far as it lies outside of the span.
   */
  note({ sentMs, serverMs, receivedMs }: TimeSample): void {
    const least = serverMs - receivedMs;
    const most = serverMs - sentMs;
    this.#aheadMs = this.#isMeasured ? Math.min(Math.max(this.#aheadMs, least), most) : (least + most) / 2;
    this.#isMeasured = true;
  }

  /** Asks a few times, and trusts the quickest answer most. */
  async measure(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
    const samples: TimeSample[] = [];
    for (let count = 0; count < SAMPLES; count++) {
      const sentMs = this.#monotonicMs();
      const { rows } = await client.query(`select ${SERVER_MS} as ms`);
      samples.push({ sentMs, serverMs: rows[0].ms, receivedMs: this.#monotonicMs() });
    }
    samples.sort((a, b) => a.receivedMs - a.sentMs - (b.receivedMs - b.sentMs));
    for (const sample of samples) this.note(sample);
  }
}
