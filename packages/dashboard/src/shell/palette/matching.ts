/** Whether what was typed stands for a name: its letters in their order, best where they begin words and stand together. */

const AT_START = 8;
const AT_WORD = 5;
const TOGETHER = 3;
const ANYWHERE = 1;
/** For each letter: fewer points are letters that happen to be there. */
const LEAST = 2;

const isLetter = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character);

function points(name: readonly string[], at: number, lastAt: number): number {
  if (at === 0) return AT_START;
  if (!isLetter(name[at - 1])) return AT_WORD;
  return at === lastAt + 1 ? TOGETHER : ANYWHERE;
}

/** Higher is better; undefined where it does not match. Nothing typed matches everything alike. */
export function matchScore(typed: string, name: string): number | undefined {
  const letters = Array.from(typed.toLowerCase()).filter((character) => character.trim() !== '');
  const characters = Array.from(name.toLowerCase());
  const whole = characters.join('').indexOf(typed.trim().toLowerCase());
  if (letters.length === 0) return 0;
  let score = 0;
  let lastAt = -1;
  for (const letter of letters) {
    const at = nextAt(characters, letter, lastAt + 1);
    if (at === -1) return undefined;
    score += points(characters, at, lastAt);
    lastAt = at;
  }
  if (whole === -1 && score < letters.length * LEAST) return undefined;
  // A whole piece of the name beats letters that are strewn over it.
  return score + (whole === -1 ? 0 : letters.length * AT_WORD) - characters.length / 100;
}

/** The next place of a letter, rather at the beginning of a word than within one, unless it goes on from the last. */
function nextAt(name: readonly string[], letter: string, from: number): number {
  if (name[from] === letter) return from;
  const plain = name.indexOf(letter, from);
  if (plain === -1) return -1;
  for (let at = plain; at < name.length; at++) if (name[at] === letter && !isLetter(name[at - 1])) return at;
  return plain;
}

interface Named {
  readonly label: string;
  /** Other words for it. */
  readonly words?: string;
}

/** Of what matches best, so that groups can be put in order. */
export function bestScore(typed: string, items: readonly Named[]): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...items.map((item) => scoreOf(typed, item) ?? Number.NEGATIVE_INFINITY));
}

export function bestMatches<Item extends Named>(typed: string, items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, score: scoreOf(typed, item) }))
    .filter(({ score }) => score !== undefined)
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .map(({ item }) => item);
}

function scoreOf(typed: string, { label, words }: Named): number | undefined {
  const own = matchScore(typed, label);
  const other = words === undefined ? undefined : matchScore(typed, words);
  if (own === undefined) return other === undefined ? undefined : other / 2;
  return other === undefined ? own : Math.max(own, other / 2);
}
