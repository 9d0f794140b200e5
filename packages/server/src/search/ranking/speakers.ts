/** Who speaks in a scope, learned from texts that begin with a name and a colon. */

import { grown } from './arrays.ts';
import { findNamed, LONGEST_SPEAKER, type NamePlaces, placeNames, SPEAKER } from './judging/names.ts';

/** "Note:" or "Error:" also begin a line now and then; a speaker does so again and again, and where most lines have one, many do. */
const LEAST_TEXTS = 2;
const LEAST_SHARE = 0.1;
const MOSTLY_NAMED = 0.5;
/** Names that are looked for in a question, those of most texts first: an agent may have talked to everybody. */
const MOST_NAMES = 100;
const NOBODY = 0;
/** A name, and its places in maps. */
const NAME_BYTES = 160;

interface CommonNames {
  readonly names: string[];
  readonly byName: NamePlaces;
}

export class Speakers {
  /** By the number of a thread: its texts, and how many of them begin with which name, by number. */
  #texts = new Uint32Array(0);
  readonly #named: (Map<number, number> | undefined)[] = [];
  /** How many of those names begin several of its texts. */
  #regulars = new Uint32Array(0);
  /** By slot: the number of a name, from 1 on, or NOBODY. */
  #speakers = new Uint32Array(0);
  readonly #numbers = new Map<string, number>();
  readonly #allNames: string[] = [];
  /** Worked out when they are next asked for. */
  #common: CommonNames | undefined;

  get bytes(): number {
    return this.#texts.byteLength + this.#regulars.byteLength + this.#speakers.byteLength + this.#allNames.length * NAME_BYTES;
  }

  add(slot: number, thread: number, text: string): void {
    this.addNamed(slot, thread, SPEAKER.exec(text.slice(0, LONGEST_SPEAKER))?.[1]);
  }

  addNamed(slot: number, thread: number, name: string | undefined): void {
    this.#common = undefined;
    const number = name === undefined ? NOBODY : this.#enter(name);
    this.#speakers = grown(this.#speakers, slot + 1);
    this.#speakers[slot] = number;
    this.#count(thread, number, 1);
  }

  remove(slot: number, thread: number): void {
    this.#common = undefined;
    this.#count(thread, this.#speakers[slot] ?? NOBODY, -1);
    if (slot < this.#speakers.length) this.#speakers[slot] = NOBODY;
  }

  nameOf(slot: number): string | undefined {
    const number = this.#speakers[slot] ?? NOBODY;
    return number === NOBODY ? undefined : this.#allNames[number - 1];
  }

  /** `newSlots[slot]`: where an item went, or −1 if it is gone; threads may have other numbers there. */
  compacted(newSlots: Int32Array, threadOf: (slot: number) => number): Speakers {
    const fresh = new Speakers();
    for (const [slot, to] of newSlots.entries()) if (to >= 0) fresh.addNamed(to, threadOf(to), this.nameOf(slot));
    return fresh;
  }

  /** The number of the name with which a text begins, or NOBODY. */
  numberOf(slot: number): number {
    return this.#speakers[slot] ?? NOBODY;
  }

  names(): string[] {
    return this.#commonNames().names;
  }

  /** The numbers of the one whom a text names, in full, by the first or by the last name; of nobody where it names several. */
  findNamed(text: string): ReadonlySet<number> {
    return findNamed(text, this.#commonNames().byName);
  }

  /** Whether no more than two speak in a thread again and again. */
  isOfTwo(thread: number): boolean {
    return (this.#regulars[thread] ?? 0) <= 2;
  }

  #enter(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#allNames.push(name);
      this.#numbers.set(name, number);
    }
    return number;
  }

  #count(thread: number, name: number, change: 1 | -1): void {
    this.#texts = grown(this.#texts, thread + 1);
    this.#texts[thread] = (this.#texts[thread] as number) + change;
    if (name === NOBODY) return;
    const named = this.#named[thread] ?? new Map<number, number>();
    this.#named[thread] = named;
    const before = named.get(name) ?? 0;
    named.set(name, before + change);
    this.#regulars = grown(this.#regulars, thread + 1);
    if (Math.max(before, before + change) === LEAST_TEXTS) this.#regulars[thread] = (this.#regulars[thread] as number) + change;
  }

  #commonNames(): CommonNames {
    this.#common ??= this.#findCommon();
    return this.#common;
  }

  #findCommon(): CommonNames {
    const texts = new Map<number, number>();
    for (const [thread, named] of this.#named.entries()) {
      const all = this.#texts[thread] as number;
      const begun = named?.values().reduce((sum, count) => sum + count, 0) ?? 0;
      const least = begun >= all * MOSTLY_NAMED ? LEAST_TEXTS : Math.max(LEAST_TEXTS, all * LEAST_SHARE);
      for (const [number, count] of named ?? []) if (count >= least) texts.set(number, (texts.get(number) ?? 0) + count);
    }
    const nameOf = (number: number) => this.#allNames[number - 1] as string;
    const byTexts = [...texts].sort(([a, countA], [b, countB]) => countB - countA || (nameOf(a) < nameOf(b) ? -1 : 1));
    const numbers = byTexts.slice(0, MOST_NAMES).map(([number]) => number);
    return { names: numbers.map(nameOf).sort(), byName: placeNames(numbers.map((number) => [number, nameOf(number)])) };
  }
}
