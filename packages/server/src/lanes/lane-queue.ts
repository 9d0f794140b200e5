/** Workspaces in turn: each has a lane of its own, and nobody waits for all that another has lined up. */

/** Items in lanes; the lanes take turns, the items of a lane keep their order. */
export class LaneQueue<T> {
  /** In the order of their turns; none is empty. */
  readonly #lanes = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Of those that something waits in. */
  get laneCount(): number {
    return this.#lanes.size;
  }

  sizeOf(lane: string): number {
    return this.#lanes.get(lane)?.length ?? 0;
  }

  push(lane: string, item: T): void {
    const items = this.#lanes.get(lane);
    if (items) items.push(item);
    else this.#lanes.set(lane, [item]);
    this.#size++;
  }

  /** In front of what its lane has, without a new turn for the lane. */
  putBack(lane: string, item: T): void {
    const items = this.#lanes.get(lane);
    if (items) items.unshift(item);
    else this.#lanes.set(lane, [item]);
    this.#size++;
  }

  /** What `shift` would give. */
  peek(): T | undefined {
    const [items] = this.#lanes.values();
    return items?.[0];
  }

  /** The first of the lane whose turn it is; of those lanes only that are open, where that is asked. */
  shift(isOpen: (lane: string) => boolean = () => true): T | undefined {
    for (const [lane, items] of this.#lanes) {
      if (!isOpen(lane)) continue;
      this.#lanes.delete(lane);
      const item = items.shift();
      if (items.length > 0) this.#lanes.set(lane, items);
      this.#size--;
      return item;
    }
    return undefined;
  }

  /** The last of a lane. */
  pop(lane: string): T | undefined {
    const items = this.#lanes.get(lane);
    const item = items?.pop();
    if (!items || item === undefined) return undefined;
    if (items.length === 0) this.#lanes.delete(lane);
    this.#size--;
    return item;
  }

  /** Of one lane where it is named, of all otherwise. */
  drop(isUnwanted: (item: T) => boolean, only?: string): void {
    const own = only === undefined ? undefined : this.#lanes.get(only);
    for (const [lane, items] of only === undefined ? this.#lanes : own ? [[only, own] as const] : []) {
      const kept = items.filter((item) => !isUnwanted(item));
      this.#size -= items.length - kept.length;
      if (kept.length === 0) this.#lanes.delete(lane);
      else this.#lanes.set(lane, kept);
    }
  }
}
