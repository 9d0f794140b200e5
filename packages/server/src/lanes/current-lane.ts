/** Whose work something is: what tenants share is given out by lane, in turn. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** The lane of what belongs to no tenant: counting, flushing, sweeping. */
export const SERVICE_LANE = '';

interface Work {
  readonly lane: string;
  /** The route or the kind of job that it is done for, for logs. */
  readonly origin: string | undefined;
}

const current = new AsyncLocalStorage<Work>();

/** Everything that the work asks for, now or after an await, is in this lane. It keeps its origin unless another is named. */
export function runInLane<T>(lane: string, work: () => T, origin = currentOrigin()): T {
  return current.run({ lane, origin }, work);
}

/** For what a request happens to start and is not its own: a timer that flushes for all, say. */
export function runInServiceLane<T>(work: () => T): T {
  return current.run({ lane: SERVICE_LANE, origin: undefined }, work);
}

export function currentLane(): string {
  return current.getStore()?.lane ?? SERVICE_LANE;
}

export function currentOrigin(): string | undefined {
  return current.getStore()?.origin;
}
