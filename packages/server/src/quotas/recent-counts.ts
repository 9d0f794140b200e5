/** Counts for whoever looks at them: the same for some seconds, and for longer where they take long. */
import type { Clock } from '../clock.ts';
import type { Counts } from './rules.ts';
import { type CountStored, PAUSE_BY_DURATION } from './stored-counts.ts';

const KEPT_MS = 2_000;
const MOST_KEPT = 10_000;

interface Recent {
  readonly counts: Promise<Counts>;
  /** By the monotonic clock; for ever while it is under way. */
  keptUntilMs: number;
}

export class RecentCounts {
  readonly #clock: Clock;
  readonly #count: CountStored;
  readonly #byWorkspace = new Map<string, Recent>();

  constructor(clock: Clock, count: CountStored) {
    this.#clock = clock;
    this.#count = count;
  }

  find(workspaceId: string): Promise<Counts> {
    const found = this.#byWorkspace.get(workspaceId);
    const startedMs = this.#clock.monotonicMs();
    if (found && startedMs < found.keptUntilMs) return found.counts;
    const recent: Recent = { counts: this.#count(workspaceId), keptUntilMs: Number.POSITIVE_INFINITY };
    this.#byWorkspace.delete(workspaceId);
    if (this.#byWorkspace.size >= MOST_KEPT) this.#byWorkspace.delete(this.#byWorkspace.keys().next().value as string);
    this.#byWorkspace.set(workspaceId, recent);
    // A failure too: whoever asks again and again must not have it counted all the time.
    const keep = () => {
      const nowMs = this.#clock.monotonicMs();
      recent.keptUntilMs = nowMs + Math.max(KEPT_MS, (nowMs - startedMs) * PAUSE_BY_DURATION);
    };
    recent.counts.then(keep, keep);
    return recent.counts;
  }
}
