/** Work on one thread in slices: long work of one workspace lets the others in between, and the work of each keeps its order. */
import { LaneQueue } from '../lanes/lane-queue.ts';

/** What a small question waits for at most, for each workspace that has work. */
const SLICE_MS = 3;

/** Goes on until it yields; there it may be put off for others. */
export type Steps<T> = Generator<void, T, void>;

interface Task {
  readonly lane: string;
  readonly steps: Steps<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class SlicedWork {
  readonly #tasks = new LaneQueue<Task>();
  readonly #letIn: () => Promise<void>;
  readonly #nowMs: () => number;
  #isWorking = false;

  /** `letIn` takes in what has arrived meanwhile. */
  constructor(letIn: () => Promise<void>, nowMs: () => number = () => performance.now()) {
    this.#letIn = letIn;
    this.#nowMs = nowMs;
  }

  /** One after the other in a lane: what comes later sees what the earlier ones have done. */
  run<T>(lane: string, steps: Steps<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(lane, { lane, steps, resolve: resolve as (result: unknown) => void, reject });
      if (!this.#isWorking) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    let letInMs = this.#nowMs();
    for (let task = this.#tasks.shift(); task; task = this.#tasks.shift()) {
      const isDone = this.#isDone(task);
      if (this.#nowMs() - letInMs >= SLICE_MS) {
        // What has arrived meanwhile joins the lanes, and comes before what has just had its slice.
        await this.#letIn();
        letInMs = this.#nowMs();
      }
      if (!isDone) this.#tasks.putBack(task.lane, task);
    }
    this.#isWorking = false;
  }

  #isDone({ steps, resolve, reject }: Task): boolean {
    const begunMs = this.#nowMs();
    try {
      do {
        const step = steps.next();
        if (!step.done) continue;
        resolve(step.value);
        return true;
      } while (this.#nowMs() - begunMs < SLICE_MS);
      return false;
    } catch (error) {
      reject(error);
      return true;
    }
  }
}
