/** Requests come first: work in the background asks here whether the process has its hands full. */
import { performance } from 'node:perf_hooks';

/** For what computes on this machine. */
export const BUSY_FROM = 0.5;
/** Within less, the work that asks may be all that there was. */
const SHORTEST_MS = 100;

export class Busyness {
  #last = performance.eventLoopUtilization();
  #utilization = 0;

  /** Of the event loop since the last time that it was asked, or lately where that is only a moment ago: from 0 to 1. */
  utilization(): number {
    const now = performance.eventLoopUtilization();
    const { utilization, active, idle } = performance.eventLoopUtilization(now, this.#last);
    if (active + idle < SHORTEST_MS) return this.#utilization;
    this.#last = now;
    this.#utilization = utilization;
    return utilization;
  }

  isBusy(): boolean {
    return this.utilization() > BUSY_FROM;
  }
}
