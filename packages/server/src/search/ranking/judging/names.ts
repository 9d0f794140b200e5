/** Names of people: at the beginning of what they say, and in a question, where "Ross" is Ross Geller if no other Ross takes part. */

/** By a name or a part of one, as `keyOf` has it: the numbers of the one whom it means, several where a name is spelled in several ways. */
export interface NamePlaces {
  readonly numbers: ReadonlyMap<string, readonly number[]>;
  /** The words of the longest name. */
  readonly mostWords: number;
}

const NAME_WORD_START = "\\p{Lu}[\\p{L}\\p{M}'’.-]*";
/** Between the capitalised words of a name: "Jan van der Berg", "Ludwig von Mises". */
const PARTICLE = '(?:van|von|der|den|de|del|della|di|da|du|la|le|bin|ibn|al|el|ten|ter|zu)';
/** One to three capitalised words: "Ann: …", "Dr. Müller: …", "Ann-Marie Smith: …". */
export const SPEAKER = new RegExp(`^\\s*(${NAME_WORD_START}(?:(?: ${PARTICLE}){0,2} ${NAME_WORD_START}){0,2}):\\s`, 'u');
/** What a text is looked at for the name of who speaks. */
export const LONGEST_SPEAKER = 80;

const TITLES = new Set(['dr', 'mr', 'mrs', 'ms', 'miss', 'prof', 'sir', 'madam']);
const words = (text: string) => text.split(' ');
/**
 * Names that are other words as well, and roles, which a text may begin with too. They are names where they are capitalised within a
 * sentence, or somebody's own: "Will's".
 */
const ORDINARY = new Set([
  ...words('will may mark so an my in do can art bill buck chance chase cliff earnest frank grant guy major miles rich rusty skip trip'),
  ...words(
    'amber angel april august autumn bliss brook charity charm cherry crystal daisy dawn destiny faith fern flower ginger glory grace',
  ),
  ...words(
    'harmony honey hope ivy jade jewel joy june lily mercy misty olive patience pearl penny poppy precious princess queen rose ruby',
  ),
  ...words('sage sky star summer sunny winter ash bay bear blaze cash colt fox hunter king prince river rock stone storm wolf'),
  ...words('archer baker banks barber bell berry best bird bishop black bond book brown burns bush butcher butler camp church clay cook'),
  ...words('cotton cross day fields fish flowers forest frost gates gold good gray green grey hall hand hill hood house hunt judge key'),
  ...words('knight lake lane law little long love marsh mayor mills moon page park parks pool pope porter power price rice rivers sharp'),
  ...words('shepherd short silver singer small smart snow song spear spring street strong sun swan swift waters weaver wells west white'),
  ...words('wise wood woods young user assistant system tool agent bot'),
]);
const LEAST_PART = 3;
const NAME_WORD = /\p{L}[\p{L}\p{M}’'-]*/gu;
const POSSESSIVE = /['’]s?$/;
const MARKS = /[\u0300-\u036f]/g;
/** What may stand between the end of a sentence and the next. */
const BETWEEN_SENTENCES = /[\s"'’“”«»()[\]*_¿¡-]/;
const END_OF_SENTENCE = /[.?!…:;。？！]/;

/** The first and the last name of somebody who has both. */
export function partsOfName(name: string): string[] {
  const all = wordsOf(name).map(({ word }) => word);
  const parts = all.filter((part) => !TITLES.has(part.toLowerCase()));
  if (all.length < 2 || parts.length === 0) return [];
  const ends = [parts[0] as string, ...(parts.length > 1 ? [parts.at(-1) as string] : [])];
  return ends.filter((part) => part.length >= LEAST_PART);
}

/** Whether a word that could be a name is none: one that has another meaning, in lower case or at the beginning of a sentence. */
export function isOrdinaryWord(text: string, at: number, word: string): boolean {
  const name = word.replace(POSSESSIVE, '');
  if (!ORDINARY.has(name.toLowerCase())) return false;
  if (name === name.toLowerCase()) return true;
  return name === word && beginsSentence(text, at);
}

function beginsSentence(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && BETWEEN_SENTENCES.test(text[before] as string)) before--;
  return before < 0 || END_OF_SENTENCE.test(text[before] as string);
}

/** A part that two have means neither; one that is somebody's whole name means that one. */
export function placeNames(names: readonly (readonly [number: number, name: string])[]): NamePlaces {
  const whole = new Map<string, number[]>();
  const parts = new Map<string, Set<string>>();
  let mostWords = 1;
  for (const [number, name] of names) {
    const all = wordsOf(name);
    const key = keyOf(all);
    if (key === '') continue;
    mostWords = Math.max(mostWords, all.length);
    whole.set(key, [...(whole.get(key) ?? []), number]);
    for (const part of partsOfName(name)) parts.set(foldName(part), (parts.get(foldName(part)) ?? new Set()).add(key));
  }
  const numbers = new Map<string, readonly number[]>();
  for (const [part, keys] of parts) numbers.set(part, keys.size === 1 ? (whole.get([...keys][0] as string) as number[]) : []);
  for (const [key, same] of whole) numbers.set(key, same);
  return { numbers, mostWords };
}

/** The numbers of the one whom a text names; nobody where it names several. The longest name counts at each place. */
export function findNamed(text: string, { numbers, mostWords }: NamePlaces): ReadonlySet<number> {
  let named: readonly number[] = [];
  const all = numbers.size === 0 ? [] : wordsOf(text);
  for (let at = 0; at < all.length; ) {
    let taken = 1;
    for (let count = Math.min(mostWords, all.length - at); count > 0; count--) {
      const found = numbers.get(keyOf(all.slice(at, at + count)));
      const { index, written } = all[at] as NameWord;
      if (!found || (count === 1 && isOrdinaryWord(text, index, written))) continue;
      if (found.length > 0 && named.length > 0 && found !== named) return new Set();
      if (found.length > 0) named = found;
      taken = count;
      break;
    }
    at += taken;
  }
  return new Set(named);
}

interface NameWord {
  readonly index: number;
  readonly written: string;
  /** Without what makes it a possessive. */
  readonly word: string;
  /** "Zoë" is Zoe, however it is typed. */
  readonly key: string;
}

function wordsOf(text: string): NameWord[] {
  return Array.from(text.matchAll(NAME_WORD), ({ 0: written, index }) => {
    const word = written.replace(POSSESSIVE, '');
    return { index, written, word, key: foldName(word) };
  });
}

function keyOf(some: readonly NameWord[]): string {
  return some.map(({ key }) => key).join(' ');
}

function foldName(word: string): string {
  return word.normalize('NFD').replace(MARKS, '').toLowerCase();
}
