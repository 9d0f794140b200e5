/** What a node knows of one workspace: the last count, what was let in since, and what is under way. */
import { type Amounts, addCounts, type Counts, noCounts, storedQuotas } from './rules.ts';

interface Known {
  readonly counts: Counts;
  /** By the monotonic clock. */
  readonly startedMs: number;
  readonly tookMs: number;
  /** Something was in flight meanwhile: it may be in the count, and counts again once it is carried out. */
  readonly mayCountTwice: boolean;
}

export class WorkspaceCounts {
  known: Known | undefined;
  /** Let in and not yet carried out. */
  inFlight = noCounts;
  /** Carried out since the last count began: it may not be in there. */
  since = noCounts;
  counting: Promise<void> | undefined;
  /** Something was deleted or became smaller, or may have been, since the last count began. */
  mayHaveFreed = false;
  /** Goes up with each change of the limits: a count that began before one says nothing. */
  generation = 0;
  /** By the monotonic clock, as the next: not before then, after a count that failed. */
  retryAtMs = Number.NEGATIVE_INFINITY;
  /** Until then the time that counts took is above their share. */
  owedUntilMs = Number.NEGATIVE_INFINITY;
  /** Carried out since the count that is under way began. */
  #sinceCounting = noCounts;
  #reservations = 0;
  #wasInFlight = false;

  used(): Counts {
    return addCounts(addCounts(this.known?.counts ?? noCounts, this.since), this.inFlight);
  }

  beginCount(): void {
    this.#sinceCounting = noCounts;
    this.#wasInFlight = this.#reservations > 0;
    this.mayHaveFreed = false;
  }

  endCount(counts: Counts, startedMs: number, tookMs: number): void {
    this.known = { counts, startedMs, tookMs, mayCountTwice: this.#wasInFlight };
    this.since = this.#sinceCounting;
  }

  forget(): void {
    this.known = undefined;
    this.generation++;
    this.counting = undefined;
    this.retryAtMs = Number.NEGATIVE_INFINITY;
  }

  enter(amounts: Amounts): void {
    this.#reservations++;
    this.#wasInFlight = true;
    this.inFlight = addCounts(this.inFlight, amounts);
  }

  leave(amounts: Amounts): void {
    this.#reservations--;
    this.inFlight = addCounts(this.inFlight, negated(amounts));
  }

  add(amounts: Amounts): void {
    this.since = addCounts(this.since, amounts);
    this.#sinceCounting = addCounts(this.#sinceCounting, amounts);
  }
}

/** Room that was given to a request until it is known what became of it. */
export class Reservation {
  readonly #of: WorkspaceCounts;
  readonly #amounts: Amounts;
  readonly #frees: boolean;
  #isOpen = true;

  /** What becomes less makes room with the next count and not before: two that replace the same would free it twice. */
  constructor(of: WorkspaceCounts, asked: Amounts) {
    this.#of = of;
    this.#frees = storedQuotas.some((quota) => (asked[quota] ?? 0) < 0);
    this.#amounts = Object.fromEntries(storedQuotas.map((quota) => [quota, Math.max(0, asked[quota] ?? 0)]));
    of.enter(this.#amounts);
  }

  /** It is stored. */
  keep(): void {
    if (!this.#close()) return;
    this.#of.add(this.#amounts);
    if (this.#frees) this.#of.mayHaveFreed = true;
  }

  /** It is not, as far as anybody can tell. Does nothing after `keep`. */
  release(): void {
    this.#close();
  }

  #close(): boolean {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    if (wasOpen) this.#of.leave(this.#amounts);
    return wasOpen;
  }
}

function negated(amounts: Amounts): Amounts {
  return Object.fromEntries(Object.entries(amounts).map(([quota, amount]) => [quota, -amount]));
}
