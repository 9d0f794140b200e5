/** What a text does that its words alone do not say: one byte an item, told when it is indexed. */

/** It ends by asking something. */
export const ASKS = 1;
/** It tells when something was, is or will be. */
export const TELLS_TIME = 2;
/** It tells how many or how much. */
export const TELLS_NUMBER = 4;
/** Who wrote it, where that is known by the role. */
export const BY_USER = 8;
export const BY_ASSISTANT = 16;

/** What is looked through of a long text, at its beginning. */
const LOOKED_THROUGH = 2_000;
const LOOKED_AT_END = 200;

/** What may stand behind the last sentence: quotes, brackets, signs of feeling. */
const AFTER_SENTENCE = /[\s"'’”»)*_\p{Extended_Pictographic}]/u;
const QUESTION_MARK = /[?？؟]$/;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const DAYS = 'monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays';
/** "May" and "March" are other words too. */
const MONTHS = 'january february april june july august september october november december jan feb aug sept oct nov dec';
const SEASONS = 'spring summer autumn fall winter';
const UNITS = 'second seconds minute minutes hour hours day days night nights week weeks month months year years decade decades';
const TIMES = words(
  `yesterday today tonight tomorrow ago recently lately nowadays weekend weekends midnight noon christmas easter thanksgiving halloween birthday anniversary ${DAYS} ${MONTHS}`,
);
/** They tell a time behind one of the words that lead to it. */
const TIMES_AFTER_LEAD = words(`${UNITS} ${SEASONS} may march morning evening afternoon semester quarter`);
const LEADS = words(
  'last next this past coming previous following every that in on by since until from of during the a an few couple several many half',
);
const NUMBERS = words(
  'one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty dozen dozens hundred hundreds thousand thousands million millions half twice once couple both several single double triple',
);
/** A year, an ordinal, a time of day, a date in figures. */
const TIME_IN_FIGURES = /^(?:(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th|am|pm)|\d{1,2}:\d\d\S*|\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4})$/;
const NOT_OF_WORD = /[^a-z0-9:/.-]+|[.:/-]+(?![a-z0-9])/;
const [ZERO, NINE] = [0x30, 0x39];

/** `TELLS_TIME` and `TELLS_NUMBER`. */
function toldIn(text: string): number {
  let [told, before, isCounted] = [0, '', false];
  for (const word of text.toLowerCase().split(NOT_OF_WORD)) {
    const first = word.charCodeAt(0);
    const isFigure = first >= ZERO && first <= NINE;
    const isNumber = isFigure || NUMBERS.has(word);
    if (isNumber) told |= TELLS_NUMBER;
    const isTime = TIMES.has(word) || (TIMES_AFTER_LEAD.has(word) && (isCounted || LEADS.has(before)));
    if (isTime || (isFigure && TIME_IN_FIGURES.test(word))) told |= TELLS_TIME;
    [before, isCounted] = [word, isNumber];
  }
  return told;
}

/** "Ann: …": a name has no part in what is told. */
const SPEAKER = /^\s*\p{Lu}[\p{L}\p{M}'’. -]{0,60}:\s/u;

export function traitsOf(text: string, tags: readonly string[]): number {
  const told = text.slice(0, LOOKED_THROUGH).replace(SPEAKER, '');
  return (
    (QUESTION_MARK.test(withoutRemarks(text.slice(-LOOKED_AT_END))) ? ASKS : 0) |
    toldIn(told) |
    (tags.includes('role:user') ? BY_USER : 0) |
    (tags.includes('role:assistant') ? BY_ASSISTANT : 0)
  );
}

/** A remark in brackets ends many a message: "Is it yours? [shares a picture]". */
function withoutRemarks(text: string): string {
  let end = text.length;
  for (;;) {
    while (end > 0 && AFTER_SENTENCE.test(text[end - 1] as string)) end--;
    const open = text[end - 1] === ']' ? text.lastIndexOf('[', end - 1) : -1;
    if (open < 0) return text.slice(0, end);
    end = open;
  }
}
