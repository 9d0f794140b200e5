/** What holds the event loop for long, one piece in each of its turns and the lanes in turn: others are served in between. */
import { currentLane, runInServiceLane } from './current-lane.ts';
import { LaneQueue } from './lane-queue.ts';

export class LoopTurns {
  readonly #waiting = new LaneQueue<() => void>();
  #isScheduled = false;

  /** Resolves in a turn of its own; what follows at once, without waiting for anything, has that turn for itself. */
  take(): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push(currentLane(), begin);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    runInServiceLane(() =>
      setImmediate(() => {
        this.#isScheduled = false;
        this.#waiting.shift()?.();
        this.#schedule();
      }),
    );
  }
}

/** From here on decoding, checking or writing takes milliseconds. */
export const LARGE_BYTES = 256 * 1024;

/** Of the process: large bodies, large results and the large answers to them share it. */
export const largeWork = new LoopTurns();
