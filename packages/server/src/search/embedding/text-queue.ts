/** Texts that wait for an embedding thread, and the calls that they belong to. */
import { LaneQueue } from '../../lanes/lane-queue.ts';
import type { EmbeddedText, Priority } from './embedder.ts';

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
  readonly lane: string;
  readonly embedded: Promise<EmbeddedText[]>;
  readonly items: readonly QueuedText[];
  settled = false;
  readonly #found: EmbeddedText[] = [];
  readonly #settle: { resolve(embedded: EmbeddedText[]): void; reject(reason: unknown): void };
  #left: number;

  constructor(texts: readonly string[], priority: Priority, lane: string) {
    this.priority = priority;
    this.lane = lane;
    this.#left = texts.length;
    this.items = texts.map((text, index) => ({ text, index, call: this, failures: 0 }));
    const { promise, resolve, reject } = Promise.withResolvers<EmbeddedText[]>();
    this.embedded = promise;
    this.#settle = { resolve, reject };
  }

  put(index: number, embedded: EmbeddedText): void {
    if (this.settled) return;
    this.#found[index] = embedded;
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

/** Text by text the lanes take turns: within a long document too, the others come to theirs. */
export class TextQueue {
  readonly #items = new LaneQueue<QueuedText>();
  #characters = 0;

  get size(): number {
    return this.#items.size;
  }

  get characters(): number {
    return this.#characters;
  }

  sizeOf(lane: string): number {
    return this.#items.sizeOf(lane);
  }

  add(items: readonly QueuedText[]): void {
    for (const item of items) {
      this.#items.push(item.call.lane, item);
      this.#characters += item.text.length;
    }
  }

  /** In front of the others of their lanes. */
  putBack(items: readonly QueuedText[]): void {
    for (const item of items.toReversed()) {
      this.#items.putBack(item.call.lane, item);
      this.#characters += item.text.length;
    }
  }

  /** As many as the limits allow and at least one. What has failed before goes alone, so that it fails alone. */
  take(maxTexts: number, maxCharacters: number): QueuedText[] {
    const taken: QueuedText[] = [];
    let characters = 0;
    for (let item = this.#items.peek(); item; item = this.#items.peek()) {
      const fits = taken.length < maxTexts && characters + item.text.length <= maxCharacters && item.failures === 0;
      if (taken.length > 0 && !fits) break;
      this.#items.shift();
      taken.push(item);
      characters += item.text.length;
      if (item.failures > 0) break;
    }
    this.#characters -= characters;
    return taken;
  }

  /** Drops what belongs to a call that is settled. */
  dropSettled(): void {
    this.#items.drop((item) => {
      if (item.call.settled) this.#characters -= item.text.length;
      return item.call.settled;
    });
  }
}
