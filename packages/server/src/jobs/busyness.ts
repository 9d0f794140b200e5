/** Requests come first: work in the background asks here whether the process has its hands full. */
import { performance } from 'node:perf_hooks';

const BUSY_FROM = 0.5;

export class Busyness {
  #last = performance.eventLoopUtilization();

  /** Whether the event loop was busy since the last time that it was asked. */
  isBusy(): boolean {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#last);
    this.#last = now;
    return utilization > BUSY_FROM;
  }
}
