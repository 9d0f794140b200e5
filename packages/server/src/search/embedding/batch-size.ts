/** How many texts go into one request: as many as the endpoint takes and answers in a second or two. Its answers tell. */

/** What nearly all take. */
const FIRST_TEXTS = 32;
/** Full batches in a row before a size is tried again that did not work; twice as many the next time. */
const FIRST_PATIENCE = 16;
const MOST_PATIENCE = 1_024;

export interface BatchLimits {
  readonly maxBatchTexts: number;
  /** Where full batches are answered sooner, they grow. */
  readonly fastMs: number;
  /** Where they are answered later, they shrink, so that nobody waits long for a place. */
  readonly slowMs: number;
}

export class BatchSize {
  readonly #limits: BatchLimits;
  #texts: number;
  /** The smallest size that did not work. */
  #tooMany = Number.POSITIVE_INFINITY;
  #patience = FIRST_PATIENCE;
  #answeredInRow = 0;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
    this.#texts = Math.min(FIRST_TEXTS, limits.maxBatchTexts);
  }

  get texts(): number {
    return this.#texts;
  }

  noteAnswer(texts: number, tookMs: number): void {
    // Less than a full one says nothing of how a full one would do.
    if (texts < this.#texts) return;
    if (texts >= this.#tooMany) this.#tooMany = Number.POSITIVE_INFINITY;
    if (tookMs > this.#limits.slowMs) this.#shrink(texts, Math.floor(texts / 2));
    else if (tookMs <= this.#limits.fastMs) this.#grow();
  }

  /** No text in it was at fault: there were too many of them. Half as many were taken. */
  noteRefusal(texts: number): void {
    this.#shrink(texts, Math.floor(texts / 2));
  }

  /** No answer in time, or a failure: it may have been too much for it. */
  noteFailure(texts: number): void {
    this.#shrink(texts, Math.floor(texts / 4));
  }

  #shrink(tooMany: number, texts: number): void {
    // Several are under way at a time: what was sent before the size changed says nothing new.
    if (tooMany > this.#texts) return;
    this.#tooMany = Math.max(2, tooMany);
    this.#texts = Math.max(1, texts);
    this.#answeredInRow = 0;
  }

  #grow(): void {
    this.#answeredInRow++;
    const next = Math.min(this.#limits.maxBatchTexts, this.#texts * 2);
    if (next >= this.#tooMany) {
      if (this.#answeredInRow < this.#patience) return;
      this.#tooMany = Number.POSITIVE_INFINITY;
      this.#patience = Math.min(MOST_PATIENCE, this.#patience * 2);
    }
    if (next > this.#texts) this.#answeredInRow = 0;
    this.#texts = next;
  }
}
