/** The messages of a session, of which only the parts that were looked at are here. */
import type { Message } from '@commonplace/client';
import { findPlace, type Landmark } from './find-place.ts';

export const PAGE_SIZE = 100;
/** Far ones are let go of: a page may have megabytes. */
const MOST_PAGES = 30;
/** How long a page must be looked at before it is asked for: the ones that a drag passes over are not. */
const SETTLE_MS = 60;

export type ReadMessages = (
  query: { offset: number; limit: number },
  signal: AbortSignal,
) => Promise<{ readonly data: readonly Message[]; readonly meta: { readonly total: number } }>;

const pageOf = (index: number) => Math.floor(index / PAGE_SIZE);

export class MessagePages {
  readonly #read: ReadMessages;
  readonly #listeners = new Set<() => void>();
  /** By place; a hole is what was not read. */
  readonly #messages: (Message | undefined)[] = [];
  readonly #placeById = new Map<string, number>();
  /** Read, and not known to be out of date. */
  readonly #fresh = new Set<number>();
  readonly #reading = new Map<number, { readonly abort: AbortController; readonly done: Promise<void> }>();
  /** Asked for by name, and not to be given up when something else is shown. */
  readonly #kept = new Set<number>();
  /** Deleted as far as the reader is concerned; they can still undo it. */
  readonly #hidden = new Set<string>();
  #shown: readonly [first: number, last: number] = [0, 0];
  #settling: ReturnType<typeof setTimeout> | undefined;
  #version = 0;
  #isLoaded = false;
  /** Why what is looked at can't be shown. */
  failure: unknown;

  constructor(read: ReadMessages) {
    this.#read = read;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  /** Another number after every change. */
  readonly version = (): number => this.#version;

  get total(): number {
    return this.#messages.length;
  }

  /** Whether the total is known. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  at(index: number): Message | undefined {
    return this.#messages[index];
  }

  placeOf(id: string): number | undefined {
    return this.#placeById.get(id);
  }

  /** The oldest page says how many there are; the newest is what is shown first. */
  async open(signal: AbortSignal): Promise<void> {
    const first = await this.#read({ offset: 0, limit: PAGE_SIZE }, signal);
    this.#messages.length = first.meta.total;
    this.#put(0, first.data);
    this.#markWhole(0, first.data.length);
    if (first.meta.total > first.data.length) await this.load(first.meta.total - 1);
    this.#isLoaded = true;
    this.#changed();
  }

  /** Asks for what is looked at and what is next to it; gives up what was passed over. */
  show(first: number, last: number): void {
    this.#shown = [first, last];
    const wanted = this.#wanted();
    for (const [page, { abort }] of this.#reading) if (!wanted.includes(page) && !this.#kept.has(page)) abort.abort();
    clearTimeout(this.#settling);
    if (wanted.every((page) => this.#fresh.has(page) || this.#reading.has(page))) return;
    this.#settling = setTimeout(() => this.#readShown(), SETTLE_MS);
  }

  /** Asks again after a failure. */
  retry(): void {
    this.failure = undefined;
    this.#readShown();
  }

  /** The page of a place, and the one before where the place is near its beginning. */
  async load(index: number): Promise<void> {
    const pages = new Set([pageOf(Math.max(0, index - 10)), pageOf(Math.min(index + 10, Math.max(0, this.total - 1)))]);
    for (const page of pages) this.#kept.add(page);
    try {
      await Promise.all([...pages].map((page) => this.#readPage(page)));
    } finally {
      for (const page of pages) this.#kept.delete(page);
    }
  }

  /** Where a message is; -1 where the session has none of this id. */
  async find(id: string, signal: AbortSignal): Promise<number> {
    const place = this.#placeById.get(id);
    if (place !== undefined) return place;
    return findPlace(id, {
      total: this.total,
      known: this.#landmarks(),
      read: async (offset) => (await this.#read({ offset, limit: PAGE_SIZE }, signal)).data,
    });
  }

  /** What came after the last known message; everything anew where the list is no longer what it was. */
  async poll(signal: AbortSignal): Promise<number> {
    const offset = Math.max(0, this.total - 1);
    const { data, meta } = await this.#read({ offset, limit: PAGE_SIZE }, signal);
    const last = this.#messages[offset];
    const moved = meta.total < this.total || (last !== undefined && data[0]?.id !== last.id);
    if (!moved && meta.total === this.total && last?.updatedAt === data[0]?.updatedAt) return meta.total;
    if (moved) this.#fresh.clear();
    this.#resize(meta.total);
    this.#put(offset, data);
    if (!moved) this.#markWhole(offset, data.length);
    this.#changed();
    if (moved) this.#readShown();
    return meta.total;
  }

  /** Reads again what is looked at: others may have edited it. */
  async refresh(): Promise<void> {
    for (const page of this.#pagesShown()) this.#fresh.delete(page);
    await Promise.all(this.#pagesShown().map((page) => this.#readPage(page)));
  }

  append(message: Message): void {
    if (this.#placeById.has(message.id)) return;
    const last = this.#messages.at(-1);
    this.#messages.push(undefined);
    this.#put(this.total - 1, [message]);
    // By the clock of another node it may belong before.
    if (last && last.id > message.id) this.#fresh.delete(pageOf(this.total - 1));
    else this.#markWhole(this.total - 1, 1);
    this.#changed();
  }

  replace(message: Message): void {
    const place = this.#placeById.get(message.id);
    if (place === undefined) return;
    this.#messages[place] = message;
    this.#changed();
  }

  isHidden(id: string): boolean {
    return this.#hidden.has(id);
  }

  hide(id: string): void {
    this.#hidden.add(id);
    this.#changed();
  }

  unhide(id: string): void {
    this.#hidden.delete(id);
    this.#changed();
  }

  remove(id: string): void {
    const place = this.#placeById.get(id);
    if (place === undefined) return;
    this.#messages.splice(place, 1);
    this.#placeById.clear();
    this.#messages.forEach((message, at) => {
      if (message) this.#placeById.set(message.id, at);
    });
    for (const page of this.#fresh) if (page >= pageOf(place) && !this.#isWhole(page)) this.#fresh.delete(page);
    this.#changed();
    this.#readShown();
  }

  close(): void {
    clearTimeout(this.#settling);
    for (const { abort } of this.#reading.values()) abort.abort();
  }

  #pagesShown(): number[] {
    const from = pageOf(Math.max(0, this.#shown[0]));
    const to = pageOf(Math.min(this.#shown[1], Math.max(0, this.total - 1)));
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
  }

  /** With half a page on either side. */
  #wanted(): number[] {
    const [first, last] = this.#shown;
    const from = pageOf(Math.max(0, first - PAGE_SIZE / 2));
    const to = pageOf(Math.min(Math.max(0, this.total - 1), last + PAGE_SIZE / 2));
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  }

  #readShown(): void {
    for (const page of this.#wanted()) void this.#readPage(page).catch(() => {});
  }

  #readPage(page: number): Promise<void> {
    if (this.#fresh.has(page)) return Promise.resolve();
    const reading = this.#reading.get(page);
    if (reading && !reading.abort.signal.aborted) return reading.done;
    const abort = new AbortController();
    const done = this.#fetchPage(page, abort);
    this.#reading.set(page, { abort, done });
    return done;
  }

  async #fetchPage(page: number, abort: AbortController): Promise<void> {
    try {
      const end = (page + 1) * PAGE_SIZE;
      // A page of long messages may end early.
      for (let offset = page * PAGE_SIZE; offset < end; ) {
        const { data, meta } = await this.#read({ offset, limit: end - offset }, abort.signal);
        this.#resize(meta.total);
        this.#put(offset, data);
        offset += data.length;
        if (data.length === 0 || offset >= meta.total) break;
      }
      this.#fresh.add(page);
      this.failure = undefined;
      this.#letGo();
    } catch (error) {
      if (!abort.signal.aborted) this.failure = error;
      throw error;
    } finally {
      if (this.#reading.get(page)?.abort === abort) this.#reading.delete(page);
      this.#changed();
    }
  }

  #put(offset: number, messages: readonly Message[]): void {
    messages.forEach((message, at) => {
      const index = offset + at;
      const before = this.#messages[index];
      if (before && before.id !== message.id && this.#placeById.get(before.id) === index) this.#placeById.delete(before.id);
      // One message is never at two places: where others inserted or deleted, the old place is a hole until it is read.
      const place = this.#placeById.get(message.id) ?? index;
      const held = this.#messages[place]?.id === message.id ? this.#messages[place] : undefined;
      if (held && place !== index) {
        this.#messages[place] = undefined;
        this.#fresh.delete(pageOf(place));
      }
      // An answer that was under way while the message was edited is older than what is held.
      this.#messages[index] = held && held.updatedAt > message.updatedAt ? held : message;
      this.#placeById.set(message.id, index);
    });
  }

  #markWhole(offset: number, count: number): void {
    for (let page = pageOf(offset); page * PAGE_SIZE < offset + count; page++) if (this.#isWhole(page)) this.#fresh.add(page);
  }

  #isWhole(page: number): boolean {
    const end = Math.min((page + 1) * PAGE_SIZE, this.total);
    for (let at = page * PAGE_SIZE; at < end; at++) if (!this.#messages[at]) return false;
    return end > page * PAGE_SIZE;
  }

  #resize(total: number): void {
    if (total === this.total) return;
    for (let at = total; at < this.total; at++) {
      const message = this.#messages[at];
      if (message) this.#placeById.delete(message.id);
    }
    // The last page of before is no longer whole.
    this.#fresh.delete(pageOf(Math.max(0, Math.min(total, this.total) - (total > this.total ? 0 : 1))));
    this.#messages.length = total;
  }

  #letGo(): void {
    if (this.#fresh.size <= MOST_PAGES) return;
    const middle = pageOf((this.#shown[0] + this.#shown[1]) / 2);
    const far = [...this.#fresh].sort((one, other) => Math.abs(other - middle) - Math.abs(one - middle));
    for (const page of far.slice(0, this.#fresh.size - MOST_PAGES)) {
      this.#fresh.delete(page);
      for (let at = page * PAGE_SIZE; at < Math.min((page + 1) * PAGE_SIZE, this.total); at++) {
        const message = this.#messages[at];
        if (message) this.#placeById.delete(message.id);
        this.#messages[at] = undefined;
      }
    }
  }

  #landmarks(): Landmark[] {
    return [...this.#placeById].map(([id, at]) => ({ id, at }));
  }

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}
