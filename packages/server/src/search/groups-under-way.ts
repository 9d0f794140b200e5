/** Groups of items that are being embedded and stored at a time: how many, whose, and what failed. */
import { endsOf } from './embedding-claims.ts';
import type { QueuedItem } from './vectors.ts';

interface Group {
  readonly workspaceId: string;
  readonly ends: readonly QueuedItem[];
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

  /** Of each group of a workspace the first and the last item. */
  endsOf(workspaceId: string): QueuedItem[] {
    return this.#of(workspaceId).flatMap(({ ends }) => ends);
  }

  add(workspaceId: string, items: readonly QueuedItem[], work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#groups.delete(group));
    const group: Group = { workspaceId, ends: endsOf(items), done };
    this.#groups.add(group);
  }

  /** Resolves when fewer than so many are under way. Where one has failed, waits for all of them, and throws what it failed with. */
  async waitForRoom(most: number): Promise<void> {
    while (this.#groups.size >= most && !this.#failure) await this.waitForOne();
    if (this.#failure) await this.settle();
  }

  /** Until one more is done, or has failed. At once where none is under way. */
  async waitForOne(): Promise<void> {
    if (this.#groups.size > 0) await Promise.race([...this.#groups].map(({ done }) => done));
  }

  /** Waits for all of them, and throws what the first that failed did. */
  async settle(): Promise<void> {
    while (this.#groups.size > 0) await this.waitForOne();
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
  }

  #of(workspaceId: string): Group[] {
    return [...this.#groups].filter((group) => group.workspaceId === workspaceId);
  }
}
