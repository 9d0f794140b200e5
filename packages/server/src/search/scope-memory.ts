/** What the scopes of all threads take together, and which of them make room: those that were used least recently. */

export class ScopeMemory {
  readonly #limitBytes: number;
  /** By name, in the order of last use. */
  readonly #bytes = new Map<string, number>();
  #total = 0;
  /** Scopes whose names begin so make no room for others. */
  #pinned: string | undefined;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get total(): number {
    return this.#total;
  }

  pin(beginning: string | undefined): void {
    this.#pinned = beginning;
  }

  /** It was used, and takes so much. Gives those that are to be dropped; they count no more. */
  note(name: string, bytes: number): string[] {
    this.forget(name);
    this.#bytes.set(name, bytes);
    this.#total += bytes;
    const dropped: string[] = [];
    for (const [other, held] of this.#bytes) {
      if (this.#total <= this.#limitBytes) break;
      if (other === name || (this.#pinned !== undefined && other.startsWith(this.#pinned))) continue;
      this.#bytes.delete(other);
      this.#total -= held;
      dropped.push(other);
    }
    return dropped;
  }

  forget(name: string): void {
    this.#total -= this.#bytes.get(name) ?? 0;
    this.#bytes.delete(name);
  }

  forgetAll(isGone: (name: string) => boolean): void {
    for (const name of [...this.#bytes.keys()]) if (isGone(name)) this.forget(name);
  }
}
