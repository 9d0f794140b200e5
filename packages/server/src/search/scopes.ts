/** Keeps a scope's index in step with the database, at the cost of what changed since the last search. */
import type { SearchIndexes } from './indexes.ts';
import type { VersionedItem } from './protocol.ts';
import type { ProfileName } from './ranking/profiles.ts';

/** A session or a document: what its items count, and a mark that moves with every edit or deletion. */
export interface ThreadState {
  readonly thread: string;
  readonly count: number;
  readonly edits: string;
}

/** Where the items of a scope come from. */
export interface ScopeSource {
  /** Names the scope among all others. */
  readonly key: string;
  readonly profile: ProfileName;
  /** Cheap; equal to the last one means that nothing changed. */
  marker(): Promise<string>;
  threads(): Promise<ThreadState[]>;
  listing(thread: string): Promise<{ id: string; version: number }[]>;
  /** Those of a thread after one of them, in order. */
  itemsAfter(thread: string, id: string | undefined, limit: number): Promise<VersionedItem[]>;
  items(thread: string, ids: readonly string[]): Promise<VersionedItem[]>;
  /** All items of several small threads in one query, each thread's in order. */
  wholeThreads(threads: readonly string[]): Promise<VersionedItem[]>;
}

interface KnownThread {
  count: number;
  edits: string;
  lastId: string | undefined;
}

interface Synced {
  generation: number;
  marker: string | undefined;
  readonly threads: Map<string, KnownThread>;
}

/** The index had to make room, or its thread was started anew: what it held must be loaded again. */
class ScopeLost extends Error {}

const LOADED_AT_ONCE = 2000;
const FETCHED_AT_ONCE = 500;
const THREADS_AT_ONCE = 200;
const MOST_REMEMBERED = 5000;

export class Scopes {
  readonly #indexes: SearchIndexes;
  readonly #synced = new Map<string, Synced>();
  /** One synchronization of a scope at a time. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(indexes: SearchIndexes) {
    this.#indexes = indexes;
  }

  /** Resolves when the index holds everything that was acknowledged before the call. */
  async bringUpToDate(source: ScopeSource): Promise<void> {
    const before = this.#turns.get(source.key) ?? Promise.resolve();
    const turn = before
      .catch(() => undefined)
      .then(() => this.#sync(source))
      .catch((error) => {
        if (!(error instanceof ScopeLost)) throw error;
        this.forget(source.key);
        return this.#sync(source);
      });
    this.#turns.set(source.key, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(source.key) === turn) this.#turns.delete(source.key);
    }
  }

  /** The index made room for others: the next search loads the scope anew. */
  forget(key: string): void {
    this.#synced.delete(key);
  }

  async #sync(source: ScopeSource): Promise<void> {
    const known = await this.#remembered(source);
    // Read before the rows: what changes meanwhile shows at the next search.
    const marker = await source.marker();
    if (known.marker === marker) return;
    const threads = await source.threads();
    const present = new Set(threads.map(({ thread }) => thread));
    for (const thread of known.threads.keys()) {
      if (present.has(thread)) continue;
      held(await this.#indexes.ask<'removeThread'>({ op: 'removeThread', scope: source.key, thread }));
      known.threads.delete(thread);
    }
    for (const group of grouped(threads.filter((state) => !known.threads.has(state.thread) && state.count <= LOADED_AT_ONCE))) {
      await this.#loadWhole(source, known, group);
    }
    for (const state of threads) await this.#syncThread(source, known, state);
    known.marker = marker;
  }

  async #loadWhole(source: ScopeSource, known: Synced, states: readonly ThreadState[]): Promise<void> {
    const items = await source.wholeThreads(states.map(({ thread }) => thread));
    await this.#upsert(source, items);
    const loaded = Map.groupBy(items, ({ thread }) => thread);
    for (const { thread, edits } of states) {
      const own = loaded.get(thread) ?? [];
      known.threads.set(thread, { count: own.length, edits, lastId: own.at(-1)?.id });
    }
  }

  async #syncThread(source: ScopeSource, known: Synced, { thread, count, edits }: ThreadState): Promise<void> {
    const before = known.threads.get(thread);
    if (before && before.count === count && before.edits === edits) return;
    const state: KnownThread = before ?? { count: 0, edits, lastId: undefined };
    if (state.edits === edits) {
      let loaded = state.count;
      for (;;) {
        const items = await source.itemsAfter(thread, state.lastId, LOADED_AT_ONCE);
        if (items.length > 0) await this.#upsert(source, items);
        loaded += items.length;
        state.lastId = items.at(-1)?.id ?? state.lastId;
        if (items.length < LOADED_AT_ONCE) break;
      }
      known.threads.set(thread, Object.assign(state, { count: loaded }));
      // More came at the end than the count knew of, or it is exactly as counted: nothing was put in between.
      if (loaded >= count) return;
    }
    await this.#compare(source, thread);
    known.threads.set(thread, Object.assign(state, { count, edits }));
  }

  /** What was edited, deleted, or brought along from the past. */
  async #compare(source: ScopeSource, thread: string): Promise<void> {
    const listed = await source.listing(thread);
    const { wanted } = held(await this.#indexes.ask<'compare'>({ op: 'compare', scope: source.key, thread, listed }));
    for (let start = 0; start < wanted.length; start += FETCHED_AT_ONCE) {
      await this.#upsert(source, await source.items(thread, wanted.slice(start, start + FETCHED_AT_ONCE)));
    }
    const state = this.#synced.get(source.key)?.threads.get(thread);
    const last = listed.reduce<string | undefined>((max, { id }) => (max === undefined || id > max ? id : max), undefined);
    if (state) state.lastId = last;
  }

  async #upsert(source: ScopeSource, items: VersionedItem[]): Promise<void> {
    held(await this.#indexes.ask<'upsert'>({ op: 'upsert', scope: source.key, items }));
  }

  async #remembered(source: ScopeSource): Promise<Synced> {
    const found = this.#synced.get(source.key);
    this.#synced.delete(source.key);
    if (found && found.generation === this.#indexes.generation) {
      this.#synced.set(source.key, found);
      return found;
    }
    await this.#indexes.ask<'open'>({ op: 'open', scope: source.key, profile: source.profile });
    const fresh: Synced = { generation: this.#indexes.generation, marker: undefined, threads: new Map() };
    if (this.#synced.size >= MOST_REMEMBERED) this.#synced.delete(this.#synced.keys().next().value as string);
    this.#synced.set(source.key, fresh);
    return fresh;
  }
}

/** Threads whose items together make one load. */
function grouped(threads: readonly ThreadState[]): ThreadState[][] {
  const groups: ThreadState[][] = [];
  let items = Number.POSITIVE_INFINITY;
  for (const state of threads) {
    const group = groups.at(-1);
    if (group && items + state.count <= LOADED_AT_ONCE && group.length < THREADS_AT_ONCE) {
      group.push(state);
      items += state.count;
    } else {
      groups.push([state]);
      items = state.count;
    }
  }
  return groups;
}

function held<T>(answer: T | undefined): T {
  if (answer === undefined) throw new ScopeLost();
  return answer;
}
