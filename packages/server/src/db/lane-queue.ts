/** A queue that is served in turn by lane, so that one lane's crowd never stands before another's first. */

export interface LaneQueueLimits {
  readonly maxItems: number;
  readonly maxItemsOfLane: number;
  readonly maxBytes?: number;
  readonly maxBytesOfLane?: number;
}

interface Entry<Item> {
  readonly item: Item;
  readonly sizeBytes: number;
}

interface Lane<Item> {
  readonly name: string;
  readonly entries: Entry<Item>[];
  bytes: number;
}

export class LaneQueue<Item> {
  refusedTotal = 0;
  readonly #limits: Required<LaneQueueLimits>;
  readonly #lanes = new Map<string, Lane<Item>>();
  /** The lanes in the order of their turns; each has entries. */
  readonly #turns: Lane<Item>[] = [];
  #length = 0;
  #bytes = 0;

  constructor(limits: LaneQueueLimits) {
    this.#limits = { maxBytes: Number.POSITIVE_INFINITY, maxBytesOfLane: Number.POSITIVE_INFINITY, ...limits };
  }

  get length(): number {
    return this.#length;
  }

  get laneCount(): number {
    return this.#turns.length;
  }

  /**
   * Those for whom there is no place, for the caller to turn away: the new one, where its lane has its share; else the
   * last ones of the lane that has most, so that a few crowded lanes never keep out another.
   */
  add(laneName: string, item: Item, sizeBytes = 0): Item[] {
    const lane = this.#lanes.get(laneName) ?? { name: laneName, entries: [], bytes: 0 };
    const refused: Item[] = [];
    if (this.#isFull(lane, sizeBytes) || !this.#makeRoom(lane, sizeBytes, refused)) {
      refused.push(item);
      this.refusedTotal += refused.length;
      return refused;
    }
    this.refusedTotal += refused.length;
    if (lane.entries.length === 0) {
      this.#lanes.set(laneName, lane);
      this.#turns.push(lane);
    }
    lane.entries.push({ item, sizeBytes });
    this.#count(lane, 1, sizeBytes);
    return refused;
  }

  /** Whose turn it is. */
  peek(): Item | undefined {
    return this.#turns[0]?.entries[0]?.item;
  }

  /** Takes whose turn it is; the next turn is another lane's. */
  take(): Item | undefined {
    const lane = this.#turns.shift();
    const entry = lane?.entries.shift();
    if (!lane || !entry) return undefined;
    this.#count(lane, -1, -entry.sizeBytes);
    if (lane.entries.length > 0) this.#turns.push(lane);
    else this.#lanes.delete(lane.name);
    return entry.item;
  }

  /** For one that waits no longer. */
  remove(laneName: string, item: Item): void {
    const lane = this.#lanes.get(laneName);
    const place = lane?.entries.findIndex((entry) => entry.item === item) ?? -1;
    if (lane && place !== -1) this.#removeAt(lane, place);
  }

  takeAll(): Item[] {
    const items: Item[] = [];
    for (let item = this.take(); item !== undefined; item = this.take()) items.push(item);
    return items;
  }

  /** One alone in its lane is always let in, however large. */
  #isFull({ entries, bytes }: Lane<Item>, sizeBytes: number): boolean {
    const { maxItemsOfLane, maxBytesOfLane } = this.#limits;
    return entries.length >= maxItemsOfLane || (entries.length > 0 && bytes + sizeBytes > maxBytesOfLane);
  }

  /** Whether there is room now; those who had to make it go to `removed`. Nobody does for a lane that has as much. */
  #makeRoom(lane: Lane<Item>, sizeBytes: number, removed: Item[]): boolean {
    const { maxItems, maxBytes } = this.#limits;
    while (this.#length >= maxItems || (this.#bytes > 0 && this.#bytes + sizeBytes > maxBytes)) {
      const byItems = this.#length >= maxItems;
      const largest = this.#largest(byItems);
      const isLarger = byItems ? largest.entries.length > lane.entries.length + 1 : largest.bytes > lane.bytes + sizeBytes;
      if (largest === lane || !isLarger) return false;
      removed.push(this.#removeAt(largest, largest.entries.length - 1));
    }
    return true;
  }

  #largest(byItems: boolean): Lane<Item> {
    const measure = (lane: Lane<Item>) => (byItems ? lane.entries.length : lane.bytes);
    return this.#turns.reduce((largest, lane) => (measure(lane) > measure(largest) ? lane : largest));
  }

  #removeAt(lane: Lane<Item>, place: number): Item {
    const [{ item, sizeBytes }] = lane.entries.splice(place, 1) as [Entry<Item>];
    this.#count(lane, -1, -sizeBytes);
    if (lane.entries.length === 0) {
      this.#lanes.delete(lane.name);
      this.#turns.splice(this.#turns.indexOf(lane), 1);
    }
    return item;
  }

  #count(lane: Lane<Item>, items: number, bytes: number): void {
    lane.bytes += bytes;
    this.#length += items;
    this.#bytes += bytes;
  }
}
