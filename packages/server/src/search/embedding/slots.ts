/** A few places, handed to whoever waits: queries first, then in the order of arrival. */
import { EmbedderUnavailable, type Priority } from './embedder.ts';

interface Waiter {
  readonly enter: () => void;
}

export class Slots {
  readonly #size: number;
  readonly #maxWaiting: number;
  readonly #queues: Record<Priority, Waiter[]> = { query: [], background: [] };
  #taken = 0;

  constructor(size: number, maxWaiting: number) {
    this.#size = size;
    this.#maxWaiting = maxWaiting;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#queues.query.length + this.#queues.background.length;
  }

  /** Resolves with what gives the place back, to be called once. */
  async take(priority: Priority, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#taken < this.#size) this.#taken++;
    else await this.#wait(this.#queues[priority], signal);
    return () => this.#giveBack();
  }

  #wait(queue: Waiter[], signal: AbortSignal): Promise<void> {
    if (this.waiting >= this.#maxWaiting) throw new EmbedderUnavailable('Too many texts wait for their vectors; try again shortly.');
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.splice(queue.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        enter: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.push(waiter);
    });
  }

  /** The place passes from hand to hand; only where nobody waits does it become free. */
  #giveBack(): void {
    const next = this.#queues.query.shift() ?? this.#queues.background.shift();
    if (next) next.enter();
    else this.#taken--;
  }
}
