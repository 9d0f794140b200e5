/** One value given in place of another: `it's Porto, not Lisbon`, `sorry, 42`, `my mistake, it's on the 19th`, `he's in year 5`. */

import { resolveDates } from '../dates/dates.ts';
import type { ExtractedKind, KnownMemory } from '../extraction.ts';
import { startsWith } from '../sentences/phrases.ts';
import { isWord, type Token, textOf } from '../sentences/tokens.ts';
import { inThirdPerson } from '../wording/third-person.ts';
import { MARKERS } from '../words/corrections.ts';
import { wordSet } from '../words/sets.ts';
import { numberOf, weekdayOf } from '../words/times.ts';
import type { Correction } from './corrections.ts';
import { datesIn, dayNear, similar, wordIn } from './known-memories.ts';

const ENDS = wordSet('sorry haha lol oops please typo of course on in at to the actually rather');

export function exchanged(all: readonly Token[], held: readonly KnownMemory[], today: Date): Correction | undefined {
  const { tokens, marked: closing } = withoutMarkerAtEnd(all);
  const { at, marked: opening } = pastMarkers(tokens);
  const marked = opening + closing;
  // `Not Newport.` after `Newquay I mean!` adds nothing.
  if (tokens[0]?.lower === 'not' && !tokens.some(({ text }) => text === ',')) return undefined;
  const said = marked > 0 || tokens.some(({ lower }) => lower === 'now' || lower === 'actually' || lower === 'sorry');
  const same = (said ? aboutSame(tokens.slice(at), held, today) : undefined) ?? changed(tokens.slice(at), held, today);
  if (same) return same;
  const value = tokens.slice(at);
  const not = value.findIndex(({ lower }) => lower === 'not');
  const fresh = withoutEnds(not === -1 ? value : beforeUser(value.slice(0, not)));
  const old = not === -1 ? [] : withoutEnds(value.slice(not + 1));
  const last = value[not - 1]?.text === ',' ? value[not - 2] : value[not - 1];
  if (marked === 0 && not > 1 && old.length === 1 && old[0]?.tag === 'PROPN' && last?.tag === 'PROPN')
    return inPlaceOf(old, [last], held, today);
  if (
    marked === 0 ||
    fresh.length === 0 ||
    fresh.length > 5 ||
    old.length > 5 ||
    fresh.some(({ text, tag }) => text === 'I' || text === ',' || tag === 'AUX')
  )
    return undefined;
  return old.length > 0 ? inPlaceOf(old, fresh, held, today) : ofSameSort(fresh, value, held, today);
}

/** `Wednesday I mean`, `medium rare, I should say, not rare`. */
function withoutMarkerAtEnd(tokens: readonly Token[]): { tokens: readonly Token[]; marked: number } {
  const at = tokens.findIndex(({ text }, i) => i > 0 && i < 6 && text === 'I' && /^(?:meant?|should)$/.test(tokens[i + 1]?.lower ?? ''));
  const length = tokens[at + 1]?.lower === 'should' ? 3 : 2;
  const rest = tokens.slice(at + length);
  const marks =
    at > 0 &&
    (length === 2 || tokens[at + 2]?.lower === 'say') &&
    (rest.length === 0 || rest.slice(0, 2).some(({ lower }) => lower === 'not'));
  return marks ? { tokens: [...tokens.slice(0, at), ...rest], marked: 1 } : { tokens, marked: 0 };
}

/** `azithromycin I am allergic to`. */
function beforeUser(value: readonly Token[]): readonly Token[] {
  const at = value.findIndex(({ text }) => text === 'I');
  return at > 0 ? value.slice(0, at) : value;
}

function pastMarkers(tokens: readonly Token[]): { at: number; marked: number } {
  let [at, marked] = [0, 0];
  while (at < tokens.length) {
    const length = tokens[at]?.text === ',' ? 1 : startsWith(tokens, at, MARKERS);
    if (length === 0) break;
    if (tokens[at]?.text !== ',') marked++;
    at += length;
  }
  return { at, marked };
}

/** `he is in year 5`: the newest memory about someone else with the same verb is said anew. */
function aboutSame(tokens: readonly Token[], held: readonly KnownMemory[], today: Date): Correction | undefined {
  const [first, verb] = tokens;
  if (!first || !verb || tokens.length < 3 || !/^(?:he|she|they|it)$/.test(first.lower) || !['AUX', 'VERB'].includes(verb.tag))
    return undefined;
  const memory = held.slice(0, 3).find(({ content }) => /^(?:User's|The)\b/.test(content) && wordIn(content, verb.lower) !== undefined);
  if (!memory || tokens.some(({ lower }) => lower === 'not')) return undefined;
  const subject = memory.content.slice(0, memory.content.indexOf(` ${verb.lower} `));
  const comma = tokens.findIndex(({ text }) => text === ',');
  const own = tokens.slice(1, comma === -1 ? undefined : comma).filter(({ lower }) => lower !== 'actually' && lower !== 'sorry');
  const { tokens: rest } = resolveDates(own, { today, direction: 'future', recurring: false });
  return replacement(
    memory,
    `${subject} ${textOf(
      inThirdPerson(
        rest.filter((each) => isWord(each)),
        'their',
      ),
    )}`,
  );
}

/** `it got moved to Thursday`, `she turned 5 on Sunday`: of the newest memory that has a day or an age. */
function changed(tokens: readonly Token[], held: readonly KnownMemory[], today: Date): Correction | undefined {
  const [first, verb] = tokens;
  if (!first || !verb || !/^(?:he|she|it|they)$/.test(first.lower)) return undefined;
  if (verb.lower === 'turned' && tokens[2] && numberOf(tokens[2].lower) !== undefined) {
    const memory = held.slice(0, 3).find(({ content }) => /^User's/.test(content) && / (?:is|are) (?:\d+|[a-z]+)\b/.test(content));
    const number = memory && numberToReplace(tokens[2], memory.content);
    return memory && number !== undefined ? replacing(memory, number, tokens[2].text) : undefined;
  }
  const moved = tokens.findIndex(({ lower }, i) => i < 5 && /^(?:moved|pushed|rescheduled|postponed|shifted|delayed)$/.test(lower));
  const date = moved === -1 ? undefined : dateIn(tokens.slice(moved + 1), today);
  const memory = date === undefined ? undefined : held.slice(0, 3).find(({ content }) => datesIn(content).length > 0);
  return memory && date !== undefined ? replacing(memory, datesIn(memory.content)[0] as string, date) : undefined;
}

function withoutEnds(tokens: readonly Token[]): readonly Token[] {
  const words = tokens.filter(({ lower }) => !ENDS.has(lower));
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
function ofSameSort(fresh: readonly Token[], value: readonly Token[], held: readonly KnownMemory[], today: Date): Correction | undefined {
  const [first] = fresh as readonly [Token];
  const day = weekdayOf(first.lower, true);
  const given = day === undefined ? dateIn(value, today) : undefined;
  for (const memory of held.slice(0, 3)) {
    const date = datesIn(memory.content)[0];
    if (day !== undefined || given !== undefined) {
      if (date !== undefined) return replacing(memory, date, given ?? dayNear(date, day as number, today));
      continue;
    }
    const number = numberToReplace(first, memory.content);
    if (number !== undefined) return replacing(memory, number, first.text);
    const word = memory === held[0] ? wordToReplace(fresh, memory.content) : undefined;
    if (word !== undefined) return replacing(memory, word, textOf(fresh));
    const own = fresh.slice(
      0,
      Math.max(1, fresh.findIndex(({ tag }) => tag === 'ADP') === -1 ? fresh.length : fresh.findIndex(({ tag }) => tag === 'ADP')),
    );
    if (!/^\p{Lu}/u.test(first.text) || own.length > 3) continue;
    const name = memory.content.slice(5).match(/\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)*(?=[^\p{L}]*$)/u)?.[0];
    if (name !== undefined) return replacing(memory, name, textOf(own));
  }
  return undefined;
}

/** `aisle seats` for `window seats`, `acme-site` for `acme-web`, `blue` where something is `green`. */
function wordToReplace(fresh: readonly Token[], content: string): string | undefined {
  const words = content.split(/[ ,;]+/);
  const last = fresh.at(-1) as Token;
  const at = words.findIndex((word) => word.toLowerCase() === last.lower);
  if (fresh.length > 1) return at >= fresh.length ? words.slice(at - fresh.length + 1, at + 1).join(' ') : undefined;
  if (at !== -1 || /^\d/.test(last.text)) return undefined;
  const near = words.slice(2).find((word) => word.length > 3 && similar(word.toLowerCase(), last.lower));
  if (near !== undefined) return near;
  const predicate = / (?:is|are) (\S+)$/.exec(content)?.[1];
  return predicate !== undefined && last.tag !== 'PROPN' && !/^\p{Lu}|\d/u.test(predicate) ? predicate : undefined;
}

function dateIn(value: readonly Token[], today: Date): string | undefined {
  return datesIn(textOf(resolveDates(value, { today, direction: 'future', recurring: false }).tokens))[0];
}

/** A number in figures or in words, which stands in the memory in either. */
function numberToReplace(first: Token, content: string): string | undefined {
  if (!/^\d[\d.,:]*[a-z%]{0,3}$/.test(first.text) && (numberOf(first.lower) === undefined || /^an?$/.test(first.lower))) return undefined;
  const dates = datesIn(content);
  return content
    .match(/(?<![\d-])\d[\d.,:]*[a-z%]{0,3}(?![\d-])|[a-z]+/gi)
    ?.find((word) =>
      /^\d/.test(word) ? !dates.some((date) => date.includes(word)) : !/^an?$/i.test(word) && numberOf(word.toLowerCase()) !== undefined,
    );
}

export function replacing(memory: KnownMemory, wrong: string, right: string): Correction {
  const at = memory.content.lastIndexOf(wrong);
  return replacement(memory, memory.content.slice(0, at) + right + memory.content.slice(at + wrong.length));
}

export function replacement(memory: KnownMemory, content: string): Correction {
  return {
    finding: { kind: memory.kind as ExtractedKind, content, slot: memory.slot ?? undefined, replaces: [memory.id], restsOn: [memory.id] },
    withdrawn: [],
    whole: true,
  };
}
