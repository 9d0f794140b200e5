/** Stops asking an endpoint that fails again and again, for a few seconds at a time. */

export class CircuitBreaker {
  readonly #threshold: number;
  readonly #pauseMs: number;
  readonly #nowMs: () => number;
  #failures = 0;
  #openUntilMs = 0;

  constructor(threshold: number, pauseMs: number, nowMs: () => number = () => performance.now()) {
    this.#threshold = threshold;
    this.#pauseMs = pauseMs;
    this.#nowMs = nowMs;
  }

  get open(): boolean {
    return this.#nowMs() < this.#openUntilMs;
  }

  /** How long nobody may ask; 0 for whoever may. After a pause one may ask first, and the rest waits for how that goes. */
  enter(): number {
    const waitMs = this.#openUntilMs - this.#nowMs();
    if (waitMs > 0) return waitMs;
    if (this.#failures >= this.#threshold) this.#openUntilMs = this.#nowMs() + this.#pauseMs;
    return 0;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#openUntilMs = 0;
  }

  /** True where nobody may ask from now on. */
  failed(): boolean {
    this.#failures++;
    if (this.#failures < this.#threshold) return false;
    this.#openUntilMs = this.#nowMs() + this.#pauseMs;
    return true;
  }
}
