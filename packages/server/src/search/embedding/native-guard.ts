/**
 * Keeps the process from ending while a thread is inside native code.
 * `process.exit()` stops threads wherever they are, and one that is within onnxruntime then aborts the whole process (SIGABRT).
 */

const ENDING = 0;
const INSIDE = 1;
/** A text takes a few hundredths of a second, loading the model a few tenths, and on a busy machine a hundred times that. */
const MAX_WAIT_MS = 30_000;

export type GuardCells = Int32Array<SharedArrayBuffer>;

/** Of a thread about to start, which counts as inside until it leaves for the first time. */
export function newGuardCells(): GuardCells {
  const cells = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  cells[INSIDE] = 1;
  return cells;
}

/** On the main thread; gives what takes the guard away. */
export function guardExit(cells: GuardCells): () => void {
  const wait = () => {
    Atomics.store(cells, ENDING, 1);
    Atomics.wait(cells, INSIDE, 1, MAX_WAIT_MS);
  };
  process.on('exit', wait);
  return () => process.off('exit', wait);
}

/** In the thread, after native code. */
export function leaveNative(cells: GuardCells): void {
  Atomics.store(cells, INSIDE, 0);
  Atomics.notify(cells, INSIDE);
}

/** In the thread, between steps of native work. */
export function throwIfEnding(cells: GuardCells): void {
  if (Atomics.load(cells, ENDING) === 1) throw new Error('The process is ending');
}

/** In the thread: runs what calls native code, or nothing any more where the process ends. */
export async function insideNative<T>(cells: GuardCells, work: () => Promise<T>): Promise<T> {
  Atomics.store(cells, INSIDE, 1);
  try {
    throwIfEnding(cells);
    return await work();
  } finally {
    leaveNative(cells);
  }
}
