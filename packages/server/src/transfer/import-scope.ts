/** What all that one import brings in shares. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { newId } from '../db/ids.ts';
import { conflict, invalid } from '../errors.ts';
import { labelOf } from '../http/validation.ts';
import type { Amounts } from '../quotas/rules.ts';
import type { Reservation } from '../quotas/workspace-counts.ts';
import type { ImportedIds } from './ids.ts';
import { findFree, findThere, type IdentifiedTable } from './store/free-ids.ts';
import { claimSession, STOPPED_AFTER_MS, type StagedSession } from './store/staging.ts';

const AHEAD_MS = 60_000;
const MOST_KNOWN = 1_000;
const ASK_AGAIN_MS = 500;

/** Times that lie in the past, of whatever has them. */
const pastTimes = ['createdAt', 'updatedAt', 'lastActivityAt', 'supersededAt', 'saidAt'] as const;

export class ImportScope {
  readonly context: Context;
  readonly workspaceId: string;
  readonly ids: ImportedIds;
  /** Aborted when the import ends before its stream does. */
  readonly signal: AbortSignal;
  readonly owner = newId();
  readonly #known = new Map<string, string | undefined>();

  constructor(context: Context, workspaceId: string, ids: ImportedIds, signal: AbortSignal) {
    this.context = context;
    this.workspaceId = workspaceId;
    this.ids = ids;
    this.signal = signal;
  }

  get nowMs(): number {
    return this.context.clock.nowMs();
  }

  /** The id that it has here, if it is here. */
  async find(table: IdentifiedTable, id: string): Promise<string | undefined> {
    const key = `${table} ${id}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = await findThere(this.context.db, table, this.workspaceId, this.ids.known(id));
    if (found !== undefined) this.remember(table, id, found);
    return found;
  }

  /** The id that it gets here. */
  async choose(table: IdentifiedTable, id: string): Promise<string> {
    return findFree(this.context.db, table, this.workspaceId, this.ids.candidates(id));
  }

  remember(table: IdentifiedTable, id: string, here: string): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(`${table} ${id}`, here);
  }

  /** A clock elsewhere may be a little ahead of this one. */
  requirePast(data: object): void {
    const latest = new Date(this.nowMs + AHEAD_MS).toISOString();
    for (const name of pastTimes) {
      const time = (data as Record<string, unknown>)[name];
      if (typeof time === 'string' && time > latest) throw invalid(name, `${labelOf([name])} must not be in the future`);
    }
  }

  /** Waits for an import that may have stopped: it is known to have once it has not written for a while. */
  async claim(staged: StagedSession): Promise<void> {
    const { db } = this.context;
    for (let waitedMs = 0; waitedMs <= STOPPED_AFTER_MS + ASK_AGAIN_MS; waitedMs += ASK_AGAIN_MS) {
      if (await claimSession(db, staged, this.nowMs, this.signal)) return;
      await sleep(ASK_AGAIN_MS, undefined, { signal: this.signal });
    }
    throw conflict('Another import is writing this session');
  }
}

/** What one resource takes of the workspace's quota: all of it is kept, or none. */
export class Reservations {
  readonly #scope: ImportScope;
  readonly #taken: Reservation[] = [];

  constructor(scope: ImportScope) {
    this.#scope = scope;
  }

  /** Throws where there is no room. */
  async add(amounts: Amounts): Promise<void> {
    const { context, workspaceId } = this.#scope;
    if (context.quotas.limitsStored(workspaceId)) this.#taken.push(await context.quotas.reserve(workspaceId, amounts));
  }

  keep(): void {
    for (const reservation of this.#taken) reservation.keep();
  }

  release(): void {
    for (const reservation of this.#taken) reservation.release();
  }
}
