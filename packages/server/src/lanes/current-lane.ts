/** Whose work a statement belongs to: what is scarce in a database is shared out by lane, in turn. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** The lane of what belongs to no tenant: counting, flushing, sweeping. */
export const SERVICE_LANE = '';

const lanes = new AsyncLocalStorage<string>();

/** Everything that the work asks of a database, now or after an await, is in this lane. */
export function runInLane<T>(lane: string, work: () => T): T {
  return lanes.run(lane, work);
}

/** For what a request happens to start and is not its own: a timer that flushes for all, say. */
export function runInServiceLane<T>(work: () => T): T {
  return lanes.run(SERVICE_LANE, work);
}

export function currentLane(): string {
  return lanes.getStore() ?? SERVICE_LANE;
}
