/** The ids and orders of a scope's items by slot, and the way from an id to its slot: numbers in typed arrays, and no object for an item. */

import { grown, reserved } from './arrays.ts';
import {
  hasOrderOfNumber,
  ID_WORDS,
  idKindOf,
  NUMBERED,
  numberOfId,
  ORDER_OF_ID,
  ORDER_OF_NUMBER,
  OTHER_ID,
  OTHER_ORDER,
  orderKindOf,
  orderOfNumber,
  parseUuid,
  splitNumbered,
  UUID,
  writeUuid,
} from './id-codes.ts';

const EMPTY = 0;
const REMOVED = -1;
const LEAST_PLACES = 16;

/** What items tell of themselves: the number of the thread of a slot, and the number of a name. */
export interface ThreadNames {
  nameOf(thread: number): string;
  numberOf(name: string): number | undefined;
}

export class SlotIds {
  readonly #names: ThreadNames;
  #words = new Uint32Array(0);
  #kinds = new Uint8Array(0);
  #threads = new Int32Array(0);
  /** Of ids that are no numbers. */
  readonly #others = new Map<string, number>();
  readonly #otherIds = new Map<number, string>();
  readonly #otherOrders = new Map<number, string>();
  /** Open addressing: a slot plus one at the place of its hash or behind it. */
  #table = new Int32Array(LEAST_PLACES);
  /** Places that are not empty, removed ones with them. */
  #taken = 0;
  #size = 0;
  readonly #parsed = new Uint32Array(ID_WORDS);

  constructor(names: ThreadNames) {
    this.#names = names;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    const others = (this.#otherIds.size * 2 + this.#otherOrders.size) * 80;
    return this.#words.byteLength + this.#kinds.byteLength + this.#threads.byteLength + this.#table.byteLength + others;
  }

  /** Room for so many slots, made once where they are known beforehand. */
  reserve(slots: number): void {
    this.#words = reserved(this.#words, slots * ID_WORDS);
    this.#kinds = reserved(this.#kinds, slots);
    this.#threads = reserved(this.#threads, slots);
    if (slots * 2 > this.#table.length) this.#rehash(slots * 2);
  }

  set(slot: number, id: string, order: string, thread: number): void {
    this.#words = grown(this.#words, (slot + 1) * ID_WORDS);
    this.#kinds = grown(this.#kinds, slot + 1);
    this.#threads = grown(this.#threads, slot + 1);
    this.#threads[slot] = thread;
    const at = slot * ID_WORDS;
    let kind: number;
    const number = numberOfId(id, this.#names.nameOf(thread));
    if (parseUuid(id, this.#parsed)) {
      kind = UUID;
      this.#words.set(this.#parsed, at);
    } else if (number !== undefined) {
      kind = NUMBERED;
      this.#words[at] = number;
    } else {
      kind = OTHER_ID;
      this.#otherIds.set(slot, id);
    }
    const isNumbered = kind === NUMBERED && hasOrderOfNumber(number as number) && order === orderOfNumber(number as number);
    const orderKind = order === id ? ORDER_OF_ID : isNumbered ? ORDER_OF_NUMBER : OTHER_ORDER;
    if (orderKind === OTHER_ORDER) this.#otherOrders.set(slot, order);
    this.#kinds[slot] = kind | orderKind;
    this.#enter(slot);
  }

  /** As a segment has them; `strings` are those of the segment. */
  setCoded(slot: number, kind: number, ids: Uint32Array, at: number, orderPlace: number, strings: readonly string[], thread: number): void {
    this.#threads[slot] = thread;
    this.#kinds[slot] = kind;
    const to = slot * ID_WORDS;
    for (let i = 0; i < ID_WORDS; i++) this.#words[to + i] = ids[at + i] as number;
    if (idKindOf(kind) === OTHER_ID) this.#otherIds.set(slot, strings[ids[at] as number] as string);
    if (orderKindOf(kind) === OTHER_ORDER) this.#otherOrders.set(slot, strings[orderPlace] as string);
    this.#enter(slot);
  }

  /** Into columns of a segment; a string goes where `placeOf` says. */
  copyCoded(slot: number, ids: Uint32Array, at: number, placeOf: (text: string) => number): { kind: number; order: number } {
    const kind = this.#kinds[slot] as number;
    if (idKindOf(kind) === OTHER_ID) ids[at] = placeOf(this.#otherIds.get(slot) as string);
    else ids.set(this.#words.subarray(slot * ID_WORDS, (slot + 1) * ID_WORDS), at);
    return { kind, order: orderKindOf(kind) === OTHER_ORDER ? placeOf(this.#otherOrders.get(slot) as string) : 0 };
  }

  remove(slot: number): void {
    if (idKindOf(this.#kinds[slot] as number) === OTHER_ID) {
      this.#others.delete(this.#otherIds.get(slot) as string);
      this.#otherIds.delete(slot);
    } else {
      const mask = this.#table.length - 1;
      let place = this.#hashOf(slot) & mask;
      while (this.#table[place] !== slot + 1) place = (place + 1) & mask;
      this.#table[place] = REMOVED;
    }
    this.#otherOrders.delete(slot);
    this.#size--;
  }

  id(slot: number): string {
    const kind = idKindOf(this.#kinds[slot] as number);
    if (kind === UUID) return writeUuid(this.#words, slot * ID_WORDS);
    if (kind === OTHER_ID) return this.#otherIds.get(slot) ?? '';
    return `${this.#names.nameOf(this.#threads[slot] as number)}:${this.#words[slot * ID_WORDS]}`;
  }

  order(slot: number): string {
    const kind = orderKindOf(this.#kinds[slot] as number);
    if (kind === ORDER_OF_ID) return this.id(slot);
    if (kind === OTHER_ORDER) return this.#otherOrders.get(slot) ?? '';
    return orderOfNumber(this.#words[slot * ID_WORDS] as number);
  }

  slotOf(id: string): number | undefined {
    if (parseUuid(id, this.#parsed)) return this.#find(hashOfWords(this.#parsed, 0), (slot) => this.#isUuid(slot));
    const { thread: name, number } = splitNumbered(id) ?? {};
    const thread = name === undefined ? undefined : this.#names.numberOf(name);
    if (thread !== undefined && number !== undefined) {
      const found = this.#find(hashOfNumber(thread, number), (slot) => this.#isNumbered(slot, thread, number));
      if (found !== undefined) return found;
    }
    return this.#others.get(id);
  }

  /** By order, then by id, in code units: the same on every machine. */
  compare(a: number, b: number): number {
    const kind = this.#kinds[a] as number;
    if (kind === this.#kinds[b]) {
      if (kind === (UUID | ORDER_OF_ID)) return this.#compareWords(a, b, ID_WORDS);
      const byNumber = kind === (NUMBERED | ORDER_OF_NUMBER) ? this.#compareWords(a, b, 1) : 0;
      if (byNumber !== 0) return byNumber;
    }
    const [orderA, orderB] = [this.order(a), this.order(b)];
    if (orderA !== orderB) return orderA < orderB ? -1 : 1;
    const [idA, idB] = [this.id(a), this.id(b)];
    return idA < idB ? -1 : idA > idB ? 1 : 0;
  }

  #compareWords(a: number, b: number, count: number): number {
    for (let i = 0; i < count; i++) {
      const [wordA, wordB] = [this.#words[a * ID_WORDS + i] as number, this.#words[b * ID_WORDS + i] as number];
      if (wordA !== wordB) return wordA < wordB ? -1 : 1;
    }
    return 0;
  }

  #enter(slot: number): void {
    this.#size++;
    if (idKindOf(this.#kinds[slot] as number) === OTHER_ID) {
      this.#others.set(this.#otherIds.get(slot) as string, slot);
      return;
    }
    if ((this.#taken + 1) * 2 > this.#table.length) this.#rehash((this.#size + 1) * 2);
    this.#place(slot);
  }

  #place(slot: number): void {
    const mask = this.#table.length - 1;
    let place = this.#hashOf(slot) & mask;
    while (this.#table[place] !== EMPTY) place = (place + 1) & mask;
    this.#table[place] = slot + 1;
    this.#taken++;
  }

  /** Without the places of removed ones. */
  #rehash(least: number): void {
    const before = this.#table;
    this.#table = new Int32Array(Math.max(LEAST_PLACES, 2 ** Math.ceil(Math.log2(least * 1.01))));
    this.#taken = 0;
    for (let place = 0; place < before.length; place++) {
      const entered = before[place] as number;
      if (entered > 0) this.#place(entered - 1);
    }
  }

  #find(hash: number, isIt: (slot: number) => boolean): number | undefined {
    const mask = this.#table.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const entered = this.#table[place] as number;
      if (entered === EMPTY) return undefined;
      if (entered !== REMOVED && isIt(entered - 1)) return entered - 1;
    }
  }

  #isUuid(slot: number): boolean {
    if (idKindOf(this.#kinds[slot] as number) !== UUID) return false;
    const at = slot * ID_WORDS;
    for (let i = 0; i < ID_WORDS; i++) if (this.#words[at + i] !== this.#parsed[i]) return false;
    return true;
  }

  #isNumbered(slot: number, thread: number, number: number): boolean {
    return idKindOf(this.#kinds[slot] as number) === NUMBERED && this.#threads[slot] === thread && this.#words[slot * ID_WORDS] === number;
  }

  #hashOf(slot: number): number {
    const at = slot * ID_WORDS;
    if (idKindOf(this.#kinds[slot] as number) === UUID) return hashOfWords(this.#words, at);
    return hashOfNumber(this.#threads[slot] as number, this.#words[at] as number);
  }
}

function hashOfWords(words: Uint32Array, at: number): number {
  let hash = Math.imul((words[at] as number) ^ 0x9e3779b9, 0x85ebca6b);
  for (let i = 1; i < ID_WORDS; i++) hash = Math.imul((hash ^ (hash >>> 15)) + (words[at + i] as number), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function hashOfNumber(thread: number, number: number): number {
  let hash = Math.imul(thread ^ 0x9e3779b9, 0x85ebca6b) + number;
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
