/** Work in lanes, so much of each and of all at a time. */
import { LaneQueue } from './lane-queue.ts';

export interface LaneLimits {
  /** Of all lanes together; without a limit where it is left out. */
  readonly inFlight?: number | undefined;
  readonly inFlightOfLane: number;
  /** What may wait in one lane; more is refused. Without a limit where it is left out. */
  readonly waitingOfLane?: number | undefined;
  readonly refusal?: (() => Error) | undefined;
}

/** What there is no place for waits, the lanes in turn. */
export class LaneLimiter {
  readonly #limits: LaneLimits;
  readonly #waiting = new LaneQueue<{ readonly lane: string; readonly enter: () => void }>();
  readonly #inFlightOf = new Map<string, number>();
  #inFlight = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  async run<T>(lane: string, work: () => Promise<T>): Promise<T> {
    if (this.#isOpen(lane)) this.#take(lane);
    else await this.#wait(lane);
    try {
      return await work();
    } finally {
      this.#leave(lane);
    }
  }

  #isOpen(lane: string): boolean {
    const { inFlight = Number.POSITIVE_INFINITY, inFlightOfLane } = this.#limits;
    return this.#inFlight < inFlight && (this.#inFlightOf.get(lane) ?? 0) < inFlightOfLane;
  }

  #take(lane: string): void {
    this.#inFlight++;
    this.#inFlightOf.set(lane, (this.#inFlightOf.get(lane) ?? 0) + 1);
  }

  #wait(lane: string): Promise<void> {
    const { waitingOfLane = Number.POSITIVE_INFINITY, refusal } = this.#limits;
    if (this.#waiting.sizeOf(lane) >= waitingOfLane) throw refusal?.() ?? new Error('Too much waits in this lane');
    return new Promise((enter) => this.#waiting.push(lane, { lane, enter }));
  }

  #leave(lane: string): void {
    this.#inFlight--;
    const left = (this.#inFlightOf.get(lane) ?? 1) - 1;
    if (left === 0) this.#inFlightOf.delete(lane);
    else this.#inFlightOf.set(lane, left);
    const next = this.#waiting.shift((other) => this.#isOpen(other));
    if (!next) return;
    this.#take(next.lane);
    next.enter();
  }
}
