/** The delays of all threads of the process, by their names, for metrics. */
import { type HoldCells, readHold, takeLongestHold } from './hold.ts';

export interface ThreadDelay {
  /** How long the thread has been held by what it does now; 0 where it is free. */
  readonly nowSeconds: number;
  /** The longest since delays were last read. */
  readonly longestSeconds: number;
}

const running = new Map<HoldCells, string>();
/** Every name there ever was, with the longest hold of those that have ended since delays were last read. */
const endedMs = new Map<string, number>();

/** Gives what is to be called when the thread has ended. */
export function watchDelay(name: string, cells: HoldCells): () => void {
  running.set(cells, name);
  if (!endedMs.has(name)) endedMs.set(name, 0);
  return () => {
    running.delete(cells);
    endedMs.set(name, Math.max(endedMs.get(name) ?? 0, takeLongestHold(cells)));
  };
}

/** Of threads with one name the worst counts. */
export function readThreadDelays(): Map<string, ThreadDelay> {
  const delays = new Map<string, ThreadDelay>();
  for (const [name, ms] of endedMs) {
    delays.set(name, { nowSeconds: 0, longestSeconds: ms / 1000 });
    endedMs.set(name, 0);
  }
  for (const [cells, name] of running) {
    const { nowSeconds, longestSeconds } = delays.get(name) as ThreadDelay;
    delays.set(name, {
      nowSeconds: Math.max(nowSeconds, readHold(cells).heldMs / 1000),
      longestSeconds: Math.max(longestSeconds, takeLongestHold(cells) / 1000),
    });
  }
  return delays;
}
