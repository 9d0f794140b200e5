/** How far heaps grow before garbage is collected: generously, until the main thread's own is large. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** The main thread needs 60 to 90 MB; what is above this is garbage of large bodies and answers. */
const LARGE_BYTES = 144 * 1024 * 1024;
/** A heap of 100 MB that grows to 130 and not to several times its size. It costs a quarter of the time of large requests. */
const SLOW_PERCENT = 30;
const LOOK_EVERY_MS = 100;

export class HeapGrowth {
  #isSlow = false;
  #timer: NodeJS.Timeout | undefined;

  get isSlow(): boolean {
    return this.#isSlow;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.adjust(getHeapStatistics().total_heap_size), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.adjust(0);
  }

  adjust(heapBytes: number): void {
    const isSlow = heapBytes > LARGE_BYTES;
    if (isSlow === this.#isSlow) return;
    this.#isSlow = isSlow;
    // Zero leaves it to V8. It is read whenever a collection ends, in every thread.
    setFlagsFromString(`--heap-growing-percent=${isSlow ? SLOW_PERCENT : 0}`);
  }
}
