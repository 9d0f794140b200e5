/** Words that put right, or take back, what was said before. */

import type { ExtractedKind, KnownMemory } from '../extractor.ts';
import { bestMatch, datesIn, dayNear, similar, wordIn } from './matching.ts';
import { contains, startsWith } from './phrases.ts';
import { isWord, type Token, textOf } from './tokens.ts';
import { phraseList } from './words/sets.ts';
import { weekdayOf } from './words/times.ts';

export interface Finding {
  readonly kind: ExtractedKind;
  readonly content: string;
  readonly slot?: string | undefined;
  readonly replaces?: readonly string[] | undefined;
  /** What it is said to stand instead of. */
  readonly instead?: string | undefined;
}

export interface Correction {
  readonly finding?: Finding | undefined;
  readonly withdrawn: readonly string[];
  /** There is nothing more in the sentence. */
  readonly whole: boolean;
}

const MARKERS =
  phraseList(`no i meant | no i mean | i meant | i mean | actually it is | actually that is | it is actually | sorry i meant | oops i meant | wait i meant | scratch that | correction | typo | sorry | oops | wait | actually
  no it is | no wait | i misspoke | my mistake | my bad | changed my mind | i changed my mind | i have changed my mind | on second thought | autocorrect | no | sorry autocorrect | not | it is | make that | rather | well actually | strike that | edit | let me correct that | i was wrong | i said it wrong`);
const RETRACTIONS = phraseList(
  `that is no longer true | that is not true anymore | that is no longer the case | that is not the case anymore | that is no longer correct | no longer true | not true anymore | that has changed | that does not apply anymore | that no longer applies | forget that | forget what i said | ignore that | never mind that | disregard that | scratch that`,
);
const FORGET = phraseList(
  `forget that | forget about | forget what i said about | please forget that | please forget about | you can forget that | you can forget about | delete the memory that | delete the memory about | stop remembering that | do not remember that | forget i said | forget`,
);
const FINISHED = phraseList(
  `done with | i am done with | i finished | finished | i have finished | i am finished with | finished with | completed | i completed | i have completed | i am through with | wrapped up | i wrapped up`,
);

export function correctionOf(sentence: readonly Token[], held: readonly KnownMemory[], today: Date): Correction | undefined {
  const tokens = sentence.filter((each) => isWord(each) || each.text === ',' || each.text === '*');
  const words = tokens.filter(isWord);
  if (held.length === 0 || words.length === 0) return undefined;
  return (
    forgotten(words, held) ??
    finished(sentence, held) ??
    retracted(words, held) ??
    spelled(sentence, held) ??
    noLongerThere(words, held) ??
    exchanged(tokens, held, today) ??
    announcedCorrection(words)
  );
}

function forgotten(words: readonly Token[], held: readonly KnownMemory[]): Correction | undefined {
  const length = startsWith(words, 0, FORGET);
  if (length === 0 || words.length - length < 1) return undefined;
  const memory = bestMatch(words.slice(length), held);
  return memory && { withdrawn: [memory.id], whole: true };
}

/** `done with the emails, now I'm on the pricing page`: the rest of the sentence still counts. */
function finished(sentence: readonly Token[], held: readonly KnownMemory[]): Correction | undefined {
  const length = startsWith(sentence, 0, FINISHED);
  if (length === 0) return undefined;
  const end = sentence.findIndex(({ text }, i) => i > length && (text === ',' || text === '.'));
  const memory = bestMatch(
    sentence.slice(length, end === -1 ? undefined : end),
    held.filter(({ kind }) => kind === 'short_lived'),
  );
  return memory && { withdrawn: [memory.id], whole: false };
}

function retracted(words: readonly Token[], held: readonly KnownMemory[]): Correction | undefined {
  const length = startsWith(words, 0, RETRACTIONS);
  return length > 0 && words.length <= length + 2 ? { withdrawn: [(held[0] as KnownMemory).id], whole: true } : undefined;
}

/** `*Lisbon`: the word, spelled rightly. */
function spelled(sentence: readonly Token[], held: readonly KnownMemory[]): Correction | undefined {
  const text = textOf(sentence).trim();
  const word = /^\*([\p{L}\p{N}][\p{L}\p{N}' -]{0,40})$/u.exec(text)?.[1] ?? /^([\p{L}\p{N}][\p{L}\p{N}'-]{0,40})\*$/u.exec(text)?.[1];
  if (word === undefined) return undefined;
  for (const memory of held.slice(0, 5)) {
    const wrong = memory.content
      .match(/[\p{L}\p{N}'-]+/gu)
      ?.slice(1)
      .find((each) => each !== word && similar(each.toLowerCase(), word.toLowerCase()));
    if (wrong !== undefined) return replacing(memory, wrong, word);
  }
  return undefined;
}

/** `I don't work there anymore`. */
function noLongerThere(words: readonly Token[], held: readonly KnownMemory[]): Correction | undefined {
  const text = words.map(({ lower }) => lower).join(' ');
  const verb = /^(?:\w+ )?i (?:do not|no longer) (work|live|study|teach) (?:there|here)\b/.exec(text)?.[1];
  if (verb === undefined) return undefined;
  const memory = held.find(({ content }) => content.startsWith(`User ${verb}`));
  if (!memory) return undefined;
  const content = memory.content.replace(/^User (\w+)/, (_, found: string) => `User no longer ${found}`);
  return {
    finding: { kind: memory.kind as ExtractedKind, content, slot: memory.slot ?? undefined, replaces: [memory.id] },
    withdrawn: [],
    whole: true,
  };
}

/** `actually it's Porto, not Lisbon`, `sorry, 42`, `no, I meant Thursday`. */
function exchanged(tokens: readonly Token[], held: readonly KnownMemory[], today: Date): Correction | undefined {
  let at = 0;
  let marked = 0;
  while (at < tokens.length) {
    const length = tokens[at]?.text === ',' ? 1 : startsWith(tokens, at, MARKERS);
    if (length === 0) break;
    if (tokens[at]?.text !== ',') marked++;
    at += length;
  }
  const value = tokens.slice(at);
  const not = value.findIndex(({ lower }) => lower === 'not');
  const fresh = withoutEnds(not === -1 ? value : value.slice(0, not));
  const old = not === -1 ? [] : withoutEnds(value.slice(not + 1));
  if (
    marked === 0 ||
    fresh.length === 0 ||
    fresh.length > 5 ||
    old.length > 5 ||
    fresh.some(({ text, tag }) => text === 'I' || text === ',' || tag === 'AUX')
  )
    return undefined;
  return old.length > 0 ? inPlaceOf(old, fresh, held, today) : ofSameSort(fresh, held, today);
}

function withoutEnds(tokens: readonly Token[]): readonly Token[] {
  const words = tokens.filter(
    ({ lower }) => !['sorry', 'haha', 'lol', 'oops', 'please', 'typo', 'of', 'course', 'on', 'in', 'at', 'to', 'the'].includes(lower),
  );
  const comma = words.findIndex(({ text }, i) => text === ',' && i > 0);
  return (comma === -1 ? words : words.slice(0, comma)).filter(isWord);
}

function inPlaceOf(old: readonly Token[], fresh: readonly Token[], held: readonly KnownMemory[], today: Date): Correction | undefined {
  const [oldText, newText] = [textOf(old), textOf(fresh)];
  const [oldDay, newDay] = [weekdayOf(old[0]?.lower ?? '', true), weekdayOf(fresh[0]?.lower ?? '', true)];
  for (const memory of held.slice(0, 20)) {
    if (oldDay !== undefined && newDay !== undefined) {
      const date = datesIn(memory.content).find((each) => new Date(each).getUTCDay() === oldDay);
      if (date !== undefined) return replacing(memory, date, dayNear(date, newDay, today));
    }
    const found = wordIn(memory.content, oldText);
    if (found !== undefined) return replacing(memory, found, newText);
  }
  return undefined;
}

/** Without the wrong word, the newest memory with a day, a number or a name in it is meant. */
function ofSameSort(fresh: readonly Token[], held: readonly KnownMemory[], today: Date): Correction | undefined {
  const [first] = fresh as readonly [Token];
  const day = weekdayOf(first.lower, true);
  for (const memory of held.slice(0, 3)) {
    if (day !== undefined) {
      const date = datesIn(memory.content)[0];
      if (date !== undefined) return replacing(memory, date, dayNear(date, day, today));
      continue;
    }
    if (/^\d[\d.,]*$/.test(first.text)) {
      const number = memory.content.match(/(?<![\d-])\d[\d.,]*(?![\d-])/)?.[0];
      if (number !== undefined && !datesIn(memory.content).some((date) => date.includes(number)))
        return replacing(memory, number, first.text);
      continue;
    }
    if (!/^\p{Lu}/u.test(first.text) || fresh.length > 3) continue;
    const name = memory.content.slice(5).match(/\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)*(?=[^\p{L}]*$)/u)?.[0];
    if (name !== undefined) return replacing(memory, name, textOf(fresh));
  }
  return undefined;
}

function replacing(memory: KnownMemory, wrong: string, right: string): Correction {
  const at = memory.content.lastIndexOf(wrong);
  const content = memory.content.slice(0, at) + right + memory.content.slice(at + wrong.length);
  return {
    finding: { kind: memory.kind as ExtractedKind, content, slot: memory.slot ?? undefined, replaces: [memory.id] },
    withdrawn: [],
    whole: true,
  };
}

const ANNOUNCING = phraseList(
  'scratch that | correction | changed my mind | i changed my mind | i have changed my mind | on second thought | i meant | typo | autocorrect | strike that | my mistake | i misspoke | no wait | sorry | oops',
);

/** The sentence itself says the whole of it anew. */
function announcedCorrection(words: readonly Token[]): Correction | undefined {
  return contains(words.slice(0, 4), ANNOUNCING) ? { withdrawn: [], whole: false } : undefined;
}

/** Known memories whose place a finding takes, beyond that of its slot. */
export function takesPlaceOf(finding: Finding, held: readonly KnownMemory[], corrects: boolean): string[] {
  if (finding.replaces) return [...finding.replaces];
  const instead = finding.instead;
  if (instead !== undefined) {
    const memory = held.find(({ content }) => wordIn(content, instead) !== undefined);
    return memory ? [memory.id] : [];
  }
  if (!corrects) return [];
  const start = finding.content.split(' ').slice(0, 3);
  const memory = held.slice(0, 3).find(
    ({ content }) =>
      content
        .split(' ')
        .slice(0, start[1] === 'is' || start[1] === 'has' ? 3 : 2)
        .join(' ') === start.slice(0, start[1] === 'is' || start[1] === 'has' ? 3 : 2).join(' '),
  );
  return memory ? [memory.id] : [];
}
