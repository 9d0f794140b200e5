/**
 * How much each workspace stores, as far as this node knows: what was counted at a time, and what this node has let in since. So a
 * write is held against a limit without a statement, and two writers at once can't both have the last place. What other nodes
 * wrote comes in with the next count; whoever would be refused is counted anew first.
 */
import type { Clock } from '../clock.ts';
import { type Amounts, addCounts, type Counts, noCounts, QuotaExceeded, type QuotaLimits, quotaPassed, storedQuotas } from './rules.ts';

/** Of a workspace that has room: nobody is let in by an older count. */
const MOST_AGE_MS = 30_000;
/** From then on it is counted anew, while requests go on. */
const REFRESHED_AFTER_MS = 15_000;
/** Of one that has used nine tenths of a limit. */
const MOST_AGE_NEAR_MS = 2_000;
const NEAR = 0.9;
/** Whoever is refused all the time is counted once in so long. */
const LEAST_AGE_MS = 1_000;
/** A count that takes long is made less often: at most a fiftieth of the time goes into it. */
const PAUSE_BY_DURATION = 50;
const MOST_KEPT = 20_000;

export type CountStored = (workspaceId: string) => Promise<Counts>;

interface Known {
  counts: Counts;
  /** By the monotonic clock. */
  startedMs: number;
  tookMs: number;
}

class WorkspaceCounts {
  known: Known | undefined;
  /** Let in and not yet carried out. */
  inFlight = noCounts;
  /** Carried out since the last count began: it may not be in there. */
  since = noCounts;
  /** Carried out since the count that is under way began. */
  sinceCounting = noCounts;
  counting: Promise<void> | undefined;
  /** Something was deleted, or may have been, since the last count began. */
  mayHaveFreed = false;

  used(): Counts {
    return addCounts(addCounts(this.known?.counts ?? noCounts, this.since), this.inFlight);
  }
}

/** Room that was given to a request until it is known what became of it. */
export class Reservation {
  readonly #of: WorkspaceCounts;
  readonly #amounts: Amounts;
  #isOpen = true;

  constructor(of: WorkspaceCounts, amounts: Amounts) {
    this.#of = of;
    this.#amounts = amounts;
    of.inFlight = addCounts(of.inFlight, amounts);
  }

  /** It is stored. */
  keep(): void {
    if (!this.#close()) return;
    this.#of.since = addCounts(this.#of.since, this.#amounts);
    this.#of.sinceCounting = addCounts(this.#of.sinceCounting, this.#amounts);
  }

  /** It is not, as far as anybody can tell. Does nothing after `keep`. */
  release(): void {
    this.#close();
  }

  #close(): boolean {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    if (wasOpen) this.#of.inFlight = addCounts(this.#of.inFlight, negated(this.#amounts));
    return wasOpen;
  }
}

export class StoredCounts {
  readonly #clock: Clock;
  readonly #count: CountStored;
  readonly #byWorkspace = new Map<string, WorkspaceCounts>();

  constructor(clock: Clock, count: CountStored) {
    this.#clock = clock;
    this.#count = count;
  }

  /** Throws where it does not fit. */
  async reserve(workspaceId: string, limits: QuotaLimits, asked: Amounts): Promise<Reservation> {
    const of = this.#of(workspaceId);
    if (this.#isTooOld(of, limits, asked)) await this.#recount(workspaceId, of);
    else if (this.#ageMs(of) > this.#pauseMs(of, REFRESHED_AFTER_MS)) void this.#recount(workspaceId, of).catch(() => undefined);
    // What was deleted while a count was under way is in the one after it.
    for (let tries = 0; tries < 2; tries++) {
      if (quotaPassed(limits, of.used(), asked) === undefined) return new Reservation(of, asked);
      if (!of.mayHaveFreed && this.#ageMs(of) <= this.#pauseMs(of, LEAST_AGE_MS)) break;
      await this.#recount(workspaceId, of);
    }
    const quota = quotaPassed(limits, of.used(), asked);
    if (quota === undefined) return new Reservation(of, asked);
    throw new QuotaExceeded(quota, limits[quota] as number, of.used()[quota], asked[quota] ?? 0);
  }

  /** What was deleted makes room from the next request on. */
  noteFreed(workspaceId: string): void {
    const of = this.#byWorkspace.get(workspaceId);
    if (of) of.mayHaveFreed = true;
  }

  /** Other limits may need other counts. */
  forget(workspaceId: string): void {
    const of = this.#byWorkspace.get(workspaceId);
    if (of) of.known = undefined;
  }

  forgetAll(): void {
    for (const of of this.#byWorkspace.values()) of.known = undefined;
  }

  /** Also near a limit, or where this node has taken half of the room that it saw: others may have taken the rest. */
  #isTooOld(of: WorkspaceCounts, limits: QuotaLimits, asked: Amounts): boolean {
    const { known } = of;
    if (!known || this.#ageMs(of) > this.#pauseMs(of, MOST_AGE_MS)) return true;
    if (this.#ageMs(of) <= this.#pauseMs(of, MOST_AGE_NEAR_MS)) return false;
    const used = addCounts(of.used(), asked);
    return storedQuotas.some((quota) => {
      const limit = limits[quota];
      if (limit === undefined) return false;
      return used[quota] > limit * NEAR || used[quota] - known.counts[quota] > (limit - known.counts[quota]) / 2;
    });
  }

  #ageMs({ known }: WorkspaceCounts): number {
    return known ? this.#clock.monotonicMs() - known.startedMs : Number.POSITIVE_INFINITY;
  }

  #pauseMs({ known }: WorkspaceCounts, leastMs: number): number {
    return Math.max(leastMs, (known?.tookMs ?? 0) * PAUSE_BY_DURATION);
  }

  /** One count at a time of a workspace; who comes meanwhile waits for it. */
  #recount(workspaceId: string, of: WorkspaceCounts): Promise<void> {
    of.counting ??= this.#countOnce(workspaceId, of).finally(() => {
      of.counting = undefined;
    });
    return of.counting;
  }

  async #countOnce(workspaceId: string, of: WorkspaceCounts): Promise<void> {
    const startedMs = this.#clock.monotonicMs();
    of.sinceCounting = noCounts;
    of.mayHaveFreed = false;
    const counts = await this.#count(workspaceId);
    of.known = { counts, startedMs, tookMs: this.#clock.monotonicMs() - startedMs };
    of.since = of.sinceCounting;
  }

  #of(workspaceId: string): WorkspaceCounts {
    const found = this.#byWorkspace.get(workspaceId);
    if (found) return found;
    if (this.#byWorkspace.size >= MOST_KEPT) this.#byWorkspace.delete(this.#byWorkspace.keys().next().value as string);
    const of = new WorkspaceCounts();
    this.#byWorkspace.set(workspaceId, of);
    return of;
  }
}

function negated(amounts: Amounts): Amounts {
  return Object.fromEntries(Object.entries(amounts).map(([quota, amount]) => [quota, -amount]));
}
