/** Keeps a scope's index in step with the database, at the cost of what changed since the last search. */
import type { SearchIndexes } from './indexes.ts';
import type { VersionedItem } from './protocol.ts';
import type { ProfileName } from './ranking/profiles.ts';

/** A session or a document: what its items count, and a mark that moves with every edit or deletion. */
export interface ThreadState {
  readonly thread: string;
  readonly count: number;
  readonly edits: string;
  /** What all of its items have from it, labels say: when it changes, they are all read again. */
  readonly shared?: string;
}

/** Where the items of a scope come from. */
export interface ScopeSource {
  /** Names the scope among all others. */
  readonly key: string;
  readonly profile: ProfileName;
  /** Whose vectors its items come with. */
  readonly model: string;
  /** How many items have no vector of the model. */
  missingVectors(): Promise<number>;
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
  shared: string | undefined;
  lastId: string | undefined;
}

interface Synced {
  /** What the index knows it by: another name after each loading, so that nobody searches one that is loaded by half. */
  readonly name: string;
  readonly generation: number;
  marker: string | undefined;
  readonly threads: Map<string, KnownThread>;
}

/** The index had to make room, or its thread was started anew: what it held must be loaded again. */
export class ScopeLost extends Error {
  constructor() {
    super('The search index made room for others');
    this.name = 'ScopeLost';
  }
}

const LOADED_AT_ONCE = 2000;
const FETCHED_AT_ONCE = 500;
const THREADS_AT_ONCE = 200;
const MOST_REMEMBERED = 5000;
const MOST_ROUNDS = 3;

export class Scopes {
  readonly #indexes: SearchIndexes;
  readonly #synced = new Map<string, Synced>();
  /** One synchronization of a scope at a time. */
  readonly #turns = new Map<string, Promise<string>>();
  #loadings = 0;

  constructor(indexes: SearchIndexes) {
    this.#indexes = indexes;
  }

  /**
   * Resolves when the index holds everything that was acknowledged before the call, with the name that it has there. Throws
   * `ScopeLost` when it had to make room meanwhile.
   */
  async bringUpToDate(source: ScopeSource): Promise<string> {
    const before: Promise<unknown> = this.#turns.get(source.key) ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(() => this.#sync(source));
    this.#turns.set(source.key, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(source.key) === turn) this.#turns.delete(source.key);
    }
  }

  /** What had this name is no longer held: the next search loads the scope anew. */
  forget(source: ScopeSource, name: string): void {
    if (this.#synced.get(source.key)?.name === name) this.#synced.delete(source.key);
  }

  async #sync(source: ScopeSource): Promise<string> {
    const known = await this.#remembered(source);
    try {
      // Once more where the count alone said that nothing was missed: what came meanwhile may have stood in for another.
      for (let round = 0; round < MOST_ROUNDS && (await this.#syncOnce(source, known)); round++);
      return known.name;
    } catch (error) {
      if (error instanceof ScopeLost) this.forget(source, known.name);
      throw error;
    }
  }

  /** Whether something was added that only the count vouches for. */
  async #syncOnce(source: ScopeSource, known: Synced): Promise<boolean> {
    // Read before the rows: what changes meanwhile shows at the next search.
    const marker = await source.marker();
    if (known.marker === marker) return false;
    const threads = await source.threads();
    const present = new Map(threads.map((state) => [state.thread, state]));
    for (const [thread, { shared }] of known.threads) {
      const state = present.get(thread);
      if (state && state.shared === shared) continue;
      requireLoaded(await this.#indexes.ask<'removeThread'>({ op: 'removeThread', scope: known.name, thread }));
      known.threads.delete(thread);
    }
    await this.#loadWhole(
      source,
      known,
      grouped(threads.filter((state) => !known.threads.has(state.thread) && state.count <= LOADED_AT_ONCE)),
    );
    let isCounted = false;
    for (const state of threads) isCounted = (await this.#syncThread(source, known, state)) || isCounted;
    known.marker = marker;
    return isCounted;
  }

  /** The database reads the next group while the index takes in the last one. */
  async #loadWhole(source: ScopeSource, known: Synced, groups: readonly ThreadState[][]): Promise<void> {
    const read = (group: readonly ThreadState[] | undefined) => group && settled(source.wholeThreads(group.map(({ thread }) => thread)));
    let next = read(groups[0]);
    for (const [index, states] of groups.entries()) {
      const items = await unsettled(next);
      next = read(groups[index + 1]);
      await this.#upsert(known, items);
      const loaded = Map.groupBy(items, ({ thread }) => thread);
      for (const { thread, edits, shared } of states) {
        const own = loaded.get(thread) ?? [];
        known.threads.set(thread, { count: own.length, edits, shared, lastId: own.at(-1)?.id });
      }
    }
  }

  /** Whether something was added that only the count vouches for. */
  async #syncThread(source: ScopeSource, known: Synced, { thread, count, edits, shared }: ThreadState): Promise<boolean> {
    const before = known.threads.get(thread);
    if (before && before.count === count && before.edits === edits) return false;
    const state: KnownThread = before ?? { count: 0, edits, shared, lastId: undefined };
    if (state.edits === edits) {
      let loaded = state.count;
      let next = settled(source.itemsAfter(thread, state.lastId, LOADED_AT_ONCE));
      for (let isLast = false; !isLast; ) {
        const items = await unsettled(next);
        isLast = items.length < LOADED_AT_ONCE;
        const lastId = items.at(-1)?.id ?? state.lastId;
        if (!isLast) next = settled(source.itemsAfter(thread, lastId, LOADED_AT_ONCE));
        if (items.length > 0) await this.#upsert(known, items);
        loaded += items.length;
        state.lastId = lastId;
      }
      known.threads.set(thread, Object.assign(state, { count: loaded }));
      // More came at the end than the count knew of, or it is exactly as counted: most likely nothing was put in between.
      if (loaded >= count) return true;
    }
    state.lastId = await this.#compare(source, known, thread);
    known.threads.set(thread, Object.assign(state, { count, edits }));
    return false;
  }

  /** What was edited, deleted, or brought along from the past; gives the last id of the thread. */
  async #compare(source: ScopeSource, known: Synced, thread: string): Promise<string | undefined> {
    const listed = await source.listing(thread);
    const { wanted } = requireLoaded(await this.#indexes.ask<'compare'>({ op: 'compare', scope: known.name, thread, listed }));
    for (let start = 0; start < wanted.length; start += FETCHED_AT_ONCE) {
      await this.#upsert(known, await source.items(thread, wanted.slice(start, start + FETCHED_AT_ONCE)));
    }
    return listed.reduce<string | undefined>((max, { id }) => (max === undefined || id > max ? id : max), undefined);
  }

  async #upsert({ name }: Synced, items: VersionedItem[]): Promise<void> {
    requireLoaded(await this.#indexes.ask<'upsert'>({ op: 'upsert', scope: name, items }));
  }

  async #remembered(source: ScopeSource): Promise<Synced> {
    const found = this.#synced.get(source.key);
    this.#synced.delete(source.key);
    if (found && found.generation === this.#indexes.generation) {
      this.#synced.set(source.key, found);
      return found;
    }
    const name = `${nameBeginning(source)}${++this.#loadings}`;
    await this.#indexes.ask<'open'>({ op: 'open', scope: name, profile: source.profile });
    const fresh: Synced = { name, generation: this.#indexes.generation, marker: undefined, threads: new Map() };
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

/** What is read ahead may fail before anybody waits for it: that is no reason to end the process. */
function settled(reading: Promise<VersionedItem[]>): Promise<PromiseSettledResult<VersionedItem[]>> {
  return Promise.allSettled([reading]).then(([result]) => result as PromiseSettledResult<VersionedItem[]>);
}

async function unsettled(reading: Promise<PromiseSettledResult<VersionedItem[]>> | undefined): Promise<VersionedItem[]> {
  const result = await reading;
  if (result === undefined) return [];
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

function requireLoaded<T>(answer: T | undefined): T {
  if (answer === undefined) throw new ScopeLost();
  return answer;
}
