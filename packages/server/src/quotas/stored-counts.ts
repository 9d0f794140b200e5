/**
 * How much each workspace stores, as far as this node knows: what was counted at a time, and what this node has let in since. So a
 * write is held against a limit without a statement, and two writers at once can't both have the last place. What other nodes
 * wrote comes in with the next count; whoever would be refused is counted anew first.
 */
import type { Clock } from '../clock.ts';
import { type Amounts, addCounts, type Counts, QuotaExceeded, type QuotaLimits, quotaPassed, storedQuotas } from './rules.ts';
import { Reservation, WorkspaceCounts } from './workspace-counts.ts';

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
export const PAUSE_BY_DURATION = 50;
/** After one that failed. */
const PAUSE_AFTER_FAILURE_MS = 10_000;
/** How far counts may run ahead of their share, where one may let someone in: a fifth of a second of counting. */
const MOST_AHEAD_MS = 10_000;
/** A count that was asked for and can't be relied on is made anew so often, at most. */
const MOST_TRIES = 3;
const MOST_KEPT = 20_000;

export type CountStored = (workspaceId: string) => Promise<Counts>;

export class StoredCounts {
  readonly #clock: Clock;
  readonly #count: CountStored;
  readonly #onFailure: (error: unknown, workspaceId: string) => void;
  readonly #byWorkspace = new Map<string, WorkspaceCounts>();

  constructor(clock: Clock, count: CountStored, onFailure: (error: unknown, workspaceId: string) => void) {
    this.#clock = clock;
    this.#count = count;
    this.#onFailure = onFailure;
  }

  /** Throws where it does not fit. */
  async reserve(workspaceId: string, limits: QuotaLimits, asked: Amounts): Promise<Reservation> {
    const of = this.#of(workspaceId);
    for (let tries = 0; tries < MOST_TRIES && this.#isTooOld(of, limits, asked); tries++) await this.#recount(workspaceId, of);
    if (this.#ageMs(of) > this.#pauseMs(of, REFRESHED_AFTER_MS)) void this.#recount(workspaceId, of);
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      if (quotaPassed(limits, of.used(), asked) === undefined) return new Reservation(of, asked);
      if (!this.#mayRecount(of)) break;
      await this.#recount(workspaceId, of);
    }
    const quota = quotaPassed(limits, of.used(), asked);
    if (quota === undefined) return new Reservation(of, asked);
    throw new QuotaExceeded(quota, limits[quota] as number, of.used()[quota], asked[quota] ?? 0);
  }

  /** What was deleted makes room from the next request on, where counting is quick. */
  noteFreed(workspaceId: string): void {
    const of = this.#byWorkspace.get(workspaceId);
    if (of) of.mayHaveFreed = true;
  }

  /** Other limits may need other counts. */
  forget(workspaceId: string): void {
    this.#byWorkspace.get(workspaceId)?.forget();
  }

  /** Also near a limit, or where this node has taken half of the room that it saw: others may have taken the rest. */
  #isTooOld(of: WorkspaceCounts, limits: QuotaLimits, asked: Amounts): boolean {
    const { known } = of;
    if (this.#isPausing(of)) return false;
    if (!known || this.#ageMs(of) > this.#pauseMs(of, MOST_AGE_MS)) return true;
    if (this.#ageMs(of) <= this.#pauseMs(of, MOST_AGE_NEAR_MS)) return false;
    const used = addCounts(of.used(), asked);
    return storedQuotas.some((quota) => {
      const limit = limits[quota];
      if (limit === undefined) return false;
      return used[quota] > limit * NEAR || used[quota] - known.counts[quota] > (limit - known.counts[quota]) / 2;
    });
  }

  /** Whether someone may be let in by a new count. At once where this one may be too high, as long as counts have their share of the time. */
  #mayRecount(of: WorkspaceCounts): boolean {
    if (this.#isPausing(of)) return false;
    if (this.#ageMs(of) > this.#pauseMs(of, LEAST_AGE_MS)) return true;
    return (of.mayHaveFreed || of.known?.mayCountTwice === true) && of.owedUntilMs - this.#clock.monotonicMs() <= MOST_AHEAD_MS;
  }

  #isPausing({ retryAtMs }: WorkspaceCounts): boolean {
    return this.#clock.monotonicMs() < retryAtMs;
  }

  #ageMs({ known }: WorkspaceCounts): number {
    return known ? this.#clock.monotonicMs() - known.startedMs : Number.POSITIVE_INFINITY;
  }

  #pauseMs({ known }: WorkspaceCounts, leastMs: number): number {
    return Math.max(leastMs, (known?.tookMs ?? 0) * PAUSE_BY_DURATION);
  }

  /** One count at a time of a workspace; who comes meanwhile waits for it. */
  async #recount(workspaceId: string, of: WorkspaceCounts): Promise<void> {
    if (!of.counting && this.#isPausing(of)) return;
    const counting = of.counting ?? this.#countOnce(workspaceId, of);
    of.counting = counting;
    await counting;
    if (of.counting === counting) of.counting = undefined;
  }

  /** Where it fails, what was counted last goes on to hold: a limit is no reason to refuse every write. */
  async #countOnce(workspaceId: string, of: WorkspaceCounts): Promise<void> {
    const startedMs = this.#clock.monotonicMs();
    const { generation } = of;
    of.beginCount();
    const noteDuration = () => {
      const nowMs = this.#clock.monotonicMs();
      const pauseMs = (nowMs - startedMs) * PAUSE_BY_DURATION;
      of.owedUntilMs = Math.max(of.owedUntilMs, nowMs) + pauseMs;
      return { nowMs, tookMs: nowMs - startedMs, pauseMs };
    };
    try {
      const counts = await this.#count(workspaceId);
      const { tookMs } = noteDuration();
      if (generation === of.generation) of.endCount(counts, startedMs, tookMs);
    } catch (error) {
      const { nowMs, pauseMs } = noteDuration();
      of.retryAtMs = nowMs + Math.max(PAUSE_AFTER_FAILURE_MS, pauseMs);
      this.#onFailure(error, workspaceId);
    }
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
