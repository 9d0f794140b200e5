/**
 * The words that were read lately and the terms that they are: most words of a text were seen before. Terms have numbers here, and a word is
 * looked up by a hash of its characters where they stand, so that reading what is known makes no string.
 */

import { grown } from '../arrays.ts';

const MOST_WORDS = 32_768;
const MOST_TERMS = 65_536;
/** Longer words are seldom seen again. */
export const LONGEST_KNOWN = 48;
/** Places for words; always a power of two, and at least half of them free. */
const LEAST_PLACES = 2_048;
/** What does not find a place within so many is not kept: nobody makes others wait by words that fall to the same one. */
const MOST_PROBES = 32;
const HASH_FACTOR = 0x01000193;
export const UNKNOWN = -1;

/** Of the first characters of a word. Begins differently in each process: nobody can say which words share one. */
export const FIRST_HASH = (Math.random() * 2 ** 32) | 0;
export const nextHash = (hash: number, unit: number) => Math.imul(hash ^ unit, HASH_FACTOR);

export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  #texts: string[] = [];
  /** By the place that a hash leads to, or one behind it: the number of a word, and its hash. */
  #words = new Int32Array(LEAST_PLACES).fill(UNKNOWN);
  #hashes = new Int32Array(LEAST_PLACES);
  #wordCount = 0;
  /** By the number of a word: where its characters and its terms begin. Those of the next one begin where they end. */
  #unitStarts = new Uint32Array(LEAST_PLACES);
  #termStarts = new Uint32Array(LEAST_PLACES);
  #units = new Uint16Array(8 * LEAST_PLACES);
  #terms = new Uint32Array(LEAST_PLACES);
  /** By the number of a term: who asked for it last, and the number that it has there. */
  #owners = new Uint32Array(LEAST_PLACES);
  #ownIds = new Uint32Array(LEAST_PLACES);
  #timesForgotten = 0;

  /** Forgets all where it has grown too large. The numbers of terms hold until then: not to be called while some are in use. */
  forgetIfFull(): void {
    if (this.#wordCount < MOST_WORDS && this.#texts.length < MOST_TERMS) return;
    this.#timesForgotten++;
    this.#numbers.clear();
    this.#texts = [];
    this.#words.fill(UNKNOWN);
    this.#wordCount = 0;
    this.#owners.fill(0);
  }

  /** Numbers of terms mean others after each time. */
  get timesForgotten(): number {
    return this.#timesForgotten;
  }

  get termCount(): number {
    return this.#texts.length;
  }

  textOf(term: number): string {
    return this.#texts[term] as string;
  }

  numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      const own = copied(text);
      number = this.#texts.push(own) - 1;
      this.#numbers.set(own, number);
      this.#owners = grown(this.#owners, number + 1);
      this.#ownIds = grown(this.#ownIds, number + 1);
    }
    return number;
  }

  /** What `setId` noted of a term; nothing where another owner did so since. An owner is a number from 1 on. */
  idOf(term: number, owner: number): number | undefined {
    return this.#owners[term] === owner ? this.#ownIds[term] : undefined;
  }

  setId(term: number, owner: number, id: number): void {
    this.#owners[term] = owner;
    this.#ownIds[term] = id;
  }

  /** Puts the terms of a word at the place `at`, in room for `LONGEST_KNOWN` of them; the place behind them, or UNKNOWN. */
  copyTerms(units: Uint16Array, start: number, end: number, hash: number, into: Uint32Array, at: number): number {
    const word = this.#find(units, start, end, hash);
    if (word === UNKNOWN) return UNKNOWN;
    const terms = this.#terms;
    const last = this.#termStarts[word + 1] as number;
    let place = at;
    for (let i = this.#termStarts[word] as number; i < last; i++) into[place++] = terms[i] as number;
    return place;
  }

  /** A word that is not known yet, with its terms. */
  keep(units: Uint16Array, start: number, end: number, hash: number, terms: ArrayLike<number>): void {
    if (end - start > LONGEST_KNOWN || terms.length > LONGEST_KNOWN || this.#wordCount === MOST_WORDS) return;
    if (this.#wordCount * 2 >= this.#words.length) this.#grow();
    const place = this.#freePlace(hash);
    if (place === UNKNOWN) return;
    const word = this.#wordCount++;
    this.#words[place] = word;
    this.#hashes[place] = hash;
    this.#unitStarts = grown(this.#unitStarts, word + 2);
    this.#termStarts = grown(this.#termStarts, word + 2);
    const [unitStart, termStart] = [this.#unitStarts[word] as number, this.#termStarts[word] as number];
    this.#units = grown(this.#units, unitStart + end - start);
    this.#units.set(units.subarray(start, end), unitStart);
    this.#terms = grown(this.#terms, termStart + terms.length);
    this.#terms.set(terms, termStart);
    this.#unitStarts[word + 1] = unitStart + end - start;
    this.#termStarts[word + 1] = termStart + terms.length;
  }

  #find(units: Uint16Array, start: number, end: number, hash: number): number {
    const words = this.#words;
    const hashes = this.#hashes;
    const mask = words.length - 1;
    let place = placeOf(hash) & mask;
    for (let probe = 0; probe < MOST_PROBES; probe++, place = (place + 1) & mask) {
      const word = words[place] as number;
      if (word === UNKNOWN) return UNKNOWN;
      if (hashes[place] === hash && this.#isWord(word, units, start, end)) return word;
    }
    return UNKNOWN;
  }

  #isWord(word: number, units: Uint16Array, start: number, end: number): boolean {
    const known = this.#units;
    let other = this.#unitStarts[word] as number;
    if ((this.#unitStarts[word + 1] as number) - other !== end - start) return false;
    for (let at = start; at < end; at++, other++) if (units[at] !== known[other]) return false;
    return true;
  }

  #freePlace(hash: number): number {
    const mask = this.#words.length - 1;
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const place = (placeOf(hash) + probe) & mask;
      if (this.#words[place] === UNKNOWN) return place;
    }
    return UNKNOWN;
  }

  #grow(): void {
    const [words, hashes] = [this.#words, this.#hashes];
    this.#words = new Int32Array(words.length * 2).fill(UNKNOWN);
    this.#hashes = new Int32Array(words.length * 2);
    for (const [old, word] of words.entries()) {
      if (word === UNKNOWN) continue;
      const hash = hashes[old] as number;
      const place = this.#freePlace(hash);
      if (place === UNKNOWN) continue;
      this.#words[place] = word;
      this.#hashes[place] = hash;
    }
  }
}

/** A part of a string would hold on to the whole of it. */
function copied(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** The lowest bits alone are those of the last characters. */
function placeOf(hash: number): number {
  return hash ^ (hash >>> 15);
}
