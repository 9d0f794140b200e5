/** Requests come first: work in the background asks here whether the process has its hands full. */
import { performance } from 'node:perf_hooks';

const BUSY_FROM = 0.5;
/** Within less, the work that asks may be all that there was. */
const SHORTEST_MS = 100;

export class Busyness {
  #last = performance.eventLoopUtilization();
  #isBusy = false;

  /** Whether the event loop was busy since the last time that it was asked, or lately where that is only a moment ago. */
  isBusy(): boolean {
    const now = performance.eventLoopUtilization();
    const { utilization, active, idle } = performance.eventLoopUtilization(now, this.#last);
    if (active + idle < SHORTEST_MS) return this.#isBusy;
    this.#last = now;
    this.#isBusy = utilization > BUSY_FROM;
    return this.#isBusy;
  }
}
