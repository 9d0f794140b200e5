/** A queue in lanes with a bound for all and for each: a lane's crowd never keeps out another's first. */
import { LaneQueue } from './lane-queue.ts';

export interface LaneQueueLimits {
  readonly maxItems: number;
  readonly maxItemsOfLane: number;
  readonly maxBytes?: number;
  readonly maxBytesOfLane?: number;
}

interface Entry<Item> {
  readonly lane: string;
  readonly item: Item;
  readonly sizeBytes: number;
}

export class BoundedLaneQueue<Item> {
  refusedTotal = 0;
  readonly #limits: Required<LaneQueueLimits>;
  readonly #queue = new LaneQueue<Entry<Item>>();
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  constructor(limits: LaneQueueLimits) {
    this.#limits = { maxBytes: Number.POSITIVE_INFINITY, maxBytesOfLane: Number.POSITIVE_INFINITY, ...limits };
  }

  get length(): number {
    return this.#queue.size;
  }

  get laneCount(): number {
    return this.#queue.laneCount;
  }

  /**
   * Those for whom there is no place, for the caller to turn away: the new one, where its lane has its share; else the
   * last ones of the lane that has most, so that a few crowded lanes never keep out another.
   */
  add(lane: string, item: Item, sizeBytes = 0): Item[] {
    const refused: Item[] = [];
    if (this.#isFull(lane, sizeBytes) || !this.#makeRoom(lane, sizeBytes, refused)) {
      refused.push(item);
    } else {
      this.#queue.push(lane, { lane, item, sizeBytes });
      this.#count(lane, sizeBytes);
    }
    this.refusedTotal += refused.length;
    return refused;
  }

  /** Whose turn it is. */
  peek(): Item | undefined {
    return this.#queue.peek()?.item;
  }

  /** Takes whose turn it is; the next turn is another lane's. */
  take(): Item | undefined {
    return this.#taken(this.#queue.shift());
  }

  /** For one that waits no longer. */
  remove(lane: string, item: Item): void {
    let removed: Entry<Item> | undefined;
    this.#queue.drop((entry) => {
      if (entry.item === item) removed = entry;
      return entry.item === item;
    }, lane);
    this.#taken(removed);
  }

  takeAll(): Item[] {
    const items: Item[] = [];
    for (let item = this.take(); item !== undefined; item = this.take()) items.push(item);
    return items;
  }

  /** One alone in its lane is always let in, however large. */
  #isFull(lane: string, sizeBytes: number): boolean {
    const { maxItemsOfLane, maxBytesOfLane } = this.#limits;
    const items = this.#queue.sizeOf(lane);
    return items >= maxItemsOfLane || (items > 0 && this.#bytesIn(lane) + sizeBytes > maxBytesOfLane);
  }

  /** Whether there is room now; those who had to make it go to `removed`. Nobody does for a lane that has as much. */
  #makeRoom(lane: string, sizeBytes: number, removed: Item[]): boolean {
    const { maxItems, maxBytes } = this.#limits;
    while (this.length >= maxItems || (this.#bytes > 0 && this.#bytes + sizeBytes > maxBytes)) {
      const isByItems = this.length >= maxItems;
      const measure = (other: string) => (isByItems ? this.#queue.sizeOf(other) : this.#bytesIn(other));
      const largest = this.#largest(measure);
      if (largest === undefined || largest === lane || measure(largest) <= measure(lane) + (isByItems ? 1 : sizeBytes)) return false;
      removed.push(this.#taken(this.#queue.pop(largest)) as Item);
    }
    return true;
  }

  #largest(measure: (lane: string) => number): string | undefined {
    let largest: string | undefined;
    for (const lane of this.#bytesOf.keys()) if (largest === undefined || measure(lane) > measure(largest)) largest = lane;
    return largest;
  }

  #taken(entry: Entry<Item> | undefined): Item | undefined {
    if (entry) this.#count(entry.lane, -entry.sizeBytes);
    return entry?.item;
  }

  #bytesIn(lane: string): number {
    return this.#bytesOf.get(lane) ?? 0;
  }

  #count(lane: string, bytes: number): void {
    this.#bytes += bytes;
    if (this.#queue.sizeOf(lane) === 0) this.#bytesOf.delete(lane);
    else this.#bytesOf.set(lane, this.#bytesIn(lane) + bytes);
  }
}
