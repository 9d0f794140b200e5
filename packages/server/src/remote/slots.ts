/** A few places, handed to whoever waits: the urgent first, then in the order of arrival. */

interface Waiter {
  readonly enter: () => void;
}

export class Slots {
  readonly #size: number;
  readonly #maxWaiting: number;
  readonly #refusal: () => Error;
  readonly #urgent: Waiter[] = [];
  readonly #others: Waiter[] = [];
  #taken = 0;

  /** `refusal` makes what is thrown where `maxWaiting` wait already. */
  constructor(size: number, maxWaiting: number, refusal: () => Error) {
    this.#size = size;
    this.#maxWaiting = maxWaiting;
    this.#refusal = refusal;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#urgent.length + this.#others.length;
  }

  /** Resolves with what gives the place back, to be called once. */
  async take(signal: AbortSignal, { urgent = false }: { readonly urgent?: boolean } = {}): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#taken < this.#size) this.#taken++;
    else await this.#wait(urgent ? this.#urgent : this.#others, signal);
    return () => this.#giveBack();
  }

  #wait(queue: Waiter[], signal: AbortSignal): Promise<void> {
    if (this.waiting >= this.#maxWaiting) throw this.#refusal();
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
    const next = this.#urgent.shift() ?? this.#others.shift();
    if (next) next.enter();
    else this.#taken--;
  }
}
