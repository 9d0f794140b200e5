/** Pauses between two steps of work, which end early when there is something to do, or when the work is to stop. */
export class Pauses {
  isStopping = false;
  #wake: () => void = () => {};

  wake(): void {
    this.#wake();
  }

  stop(): void {
    this.isStopping = true;
    this.#wake();
  }

  /** Until woken, or so long. */
  async pause(ms: number): Promise<void> {
    if (this.isStopping) return;
    const woken = Promise.withResolvers<void>();
    const timer = setTimeout(woken.resolve, ms);
    this.#wake = woken.resolve;
    await woken.promise;
    clearTimeout(timer);
  }

  /** Waking does not end it; stopping does. */
  async backOff(ms: number): Promise<void> {
    for (const untilMs = performance.now() + ms; !this.isStopping; ) {
      const restMs = untilMs - performance.now();
      if (restMs <= 0) return;
      await this.pause(restMs);
    }
  }
}
