/** Who gets the next free connection: in turn by lane, where the pool's own queue would serve a crowd before anybody else. */

import { BoundedLaneQueue } from '../../lanes/bounded-lane-queue.ts';
import { currentLane } from '../../lanes/current-lane.ts';
import { DatabaseUnavailable } from '../errors.ts';

const MAX_WAITING = 10_000;
const MAX_WAITING_OF_LANE = 1_000;

interface Waiter {
  begin(): void;
  refuse(error: DatabaseUnavailable): void;
}

export class ConnectionTurns {
  readonly #connections: number;
  readonly #longestWaitMs: number;
  readonly #waiting = new BoundedLaneQueue<Waiter>({ maxItems: MAX_WAITING, maxItemsOfLane: MAX_WAITING_OF_LANE });
  #held = 0;

  constructor(connections: number, longestWaitMs: number) {
    this.#connections = connections;
    this.#longestWaitMs = longestWaitMs;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get lanesWaiting(): number {
    return this.#waiting.laneCount;
  }

  get refusedTotal(): number {
    return this.#waiting.refusedTotal;
  }

  /** Whoever was let in must leave. No promise where a connection is free. */
  enter(): Promise<void> | undefined {
    if (this.#held < this.#connections) {
      this.#held++;
      return undefined;
    }
    const lane = currentLane();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.remove(lane, waiter);
        waiter.refuse(tooBusy('No connection became free in time'));
      }, this.#longestWaitMs);
      const waiter: Waiter = {
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
        refuse: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      for (const refused of this.#waiting.add(lane, waiter)) refused.refuse(tooBusy('Too many wait for a connection'));
    });
  }

  leave(): void {
    const next = this.#waiting.take();
    if (next) next.begin();
    else this.#held--;
  }
}

function tooBusy(message: string): DatabaseUnavailable {
  return new DatabaseUnavailable(`${message}; try again shortly.`);
}
