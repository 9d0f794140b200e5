/** Groups of items that are being embedded and stored at a time: how many, whose, and what failed. */
import { compareItems, type ItemSpan } from './embedding-claims.ts';
import type { QueuedItem } from './vectors.ts';

interface Group {
  readonly workspaceId: string;
  readonly items: readonly QueuedItem[];
  readonly done: Promise<void>;
}

export class GroupsUnderWay {
  readonly #groups = new Set<Group>();
  #failure: { readonly error: unknown } | undefined;

  get size(): number {
    return this.#groups.size;
  }

  sizeOf(workspaceId: string): number {
    return this.#of(workspaceId).length;
  }

  /** Around all items of a workspace that are under way, if any are. */
  spanOf(workspaceId: string): ItemSpan | undefined {
    const items = this.#of(workspaceId).flatMap((group) => [group.items.at(0), group.items.at(-1)].filter((item) => item !== undefined));
    const [first, last] = [items.toSorted(compareItems).at(0), items.toSorted(compareItems).at(-1)];
    return first && last && { first, last };
  }

  /** `items` are in order. */
  add(workspaceId: string, items: readonly QueuedItem[], work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#groups.delete(group));
    const group: Group = { workspaceId, items, done };
    this.#groups.add(group);
  }

  /** Resolves when fewer than so many are under way. Where one has failed, waits for all of them, and throws what it failed with. */
  async waitForRoom(most: number): Promise<void> {
    while (this.#groups.size >= most && !this.#failure) await this.#next();
    if (this.#failure) await this.settle();
  }

  /** Waits for all of them, and throws what the first that failed did. */
  async settle(): Promise<void> {
    while (this.#groups.size > 0) await this.#next();
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
  }

  async #next(): Promise<void> {
    await Promise.race([...this.#groups].map(({ done }) => done));
  }

  #of(workspaceId: string): Group[] {
    return [...this.#groups].filter((group) => group.workspaceId === workspaceId);
  }
}
