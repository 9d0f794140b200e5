/** What searches come to know of stored indexes, written down behind their backs. */
import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Queryable } from '../../db/database.ts';
import type { ScopeSource } from '../scope-source.ts';
import { insertFoundChanges, WHOLE_THREAD } from './changed-items.ts';
import { noteUse, placeOf } from './store.ts';

const NOTE_USE_MS = 3_600_000;
const MOST_REMEMBERED = 10_000;
const NOTED_AT_ONCE = 500;

export class SnapshotNotes {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** By the key of a scope: when its use was last written down. */
  readonly #notedAtMs = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(db: Queryable, clock: Clock, log: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
  }

  /** Somebody searched it. Written down now and then: what is held for days is used all the same. */
  noteUse(source: ScopeSource): void {
    if (!source.kept) return;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - (this.#notedAtMs.get(source.key) ?? Number.NEGATIVE_INFINITY) < NOTE_USE_MS) return;
    this.#notedAtMs.delete(source.key);
    this.#notedAtMs.set(source.key, nowMs);
    const [oldest] = this.#notedAtMs.keys();
    if (this.#notedAtMs.size > MOST_REMEMBERED && oldest !== undefined) this.#notedAtMs.delete(oldest);
    this.#write(source, () => noteUse(this.#db, placeOf(source), this.#clock.nowMs()));
  }

  /**
   * What a segment says of some items was found to be otherwise when the thread had the mark: a node of an earlier version does not write
   * down what it changes.
   */
  noteOutdated(source: ScopeSource, thread: string, mark: string, itemIds: readonly string[]): void {
    const edits = Number.parseInt(mark, 10);
    // What is saved at the mark is right. Messages are written down with the number after their change, the others with either.
    const noted = source.kept?.kind === 'message' ? edits : edits - 1;
    for (let from = 0; from < itemIds.length; from += NOTED_AT_ONCE)
      this.#insertChanges(source, thread, noted, itemIds.slice(from, from + NOTED_AT_ONCE));
  }

  /** A whole thread went that had the mark; one whose mark is not known goes from all that is stored. */
  noteGone(source: ScopeSource, thread: string, mark: string): void {
    const edits = Number.parseInt(mark, 10);
    this.#insertChanges(source, thread, Number.isNaN(edits) ? Number.MAX_SAFE_INTEGER : edits, [WHOLE_THREAD]);
  }

  async settled(): Promise<void> {
    await this.#writing;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
  }

  #insertChanges(source: ScopeSource, scopeId: string, edits: number, itemIds: readonly string[]): void {
    const { kept, workspaceId } = source;
    if (!kept) return;
    const place = { workspaceId, kind: kept.kind, scopeId };
    this.#write(source, () => this.#db.run(insertFoundChanges(place, edits, itemIds, this.#clock.nowMs())));
  }

  /** One after the other. A failure costs what it would have told, and nothing else. */
  #write({ key }: ScopeSource, work: () => Promise<unknown>): void {
    if (this.#isClosed) return;
    this.#writing = this.#writing.then(work).then(
      () => undefined,
      (error: unknown) => this.#log.warn({ err: error, scope: key }, 'what is known of a stored search index could not be noted'),
    );
  }
}
