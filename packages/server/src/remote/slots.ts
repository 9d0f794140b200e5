/** A few places, handed to whoever waits: the urgent first, the lanes in turn, in each the order of arrival. */

import { SERVICE_LANE } from '../lanes/current-lane.ts';
import { LaneQueue } from '../lanes/lane-queue.ts';

interface Waiter {
  readonly enter: () => void;
}

export interface SlotOptions {
  readonly urgent?: boolean | undefined;
  /** Those of different lanes take turns. */
  readonly lane?: string | undefined;
}

export class Slots {
  readonly #size: number;
  /** Of the places, for those that are not urgent. */
  readonly #sizeOfOthers: number;
  readonly #maxWaiting: number;
  readonly #refusal: () => Error;
  readonly #urgent = new LaneQueue<Waiter>();
  readonly #others = new LaneQueue<Waiter>();
  #taken = 0;
  #takenByOthers = 0;

  /** `refusal` makes what is thrown where `maxWaiting` wait already. `reserved` places are for the urgent alone. */
  constructor(size: number, maxWaiting: number, refusal: () => Error, reserved = 0) {
    this.#size = size;
    this.#sizeOfOthers = Math.max(1, size - reserved);
    this.#maxWaiting = maxWaiting;
    this.#refusal = refusal;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#urgent.size + this.#others.size;
  }

  /** Resolves with what gives the place back, to be called once. */
  async take(signal: AbortSignal, { urgent = false, lane = SERVICE_LANE }: SlotOptions = {}): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#taken < this.#size && (urgent || this.#takenByOthers < this.#sizeOfOthers)) this.#enter(urgent);
    else await this.#wait(urgent ? this.#urgent : this.#others, lane, signal);
    return () => this.#giveBack(urgent);
  }

  #enter(urgent: boolean): void {
    this.#taken++;
    if (!urgent) this.#takenByOthers++;
  }

  #wait(queue: LaneQueue<Waiter>, lane: string, signal: AbortSignal): Promise<void> {
    if (this.waiting >= this.#maxWaiting) throw this.#refusal();
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.drop((other) => other === waiter, lane);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        enter: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.push(lane, waiter);
    });
  }

  /** Before anybody else can come, the place is that of who waits for it. */
  #giveBack(urgent: boolean): void {
    this.#taken--;
    if (!urgent) this.#takenByOthers--;
    const next = this.#urgent.shift();
    const other = next || this.#takenByOthers >= this.#sizeOfOthers ? undefined : this.#others.shift();
    if (!next && !other) return;
    this.#enter(next !== undefined);
    (next ?? other)?.enter();
  }
}
