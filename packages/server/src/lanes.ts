/** Workspaces in turn: each has a lane of its own, and nobody waits for all that another has lined up. */

/** The lane of what belongs to no workspace. */
export const SERVICE_LANE = '';

/** Items in lanes; the lanes take turns, the items of a lane keep their order. */
export class LaneQueue<T> {
  /** In the order of their turns; none is empty. */
  readonly #lanes = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(lane: string): number {
    return this.#lanes.get(lane)?.length ?? 0;
  }

  push(lane: string, item: T): void {
    const items = this.#lanes.get(lane);
    if (items) items.push(item);
    else this.#lanes.set(lane, [item]);
    this.#size++;
  }

  /** In front of what its lane has, without a new turn for the lane. */
  putBack(lane: string, item: T): void {
    const items = this.#lanes.get(lane);
    if (items) items.unshift(item);
    else this.#lanes.set(lane, [item]);
    this.#size++;
  }

  /** What `shift` would give. */
  peek(): T | undefined {
    const [items] = this.#lanes.values();
    return items?.[0];
  }

  /** The first of the lane whose turn it is; of those lanes only that are open, where that is asked. */
  shift(isOpen: (lane: string) => boolean = () => true): T | undefined {
    for (const [lane, items] of this.#lanes) {
      if (!isOpen(lane)) continue;
      this.#lanes.delete(lane);
      const item = items.shift();
      if (items.length > 0) this.#lanes.set(lane, items);
      this.#size--;
      return item;
    }
    return undefined;
  }

  drop(isUnwanted: (item: T) => boolean): void {
    for (const [lane, items] of this.#lanes) {
      const kept = items.filter((item) => !isUnwanted(item));
      this.#size -= items.length - kept.length;
      if (kept.length === 0) this.#lanes.delete(lane);
      else this.#lanes.set(lane, kept);
    }
  }
}

export interface LaneLimits {
  /** Of all lanes together; without a limit where it is left out. */
  readonly inFlight?: number | undefined;
  readonly inFlightOfLane: number;
  /** What may wait in one lane; more is refused. Without a limit where it is left out. */
  readonly waitingOfLane?: number | undefined;
  readonly refusal?: (() => Error) | undefined;
}

/** So much work at a time of each lane and of all; the rest waits, the lanes in turn. */
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
