import type { ThreadState } from './scope-source.ts';

const THREADS_AT_ONCE = 200;

/** Threads whose items together make one load. */
export function groupThreads(threads: readonly ThreadState[], mostItems: number): ThreadState[][] {
  const groups: ThreadState[][] = [];
  let items = Number.POSITIVE_INFINITY;
  for (const state of threads) {
    const group = groups.at(-1);
    if (group && items + state.count <= mostItems && group.length < THREADS_AT_ONCE) {
      group.push(state);
      items += state.count;
    } else {
      groups.push([state]);
      items = state.count;
    }
  }
  return groups;
}
