/** Keeps a scope's index in step with the database, at the cost of what changed since the last search. */
import { type SearchIndexes, scopeName } from './indexes.ts';
import { ItemPages } from './item-pages.ts';
import type { ScopeSize } from './protocol.ts';
import type { AvailableSegment } from './ranking/saving.ts';
import { noteShortRead, type Round } from './rounds.ts';
import { ignoreLost, requireLoaded, ScopeLost } from './scope-lost.ts';
import { type ItemPlace, PAGE_ITEMS, type ScopeSource, type ThreadState } from './scope-source.ts';
import { ScopeTurns } from './scope-turns.ts';
import { sizeWithTail } from './segments/snapshot-loader.ts';
import type { Snapshots } from './segments/snapshots.ts';
import type { StoredThread } from './segments/store.ts';
import { checkSize, isOutgrown, type KnownThread, ScopeOutgrown, type Synced } from './synced-scope.ts';
import { groupThreads } from './thread-groups.ts';

const MOST_REMEMBERED = 5000;
const MOST_ROUNDS = 3;
const NOTHING: ScopeSize = { size: 0, bytes: 0 };
const UNBOUNDED: ScopeSize = { size: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

export class Scopes {
  readonly #indexes: SearchIndexes;
  readonly #synced = new Map<string, Synced>();
  /** One synchronization of a scope at a time: one that waits serves whoever comes before it begins. */
  readonly #turns = new ScopeTurns();
  readonly #pages: ItemPages;
  readonly #snapshots: Snapshots | undefined;
  /** The keys of scopes that were too large to be held whole. */
  readonly #large = new Set<string>();
  #loadings = 0;

  /** `snapshots`: where indexes are kept, if they are. */
  constructor(indexes: SearchIndexes, snapshots?: Snapshots) {
    this.#indexes = indexes;
    this.#pages = new ItemPages(indexes);
    this.#snapshots = snapshots;
  }

  /**
   * Resolves when the index holds everything that was acknowledged before the call, with the name that it has there. Throws
   * `ScopeLost` when it had to make room meanwhile.
   */
  async bringUpToDate(source: ScopeSource): Promise<string> {
    for (;;) {
      const outcome = await this.#turns.runShared(source.key, () => this.#sync(source));
      if (typeof outcome === 'string') return outcome;
      // Not in its turn: saves that were begun before wait for it too.
      await this.#leaveAtRest(source, outcome);
    }
  }

  /** What had this name is no longer held: the next search loads the scope anew. */
  forget(source: ScopeSource, name: string): void {
    if (this.#synced.get(source.key)?.name === name) this.#synced.delete(source.key);
  }

  /** What is gone for good leaves memory now, and not with the next search. */
  async removeThreads(threads: readonly string[]): Promise<void> {
    for (const [key, known] of [...this.#synced]) {
      const held = threads.filter((thread) => known.threads.has(thread));
      const remove = () => Promise.all(held.map((thread) => this.#removeThread(known, thread)));
      if (held.length > 0) await this.#turns.run(key, remove).catch(ignoreLost);
    }
  }

  /** Its name, or what is known of it where it is too large to go on. */
  async #sync(source: ScopeSource): Promise<string | Synced> {
    const known = await this.#remembered(source);
    try {
      // What is stored may take more in memory than was thought.
      checkSize(known);
      // Once more where the count alone said that nothing was missed: what came meanwhile may have stood in for another.
      for (let round = 0; round < MOST_ROUNDS && (await this.#syncOnce(source, known)); round++);
      this.#snapshots?.consider(source, known, (available) => this.#planSave(source, known, available, false));
      return known.name;
    } catch (error) {
      if (error instanceof ScopeOutgrown) return known;
      if (error instanceof ScopeLost) this.forget(source, known.name);
      throw error;
    }
  }

  /** Stores all of it, so that its words and vectors need not be in memory. */
  async #leaveAtRest(source: ScopeSource, known: Synced): Promise<void> {
    const isStored = await this.#snapshots?.store(source, known, (available) => this.#planSave(source, known, available, true));
    // Better held whole than not found.
    if (!isStored) {
      known.mostSize = UNBOUNDED;
      return;
    }
    this.#large.add(source.key);
    const [oldest] = this.#large;
    if (this.#large.size > MOST_REMEMBERED && oldest !== undefined) this.#large.delete(oldest);
    if (isOutgrown(known)) await this.#drop(source, known);
  }

  /** It is loaded anew next. */
  async #drop(source: ScopeSource, known: Synced): Promise<void> {
    if (this.#synced.get(source.key) !== known) return;
    this.forget(source, known.name);
    await this.#indexes.ask<'drop'>({ op: 'drop', scope: known.name });
  }

  /** What is known of the threads, and what is to be written, of one and the same moment. */
  async #planSave(source: ScopeSource, known: Synced, available: readonly AvailableSegment[], isWhole: boolean) {
    return this.#turns.run(source.key, async () => {
      if (this.#synced.get(source.key) !== known) return undefined;
      const threads = Array.from(known.threads, ([thread, state]): StoredThread => ({ thread, ...state }));
      const plan = await this.#indexes.ask<'planSave'>({ op: 'planSave', scope: known.name, available, isWhole });
      // What it has at rest was replaced by another, or it made room: there is nothing to go on from.
      if (!plan) await this.#drop(source, known);
      return plan && { threads, plan };
    });
  }

  /** What it takes by now, as its index told. */
  noteSize(source: ScopeSource, name: string, { size, bytes }: ScopeSize): void {
    const known = this.#synced.get(source.key);
    if (known?.name === name) known.size = { size, bytes };
  }

  /** Items that are at rest without their vectors: in memory they may have them. */
  async takeInAnew(source: ScopeSource, name: string, items: readonly ItemPlace[]): Promise<void> {
    await this.#turns.run(source.key, async () => {
      const known = this.#synced.get(source.key);
      if (known?.name !== name) throw new ScopeLost();
      for (const [thread, some] of Map.groupBy(items, (item) => item.thread))
        await this.#pages.fetch(
          source,
          known,
          thread,
          some.map(({ id }) => id),
          true,
        );
    });
  }

  /** What is stored of it can't be used: it is loaded anew, and built anew unless another has saved it meanwhile. */
  async discard(source: ScopeSource, name: string, reason: string): Promise<void> {
    const known = this.#synced.get(source.key);
    if (known?.name !== name) return;
    this.forget(source, name);
    await this.#snapshots?.discard(source, known.snapshotNumber, reason);
  }

  /** Whether something was added that only the count vouches for, or may have been missed. */
  async #syncOnce(source: ScopeSource, known: Synced): Promise<boolean> {
    checkSize(known);
    // Read before the rows: what changes meanwhile shows at the next search.
    const marker = await source.marker();
    if (known.marker === marker) return false;
    const round: Round = { marker, isTorn: false };
    const threads = await source.threads();
    const present = new Map(threads.map((state) => [state.thread, state]));
    for (const [thread, { shared }] of known.threads) {
      const state = present.get(thread);
      if (state && state.shared !== shared) await this.#removeThread(known, thread);
    }
    await this.#loadWhole(
      source,
      known,
      round,
      groupThreads(
        threads.filter((state) => !known.threads.has(state.thread) && state.count <= PAGE_ITEMS),
        PAGE_ITEMS,
      ),
    );
    let isCounted = false;
    for (const state of threads) isCounted = (await this.#syncThread(source, known, round, state)) || isCounted;
    if (round.isTorn) return true;
    // What is new comes before what is gone goes: one may take the other's place, and a search beside this one finds either.
    for (const [thread, { edits }] of known.threads) {
      if (present.has(thread)) continue;
      // From one by labels it may have gone, and be there in others.
      if ((await this.#removeThread(known, thread)) && !source.kept?.onlyLarge) this.#snapshots?.notes.noteGone(source, thread, edits);
    }
    known.marker = marker;
    return isCounted;
  }

  /** Whether something of it was stored. */
  async #removeThread(known: Synced, thread: string): Promise<boolean> {
    const { wasStored } = requireLoaded(await this.#indexes.ask<'removeThread'>({ op: 'removeThread', scope: known.name, thread }));
    known.threads.delete(thread);
    return wasStored;
  }

  async #loadWhole(source: ScopeSource, known: Synced, round: Round, groups: readonly ThreadState[][]): Promise<void> {
    for (const states of groups) {
      const loaded = new Map<string, { count: number; lastId: string }>();
      const threads = states.map(({ thread }) => thread);
      await this.#pages.load(source, known, threads, undefined, ({ thread, id }) => {
        loaded.set(thread, { count: (loaded.get(thread)?.count ?? 0) + 1, lastId: id });
      });
      for (const { thread, edits, shared } of states) {
        const { count = 0, lastId } = loaded.get(thread) ?? {};
        known.threads.set(thread, { count, edits, shared, lastId });
      }
      checkSize(known);
      if (states.some(({ thread, count }) => (loaded.get(thread)?.count ?? 0) < count)) await noteShortRead(source, round);
    }
  }

  /** Whether something was added that only the count vouches for. */
  async #syncThread(source: ScopeSource, known: Synced, round: Round, { thread, count, edits, shared }: ThreadState): Promise<boolean> {
    const before = known.threads.get(thread);
    if (before && before.count === count && before.edits === edits) return false;
    const state: KnownThread = before ?? { count: 0, edits, shared, lastId: undefined };
    if (state.edits === edits) {
      const after = state.lastId === undefined ? undefined : { thread, id: state.lastId };
      let { count: loaded, lastId } = state;
      await this.#pages.load(source, known, [thread], after, ({ id }) => {
        loaded++;
        lastId = id;
      });
      known.threads.set(thread, Object.assign(state, { count: loaded, lastId }));
      checkSize(known);
      // More came at the end than the count knew of, or it is exactly as counted: most likely nothing was put in between.
      if (loaded >= count) return true;
    }
    if (before && (await this.#syncChanged(source, known, before, { thread, count, edits }))) return true;
    const listed = await source.listing(thread);
    // What it was compared with would go, and what took its place is not there yet.
    if (listed.length < count && (await noteShortRead(source, round))) return false;
    state.lastId = await this.#compare(source, known, { thread, edits }, listed);
    known.threads.set(thread, Object.assign(state, { count, edits }));
    return false;
  }

  /** Reads just what changed, where that is known; whether it then has as many as are counted. */
  async #syncChanged(source: ScopeSource, known: Synced, before: KnownThread, { thread, count, edits }: ThreadState): Promise<boolean> {
    if (before.edits === edits) return false;
    const changed = await source.changed?.(thread, before.edits, edits);
    if (!changed) return false;
    // What is there in another form takes the place of what was, and what is gone goes then: a search beside this one finds either.
    const there = await this.#pages.fetch(source, known, thread, changed);
    const gone = changed.filter((id) => !there.has(id));
    requireLoaded(await this.#indexes.ask<'remove'>({ op: 'remove', scope: known.name, ids: gone }));
    let { lastId } = before;
    await this.#pages.load(source, known, [thread], lastId === undefined ? undefined : { thread, id: lastId }, ({ id }) => {
      lastId = id;
    });
    checkSize(known);
    const counted = requireLoaded(await this.#indexes.ask<'countThread'>({ op: 'countThread', scope: known.name, thread }));
    if (counted.count !== count) return false;
    known.threads.set(thread, Object.assign(before, { count, edits, lastId }));
    return true;
  }

  /** What was edited, deleted, or brought along from the past; gives the last id of the thread. */
  async #compare(
    source: ScopeSource,
    known: Synced,
    { thread, edits }: Pick<ThreadState, 'thread' | 'edits'>,
    listed: { id: string; version: number }[],
  ): Promise<string | undefined> {
    const compared = requireLoaded(await this.#indexes.ask<'compare'>({ op: 'compare', scope: known.name, thread, listed }));
    const { wanted, outdated } = compared;
    this.#snapshots?.notes.noteOutdated(source, thread, edits, outdated);
    await this.#pages.fetch(source, known, thread, wanted);
    return listed.reduce<string | undefined>((max, { id }) => (max === undefined || id > max ? id : max), undefined);
  }

  async #remembered(source: ScopeSource): Promise<Synced> {
    const found = this.#synced.get(source.key);
    this.#synced.delete(source.key);
    if (found && found.generation === this.#indexes.generationOf(found.name)) {
      this.#synced.set(source.key, found);
      return found;
    }
    const isLarge = this.#large.has(source.key);
    const name = scopeName(source.key, ++this.#loadings, isLarge || ((await this.#snapshots?.isLarge(source)) ?? false));
    const open = () => this.#indexes.ask<'open'>({ op: 'open', scope: name, workspaceId: source.workspaceId, profile: source.profile });
    // What is stored is read while its thread may have to start; questions keep their order.
    const opened = open();
    const generation = this.#indexes.generationOf(name);
    const [stored] = await Promise.all([this.#snapshots?.load(source, name, open, isLarge), opened]);
    const threads = new Map(stored?.threads.map(({ thread, count, edits, shared, lastId }) => [thread, { count, edits, shared, lastId }]));
    const { size = NOTHING, pagedItems = 0, number: snapshotNumber = 0 } = stored ?? {};
    const { limits } = this.#indexes;
    const mostSize = pagedItems > 0 ? sizeWithTail(size, pagedItems, limits) : { ...UNBOUNDED, bytes: limits.scopeBytes };
    const fresh: Synced = { name, generation, marker: undefined, threads, unsaved: 0, snapshotNumber, size, mostSize };
    this.#synced.set(source.key, fresh);
    await this.#dropOldest();
    return fresh;
  }

  async #dropOldest(): Promise<void> {
    if (this.#synced.size <= MOST_REMEMBERED) return;
    const [[key, { name }]] = this.#synced.entries().take(1).toArray() as [[string, Synced]];
    this.#synced.delete(key);
    await this.#indexes.ask<'drop'>({ op: 'drop', scope: name });
  }
}

/** How the names begin that a scope has in the index, one after the other. */
export function nameBeginning({ key }: ScopeSource): string {
  return `${key}#`;
}
