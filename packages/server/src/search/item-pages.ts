/** Reads the items of a scope page by page, and hands them to its index. */
import { LaneLimiter } from '../lanes/lane-limiter.ts';
import type { SearchIndexes } from './indexes.ts';
import type { VersionedItem } from './protocol.ts';
import { requireLoaded } from './scope-lost.ts';
import type { ItemPage, ItemPlace, ScopeSource } from './scope-source.ts';
import { checkSize, isOutgrown, type Synced } from './synced-scope.ts';

const FETCHED_AT_ONCE = 500;
/** Pages in memory at a time, of one workspace (one is read while the index takes in the other) and of all. */
const PAGES_OF_WORKSPACE = 2;
const PAGES_OF_ALL = 6;

export class ItemPages {
  readonly #indexes: SearchIndexes;
  readonly #inMemory = new LaneLimiter({ inFlight: PAGES_OF_ALL, inFlightOfLane: PAGES_OF_WORKSPACE });

  constructor(indexes: SearchIndexes) {
    this.#indexes = indexes;
  }

  /** The database reads the next one while the index takes in the last. Stops early where the scope is too large to go on. */
  async load(
    source: ScopeSource,
    known: Synced,
    threads: readonly string[],
    after: ItemPlace | undefined,
    loaded: (item: ItemPlace) => void,
  ): Promise<void> {
    let [place, before]: [ItemPlace | undefined, Promise<void>] = [after, Promise.resolve()];
    for (let isLast = false; !isLast; ) {
      const { page, taken } = await this.#loadPage(known, source, () => source.itemsAfter(threads, place));
      await before;
      before = taken;
      for (const item of page.items) loaded(item);
      place = page.items.at(-1) ?? place;
      isLast = page.isLast || isOutgrown(known);
    }
    await before;
  }

  /** A page holds its place until the index has taken it in; `taken` tells when, for whoever wants to know. */
  async #loadPage(known: Synced, { workspaceId }: ScopeSource, read: () => Promise<ItemPage>, isAnew = false) {
    const page = Promise.withResolvers<ItemPage>();
    const taken = this.#inMemory.run(workspaceId, async () => {
      try {
        page.resolve(await read());
      } catch (error) {
        page.reject(error);
      }
      const { items } = await page.promise;
      if (items.length > 0) await this.#upsert(known, items, isAnew);
    });
    // Whoever waits for it hears of it.
    taken.catch(() => undefined);
    return { page: await page.promise, taken };
  }

  /** Gives those that are there. `isAnew`: they are taken in although the index has them at rest. */
  async fetch(source: ScopeSource, known: Synced, thread: string, wanted: readonly string[], isAnew = false): Promise<Set<string>> {
    const found = new Set<string>();
    for (let start = 0; start < wanted.length; start += FETCHED_AT_ONCE) {
      let ids = wanted.slice(start, start + FETCHED_AT_ONCE);
      for (let isLast = false; !isLast; ) {
        const { page, taken } = await this.#loadPage(known, source, () => source.items(thread, ids), isAnew);
        await taken;
        const read = new Set(page.items.map(({ id }) => id));
        for (const id of read) found.add(id);
        ids = ids.filter((id) => !read.has(id));
        isLast = page.isLast;
        // What was read is known by its version when the rest is asked for again.
        if (!isAnew) checkSize(known);
      }
    }
    return found;
  }

  async #upsert(known: Synced, items: VersionedItem[], isAnew: boolean): Promise<void> {
    known.unsaved += items.length;
    known.size = requireLoaded(await this.#indexes.ask<'upsert'>({ op: 'upsert', scope: known.name, items, isAnew }));
  }
}
