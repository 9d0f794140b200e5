/** Writes short forms out, so that what follows sees one spelling: `I'm` and `im` become `I am`. */

import { memoOfWords } from '../memo.ts';

/** Forms written without an apostrophe that mean nothing else. */
const BARE_FORMS: Readonly<Record<string, string>> = {
  im: 'I am',
  ive: 'I have',
  shes: 'she is',
  hes: 'he is',
  theyre: 'they are',
  youre: 'you are',
  dont: 'do not',
  doesnt: 'does not',
  didnt: 'did not',
  cant: 'can not',
  cannot: 'can not',
  wont: 'will not',
  isnt: 'is not',
  arent: 'are not',
  wasnt: 'was not',
  werent: 'were not',
  havent: 'have not',
  hasnt: 'has not',
  hadnt: 'had not',
  shouldnt: 'should not',
  couldnt: 'could not',
  wouldnt: 'would not',
  thats: 'that is',
  whats: 'what is',
  theres: 'there is',
  wanna: 'want to',
  gonna: 'going to',
  gotta: 'have to',
  gimme: 'give me',
  lemme: 'let me',
  fav: 'favourite',
  fave: 'favourite',
  bday: 'birthday',
  pls: 'please',
  plz: 'please',
  wks: 'weeks',
  yr: 'year',
  yrs: 'years',
  wknd: 'weekend',
  appt: 'appointment',
  u: 'you',
  ur: 'your',
  cuz: 'because',
  coz: 'because',
  til: 'until',
  "'til": 'until',
  untill: 'until',
  thru: 'through',
  evry: 'every',
  i: 'I',
};

const NEGATED: Readonly<Record<string, string>> = { "can't": 'can not', "won't": 'will not', "shan't": 'shall not', "ain't": 'am not' };
const ENDINGS: readonly (readonly [string, string])[] = [
  ["'ll", ' will'],
  ["'ve", ' have'],
  ["'re", ' are'],
  ["'m", ' am'],
  ["'d", ' would'],
];
/** After these, `'s` is a verb. */
const BEFORE_IS = new Set([
  'it',
  'tomorrow',
  'tonight',
  'that',
  'this',
  'there',
  'here',
  'what',
  'who',
  'he',
  'she',
  'where',
  'how',
  'name',
  'birthday',
  'everything',
  'everyone',
]);

export function writeOut(text: string): string {
  return (
    text
      .replace(/[’‘ʼ`´]/g, "'")
      .replace(/(?<![\w/])w\/o(?= )/gi, 'without')
      .replace(/(?<![\w/])w\/ /gi, 'with ')
      // `RN` and `an rn` are nurses.
      .replace(/(?<!\ban?) rn\b(?![-/.]\w)/g, ' now')
      .replace(/[A-Za-z']+/g, (word, at: number, whole: string) =>
        mayBeShort(word)
          ? writtenOut(
              word,
              at === 0 ? ' ' : (whole[at - 1] as string),
              whole.slice(at + word.length, at + word.length + 16),
              /(?:^|[.!?,;] )$/.test(whole.slice(Math.max(0, at - 2), at)),
            )
          : word,
      )
  );
}

/** All others stay as they are. */
const mayBeShort = memoOfWords(
  (word) => word.includes("'") || /^(?:were|n|w)$/i.test(word) || Object.hasOwn(BARE_FORMS, word.toLowerCase()),
);

function writtenOut(word: string, before: string, after: string, start: boolean): string {
  // Part of a name, an address or a path.
  if (/[\p{L}\w./@#-]/u.test(before) || /^[@/_-]|^\.\w/.test(after)) return word;
  const lower = word.toLowerCase();
  const bare = BARE_FORMS[lower];
  if (bare !== undefined && Object.hasOwn(BARE_FORMS, lower)) return /^[A-Z]/.test(word) ? capitalised(bare) : bare;
  if (lower === 'were' && start && /^ [a-z]+ing\b/.test(after)) return 'we are';
  if (word === 'n' && /^ (?:we|i|my|the|a|im|it)\b/i.test(after)) return 'and';
  if (word === 'w' && /^ (?!is\b|are\b|and\b|or\b|be\b)[a-z]{2,}/i.test(after)) return 'with';
  if (!word.includes("'")) return word;
  const negated = Object.hasOwn(NEGATED, lower) ? NEGATED[lower] : undefined;
  if (negated !== undefined) return negated;
  if (lower.endsWith("n't")) return `${word.slice(0, -3)} not`;
  if (lower === "let's") return 'let us';
  if (lower.endsWith("'s") && BEFORE_IS.has(lower.slice(0, -2)))
    return `${word.slice(0, -2)} ${/^ (?:been|got|given|become|had|moved|started|stopped|quit|passed|turned)\b/.test(after) ? 'has' : 'is'}`;
  for (const [ending, full] of ENDINGS) {
    if (!lower.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    const verb = ending === "'d" && /^ (?:been|better|already|gone)\b/.test(after) ? ' had' : full;
    return (stem.toLowerCase() === 'i' ? 'I' : stem) + verb;
  }
  return word;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
