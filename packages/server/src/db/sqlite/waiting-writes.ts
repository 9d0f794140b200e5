/** Writes that wait for the writer thread, in the lanes of those who asked for them. */
import { BoundedLaneQueue } from '../../lanes/bounded-lane-queue.ts';
import { currentLane } from '../../lanes/current-lane.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { Item, UnitItem } from './write-items.ts';

const MAX_QUEUE_BYTES = 64 * 1024 * 1024;
/** What one lane may have of the queue. */
const LANE_SHARE = 1 / 4;

export class WaitingWrites {
  readonly #queue: BoundedLaneQueue<Item>;
  /** How many are no units, and share nothing with what waits behind them before they are done. */
  #others = 0;

  constructor(maxItems: number) {
    this.#queue = new BoundedLaneQueue({
      maxItems,
      maxItemsOfLane: Math.ceil(maxItems * LANE_SHARE),
      maxBytes: MAX_QUEUE_BYTES,
      maxBytesOfLane: MAX_QUEUE_BYTES * LANE_SHARE,
    });
  }

  get length(): number {
    return this.#queue.length;
  }

  get laneCount(): number {
    return this.#queue.laneCount;
  }

  get refusedTotal(): number {
    return this.#queue.refusedTotal;
  }

  get areAllUnits(): boolean {
    return this.#others === 0;
  }

  /** The kind of the one whose turn it is. */
  get nextKind(): Item['kind'] | undefined {
    return this.#queue.peek()?.kind;
  }

  /** In the current lane. Those for whom there is no place are turned away. */
  add(item: Item): void {
    this.#count(item, 1);
    for (const refused of this.#queue.add(currentLane(), item, item.kind === 'unit' ? item.size : 0)) {
      this.#count(refused, -1);
      refused.reject(new DatabaseUnavailable('Too many writes are waiting; try again shortly.'));
    }
  }

  take(): Item | undefined {
    const item = this.#queue.take();
    if (item) this.#count(item, -1);
    return item;
  }

  /** Those whose turn it is, up to the first that is no unit. One alone is taken however large it is. */
  takeUnits(maxUnits: number, maxBytes: number): UnitItem[] {
    const items: UnitItem[] = [];
    let bytes = 0;
    for (let item = this.#queue.peek(); item?.kind === 'unit' && items.length < maxUnits; item = this.#queue.peek()) {
      bytes += item.size;
      if (items.length > 0 && bytes > maxBytes) break;
      items.push(item);
      this.#queue.take();
    }
    return items;
  }

  rejectAll(error: unknown): void {
    this.#others = 0;
    for (const item of this.#queue.takeAll()) item.reject(error);
  }

  #count(item: Item, by: number): void {
    if (item.kind !== 'unit') this.#others += by;
  }
}
