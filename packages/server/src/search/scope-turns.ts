/** Work on a scope, one after the other; what many wait for alike is done once for all of them. */

export class ScopeTurns {
  /** The last of each scope, by its key. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** Shared work that has not begun, by the key of its scope. */
  readonly #waiting = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before: Promise<unknown> = this.#last.get(key) ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(work);
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }

  /** Work that begins after the call, which may be another's of the same kind. A failure is not shared: whoever waited does its own. */
  async runShared<T>(key: string, work: () => Promise<T>): Promise<T> {
    for (let others = this.#waiting.get(key); others; others = this.#waiting.get(key)) {
      try {
        return (await others) as T;
      } catch {
        // The next of those that waited begins anew, for all that are left.
      }
    }
    const own = this.run(key, () => {
      this.#waiting.delete(key);
      return work();
    });
    this.#waiting.set(key, own);
    return own;
  }
}
