/** Names of people in a question: "Ross" is Ross Geller where no other Ross takes part. */

/** By a name or a part of one, in lower case: the numbers of those whom it may mean. */
export type NamePlaces = ReadonlyMap<string, readonly number[]>;

const TITLES = new Set(['dr', 'mr', 'mrs', 'ms', 'miss', 'prof', 'sir', 'madam']);
/** First names that are other words far more often. */
const WORDS = new Set(['will', 'may', 'mark', 'so', 'an', 'my', 'in', 'do']);
const LEAST_PART = 3;
const NAME_WORD = /\p{L}[\p{L}\p{M}’'-]*/gu;
const POSSESSIVE = /['’]s?$/;

/** The first and the last name of somebody who has both. */
export function partsOfName(name: string): string[] {
  const parts = wordsOf(name).filter((part) => !TITLES.has(part.toLowerCase()));
  if (parts.length + Number(parts.length < wordsOf(name).length) < 2) return [];
  const ends = [parts[0] as string, ...(parts.length > 1 ? [parts.at(-1) as string] : [])];
  return ends.filter((part) => part.length >= LEAST_PART && !WORDS.has(part.toLowerCase()));
}

export function placeNames(names: readonly (readonly [number: number, name: string])[]): NamePlaces {
  const places = new Map<string, number[]>();
  const add = (key: string, number: number) => {
    const there = places.get(key) ?? [];
    places.set(key, there.includes(number) ? there : [...there, number]);
  };
  for (const [number, name] of names) {
    add(keyOf(wordsOf(name)), number);
    for (const part of partsOfName(name)) add(part.toLowerCase(), number);
  }
  return places;
}

/** The longest name at each place; a part that two have names neither. */
export function findNames(text: string, places: NamePlaces): ReadonlySet<number> {
  const found = new Set<number>();
  if (places.size === 0) return found;
  const words = wordsOf(text);
  for (let at = 0; at < words.length; ) {
    let taken = 1;
    for (let count = Math.min(3, words.length - at); count > 0; count--) {
      const numbers = places.get(keyOf(words.slice(at, at + count)));
      if (!numbers || (count === 1 && isPlainWord(words[at] as string, at))) continue;
      if (numbers.length === 1) found.add(numbers[0] as number);
      taken = count;
      break;
    }
    at += taken;
  }
  return found;
}

/** At the beginning of a sentence, or in lower case. */
function isPlainWord(word: string, at: number): boolean {
  return WORDS.has(word.toLowerCase()) && (at === 0 || word === word.toLowerCase());
}

function wordsOf(text: string): string[] {
  return Array.from(text.match(NAME_WORD) ?? [], (word) => word.replace(POSSESSIVE, ''));
}

function keyOf(words: readonly string[]): string {
  return words.join(' ').toLowerCase();
}
