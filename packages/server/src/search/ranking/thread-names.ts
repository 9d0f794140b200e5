/** Threads of a scope by number. */

import type { ThreadNames } from './slot-ids.ts';

/** A name, its place in the map and in the list. */
const NAME_BYTES = 150;

export class NumberedThreads implements ThreadNames {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];

  get count(): number {
    return this.#names.length;
  }

  get bytes(): number {
    return this.#names.length * NAME_BYTES;
  }

  nameOf(thread: number): string {
    return this.#names[thread] as string;
  }

  numberOf(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  /** A number for a name that may be new. */
  number(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#names.length;
      this.#numbers.set(name, number);
      this.#names.push(name);
    }
    return number;
  }
}
