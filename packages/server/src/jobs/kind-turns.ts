/** Whose turn it is: the kinds of jobs one after the other, and within each the lanes. */
import type { JobHandler } from './job-handler.ts';
import { type ClaimedKind, SERVICE_JOBS_LANE } from './picking.ts';
import type { Job } from './queue.ts';

export class KindTurns {
  readonly #handlers: ReadonlyMap<string, JobHandler>;
  /** In the order of their turns; those that were just served go to the end. */
  #kindsInTurn: string[];
  readonly #lastLanes = new Map<string, string>();

  constructor(handlers: ReadonlyMap<string, JobHandler>) {
    this.#handlers = handlers;
    this.#kindsInTurn = [...handlers.keys()];
  }

  /** The kinds that a claim may take, and how many of each. */
  withRoom(room: number, running: ReadonlyMap<string, number>): ClaimedKind[] {
    if (room <= 0) return [];
    return this.#kindsInTurn.flatMap((kind) => {
      const { leaseMs, concurrency = Number.POSITIVE_INFINITY } = this.#handlers.get(kind) as JobHandler;
      const limit = Math.min(room, concurrency - (running.get(kind) ?? 0));
      return limit > 0 ? [{ kind, leaseMs, limit, afterLane: this.#lastLanes.get(kind) }] : [];
    });
  }

  /** After a claim: what it took goes to the end. */
  pass(jobs: readonly Job[]): void {
    const served = new Set(jobs.map(({ kind }) => kind));
    if (served.size === 0) return;
    this.#kindsInTurn = [...this.#kindsInTurn.filter((kind) => !served.has(kind)), ...this.#kindsInTurn.filter((kind) => served.has(kind))];
    for (const kind of served) {
      const lanes = jobs.filter((job) => job.kind === kind).map(({ workspaceId }) => workspaceId ?? SERVICE_JOBS_LANE);
      // The claim went from the last lane onwards and then round to the beginning.
      const last = this.#lastLanes.get(kind) ?? '';
      const wrapped = lanes.filter((lane) => lane <= last);
      this.#lastLanes.set(kind, (wrapped.length > 0 ? wrapped : lanes).sort().at(-1) as string);
    }
  }
}
