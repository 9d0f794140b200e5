/** How long a thread has been held, in memory that both sides see: it can be read while the thread is too busy to answer. */

const SINCE = 0;
const NUMBER = 1;
const LONGEST = 2;

/** In the place of a question's number. */
export const FREE = 0;
export const OPENING = -1;

export type HoldCells = Int32Array<SharedArrayBuffer>;

/** Of the process: `performance.now()` starts anew in each thread. Cut to 32 bits: differences are right for 24 days. */
const nowMs = () => {
  const [seconds, nanoseconds] = process.hrtime();
  return (seconds * 1000 + nanoseconds / 1e6) | 0;
};
const msSince = (since: number) => Math.max(0, (nowMs() - since) | 0);

/** Of a thread about to start. */
export function newHoldCells(): HoldCells {
  const cells = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
  cells[SINCE] = nowMs();
  cells[NUMBER] = OPENING;
  return cells;
}

/** In the thread, when it turns to a question. */
export function beginHold(cells: HoldCells, number: number): void {
  Atomics.store(cells, SINCE, nowMs());
  Atomics.store(cells, NUMBER, number);
}

/** In the thread, when it is free again. */
export function endHold(cells: HoldCells): void {
  const heldMs = msSince(Atomics.load(cells, SINCE));
  if (heldMs > Atomics.load(cells, LONGEST)) Atomics.store(cells, LONGEST, heldMs);
  Atomics.store(cells, NUMBER, FREE);
}

export function readHold(cells: HoldCells): { readonly number: number; readonly heldMs: number } {
  for (;;) {
    const number = Atomics.load(cells, NUMBER);
    const since = Atomics.load(cells, SINCE);
    // Else the thread turned to another question between the two.
    if (number === Atomics.load(cells, NUMBER)) return { number, heldMs: number === FREE ? 0 : msSince(since) };
  }
}

/** The longest hold since this was last called, the one under way included. */
export function takeLongestHold(cells: HoldCells): number {
  return Math.max(Atomics.exchange(cells, LONGEST, 0), readHold(cells).heldMs);
}
