/** What a text does that its words alone do not say: one byte an item, told when it is indexed. */

import { NONE } from '../none.ts';
import { LONGEST_SPEAKER, SPEAKER } from './names.ts';

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
/** A question mark and what stresses it. */
const LONGEST_MARK = 12;

/** What may stand behind the last sentence: quotes, signs of feeling, and what those are joined of. */
const AFTER_SENTENCE = /[\s"'’”»*_~\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]|\ufe0f|\u200d|\u20e3/u;
const QUESTION_MARK = /[?？؟⁇⁈⁉‽❓❔]/u;
/** Also where it is stressed: "Really?!" */
const ASKED = /[?？؟⁇⁈⁉‽❓❔]\ufe0f?[!！.…]{0,9}$/u;
const SMILEY = /[:;=]['’]?-?[()DPpOo3]$/;
const ROUND: Readonly<Record<string, string>> = { ')': '(', '）': '（' };
const SQUARE: Readonly<Record<string, string>> = { ']': '[', '】': '【' };

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const DAYS = 'monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays';
/** "May" and "March" are other words too. */
const MONTHS = 'january february april june july august september october november december jan feb aug sept oct nov dec';
const SEASONS = 'spring summer autumn fall winter';
/** Not "second", which is an ordinal far more often. */
const UNITS = 'seconds minute minutes hour hours day days night nights week weeks month months year years decade decades';
const TIMES = words(
  `yesterday today tonight tomorrow ago recently lately nowadays weekend weekends midnight noon christmas easter thanksgiving halloween birthday anniversary ${DAYS} ${MONTHS}`,
);
/** They tell a time behind one of the words that lead to it; those that are verbs as well, behind fewer. */
const TIMES_AFTER_LEAD = words(`${UNITS} morning evening afternoon semester quarter`);
const SEASONS_AFTER_LEAD = words(SEASONS);
const MONTHS_AFTER_LEAD = words('may march');
const LEADS_TO_MONTH = 'last next past coming previous following every in by since until from of during early late mid';
const LEADS_TO_SEASON = `${LEADS_TO_MONTH} this that the`;
const MONTH_LEADS = words(LEADS_TO_MONTH);
const SEASON_LEADS = words(LEADS_TO_SEASON);
const LEADS = words(`${LEADS_TO_SEASON} on a an few couple several many half other`);
/** "those that fall asleep" */
const FALLING = words('asleep apart down for behind off ill sick out short back through into from up');
const NUMBERS = words(
  'two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty dozen dozens hundred hundreds thousand thousands million millions half twice once couple both several single double triple',
);
/** "one" stands for something else behind and before these: "this one is", "I have one and". */
const ONE_FOR_OTHERS_AFTER = words('this that no any each every another some which the only what');
const ONE_FOR_OTHERS_BEFORE = words(
  'and or but of is was are that which who to in on at for with from by can may might should would could will must has had because if so too',
);
/** A year, an ordinal, a time of day, a date in figures. */
const TIME_IN_FIGURES = /^(?:(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th|am|pm)|\d{1,2}:\d\d\S*|\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4})$/;
const NOT_OF_WORD = /[^a-z0-9:/.-]+|[.:/-]+(?![a-z0-9])/;
const [ZERO, NINE] = [0x30, 0x39];

/** `TELLS_TIME` and `TELLS_NUMBER`. */
function toldIn(text: string): number {
  const all = text
    .toLowerCase()
    .split(NOT_OF_WORD)
    .filter((word) => word !== '');
  let [told, isCounted] = [0, false];
  for (const [i, word] of all.entries()) {
    const [before = '', after = ''] = [all[i - 1], all[i + 1]];
    const first = word.charCodeAt(0);
    const isFigure = first >= ZERO && first <= NINE;
    const isNumber = isFigure || NUMBERS.has(word) || (word === 'one' && isCounting(before, after));
    if (isNumber) told |= TELLS_NUMBER;
    if (isTime(word, before, after, isCounted) || (isFigure && TIME_IN_FIGURES.test(word))) told |= TELLS_TIME;
    isCounted = isNumber;
  }
  return told;
}

function isTime(word: string, before: string, after: string, isCounted: boolean): boolean {
  if (TIMES.has(word)) return true;
  if (TIMES_AFTER_LEAD.has(word)) return isCounted || LEADS.has(before);
  if (SEASONS_AFTER_LEAD.has(word)) return SEASON_LEADS.has(before) && !(before === 'that' && FALLING.has(after));
  return MONTHS_AFTER_LEAD.has(word) && (MONTH_LEADS.has(before) || /^\d/.test(before) || /^\d/.test(after));
}

function isCounting(before: string, after: string): boolean {
  return after !== '' && !ONE_FOR_OTHERS_AFTER.has(before) && !ONE_FOR_OTHERS_BEFORE.has(after);
}

export function traitsOf(text: string, tags: readonly string[]): number {
  const told = text.slice(0, LOOKED_THROUGH);
  // A name has no part in what is told.
  const speaker = SPEAKER.exec(told.slice(0, LONGEST_SPEAKER))?.[0].length ?? 0;
  return (
    (endsByAsking(text.slice(-LOOKED_AT_END)) ? ASKS : 0) |
    toldIn(told.slice(speaker)) |
    (tags.includes('role:user') ? BY_USER : 0) |
    (tags.includes('role:assistant') ? BY_ASSISTANT : 0)
  );
}

/** A remark in brackets ends many a message: "Is it yours? [shares a picture]". What is within round ones may ask as well. */
function endsByAsking(text: string): boolean {
  if (!QUESTION_MARK.test(text)) return false;
  const signs = Array.from(text);
  let end = signs.length;
  let opened = NONE;
  while (end > 0) {
    const tail = signs.slice(Math.max(0, end - LONGEST_MARK), end).join('');
    if (ASKED.test(tail)) return true;
    const last = signs[end - 1] as string;
    const smiley = SMILEY.exec(tail)?.[0];
    if (smiley) end -= Array.from(smiley).length;
    else if (SQUARE[last]) end = lastBefore(signs, SQUARE[last], end - 1);
    else if (ROUND[last]) {
      if (opened === NONE) opened = lastBefore(signs, ROUND[last], end - 1);
      end--;
    } else if (AFTER_SENTENCE.test(last)) end--;
    // Never back to where it was: what opened may have been passed as a smile.
    else [end, opened] = [opened < end ? opened : NONE, NONE];
  }
  return false;
}

/** The place of the last such sign in front of another; `NONE` where there is none. */
function lastBefore(signs: readonly string[], sign: string, place: number): number {
  return place > 0 ? signs.lastIndexOf(sign, place - 1) : NONE;
}
