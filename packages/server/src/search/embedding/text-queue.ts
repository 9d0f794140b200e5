/** Texts that wait for an embedding thread, and the calls that they belong to. */
import type { Priority } from './embedder.ts';

export interface QueuedText {
  readonly text: string;
  readonly index: number;
  readonly call: EmbedCall;
  /** Times that it was sent to a thread which then failed. */
  failures: number;
}

/** One `embed()`: settled once, by its last vector, a failure or the caller's signal. */
export class EmbedCall {
  readonly priority: Priority;
  readonly vectors: Promise<Float32Array[]>;
  readonly items: readonly QueuedText[];
  settled = false;
  readonly #found: Float32Array[] = [];
  readonly #settle: { resolve(vectors: Float32Array[]): void; reject(reason: unknown): void };
  #left: number;

  constructor(texts: readonly string[], priority: Priority) {
    this.priority = priority;
    this.#left = texts.length;
    this.items = texts.map((text, index) => ({ text, index, call: this, failures: 0 }));
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array[]>();
    this.vectors = promise;
    this.#settle = { resolve, reject };
  }

  put(index: number, vector: Float32Array): void {
    if (this.settled) return;
    this.#found[index] = vector;
    this.#left--;
    if (this.#left > 0) return;
    this.settled = true;
    this.#settle.resolve(this.#found);
  }

  fail(reason: unknown): void {
    if (this.settled) return;
    this.settled = true;
    this.#settle.reject(reason);
  }
}

export class TextQueue {
  #items: QueuedText[] = [];
  #characters = 0;

  get size(): number {
    return this.#items.length;
  }

  get characters(): number {
    return this.#characters;
  }

  add(items: readonly QueuedText[]): void {
    for (const item of items) this.#items.push(item);
    this.#characters += charactersOf(items);
  }

  /** In front of all others. */
  putBack(items: readonly QueuedText[]): void {
    this.#items = [...items, ...this.#items];
    this.#characters += charactersOf(items);
  }

  /** The oldest ones, as many as the limits allow and at least one. What has failed before goes alone, so that it fails alone. */
  take(maxTexts: number, maxCharacters: number): QueuedText[] {
    let count = 0;
    let characters = 0;
    for (const item of this.#items) {
      const fits = count < maxTexts && characters + item.text.length <= maxCharacters && item.failures === 0;
      if (count > 0 && !fits) break;
      count++;
      characters += item.text.length;
      if (item.failures > 0) break;
    }
    this.#characters -= characters;
    return this.#items.splice(0, count);
  }

  /** Drops what belongs to a call that is settled. */
  dropSettled(): void {
    this.#items = this.#items.filter((item) => !item.call.settled);
    this.#characters = charactersOf(this.#items);
  }
}

function charactersOf(items: readonly QueuedText[]): number {
  return items.reduce((sum, { text }) => sum + text.length, 0);
}
