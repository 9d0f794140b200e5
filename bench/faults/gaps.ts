/** The longest time without a good answer, for each kind of request. */

export const kinds = ['message', 'batch', 'document', 'promotion', 'read', 'search'] as const;
export type Kind = (typeof kinds)[number];

export class Gaps {
  readonly #lastMs = new Map<Kind, number>();
  readonly #longestMs = new Map<Kind, number>();
  readonly #counts = new Map<Kind, number>();

  /** From here on; what comes before does not count. */
  begin(): void {
    const nowMs = performance.now();
    for (const kind of kinds) {
      this.#lastMs.set(kind, nowMs);
      this.#longestMs.set(kind, 0);
      this.#counts.set(kind, 0);
    }
  }

  answered(kind: Kind): void {
    this.#look(kind);
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  /** Up to now: a kind that was not answered any more has a gap to the end. */
  end(): ReadonlyMap<Kind, { readonly answers: number; readonly longestGapMs: number }> {
    for (const kind of kinds) this.#look(kind);
    return new Map(kinds.map((kind) => [kind, { answers: this.#counts.get(kind) ?? 0, longestGapMs: this.#longestMs.get(kind) ?? 0 }]));
  }

  #look(kind: Kind): void {
    const nowMs = performance.now();
    const lastMs = this.#lastMs.get(kind);
    if (lastMs !== undefined) this.#longestMs.set(kind, Math.max(this.#longestMs.get(kind) ?? 0, nowMs - lastMs));
    this.#lastMs.set(kind, nowMs);
  }
}
