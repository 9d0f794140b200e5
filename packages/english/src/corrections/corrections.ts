/** Words that put right, or take back, what was said before. */

import type { ExtractedKind, KnownMemory } from '../extraction.ts';
import { contains, startsWith } from '../sentences/phrases.ts';
import { isWord, type Token, textOf } from '../sentences/tokens.ts';
import { rivalsOf } from '../values/rivals.ts';
import { ABANDONED, ANNOUNCING, FINISHED, MARKERS, OVER, RETRACTIONS } from '../words/corrections.ts';
import { bestMatch, isOpposite, sharesNoun, similar, wordIn } from './known-memories.ts';
import { revalued } from './named-values.ts';
import { exchanged, replacement, replacing } from './new-values.ts';

export interface Finding {
  readonly kind: ExtractedKind;
  readonly content: string;
  readonly slot?: string | undefined;
  readonly replaces?: readonly string[] | undefined;
  /** Known memories that it makes no sense without. */
  readonly restsOn?: readonly string[] | undefined;
  /** What it is said to stand instead of. */
  readonly instead?: string | undefined;
  /** Messages before its own that it makes no sense without. */
  readonly heardIn?: readonly string[] | undefined;
}

export interface Correction {
  readonly finding?: Finding | undefined;
  readonly withdrawn: readonly string[];
  /** There is nothing more in the sentence. */
  readonly whole: boolean;
}

export function correctionOf(sentence: readonly Token[], held: readonly KnownMemory[], today: Date): Correction | undefined {
  const tokens = sentence.filter((each) => isWord(each) || each.text === ',' || each.text === '*');
  const words = tokens.filter(isWord);
  if (held.length === 0 || words.length === 0) return undefined;
  return (
    abandoned(sentence, held) ??
    finished(sentence, held) ??
    retracted(words, held) ??
    spelled(sentence, held) ??
    noLongerThere(words, held) ??
    revalued(sentence, held, today) ??
    takenOut(words, held) ??
    exchanged(tokens, held, today) ??
    announcedCorrection(words)
  );
}

/** `gave up on Dutch, learning Danish instead`: the rest of the sentence still counts. */
function abandoned(sentence: readonly Token[], held: readonly KnownMemory[]): Correction | undefined {
  const at = /^(?:oh|and|also|but|well)$/.test(sentence[0]?.lower ?? '') ? (sentence[1]?.lower === 'and' ? 2 : 1) : 0;
  const length = startsWith(sentence, at, ABANDONED);
  if (length === 0) return undefined;
  const end = sentence.findIndex(({ text }, i) => i > at + length && /^[,.;]$/.test(text));
  const memory = bestMatch(sentence.slice(at + length, end === -1 ? undefined : end), held);
  return memory && { withdrawn: [memory.id], whole: false };
}

/** `done with the emails, now I'm on the pricing page`: the rest of the sentence still counts. */
function finished(sentence: readonly Token[], held: readonly KnownMemory[]): Correction | undefined {
  const length = startsWith(sentence, 0, FINISHED);
  if (length === 0) return over(sentence, held);
  const end = sentence.findIndex(({ text }, i) => i > length && (text === ',' || text === '.'));
  const memory = bestMatch(
    sentence.slice(length, end === -1 ? undefined : end),
    held.filter(({ kind }) => kind === 'short_lived'),
  );
  return memory && { withdrawn: [memory.id], whole: false };
}

/** `deck's sanded`, `the trip is off`: what was going on is over. */
function over(sentence: readonly Token[], held: readonly KnownMemory[]): Correction | undefined {
  const is = sentence.findIndex(({ lower }, i) => i > 0 && i < 6 && lower === 'is');
  const state = sentence[is + 1];
  const next = sentence[is + 2];
  if (is === -1 || !state || (next && isWord(next)) || !(OVER.has(state.lower) || (state.tag === 'VERB' && state.lower.endsWith('ed'))))
    return undefined;
  const said = OVER.has(state.lower) ? sentence.slice(0, is) : sentence.slice(0, is + 2);
  const memory = bestMatch(
    said,
    held.filter(({ kind }) => kind === 'short_lived'),
    OVER.has(state.lower) ? 0.5 : undefined,
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
  return replacement(memory, content);
}

/** `sorry, I shoot on an ME Super, not a K1000`: what is wrong is not kept with what is right. */
export function withoutDenied(sentence: readonly Token[]): readonly Token[] {
  const at = sentence.findLastIndex(({ lower, text }, i) => lower === 'not' && text !== 'NOT' && sentence[i - 1]?.text === ',');
  const denied = sentence.slice(at + 1).filter(isWord);
  const short = denied.length > 0 && denied.length <= 4 && !denied.some(({ tag }) => tag === 'VERB' || tag === 'AUX');
  return at > 2 && short && contains(sentence.slice(0, 4), ANNOUNCING) ? sentence.slice(0, at - 1) : sentence;
}

/** `wait, not pistachio`: one of several is taken out. */
function takenOut(words: readonly Token[], held: readonly KnownMemory[]): Correction | undefined {
  const not = words.findIndex(({ lower }) => lower === 'not');
  const wrong = textOf(words.slice(not + 1));
  if (not < 1 || words.length - not > 3 || wrong === '' || startsWith(words, 0, MARKERS) < not) return undefined;
  for (const memory of held.slice(0, 5)) {
    const found = wordIn(memory.content, wrong);
    if (found === undefined) continue;
    const at = memory.content.toLowerCase().indexOf(found.toLowerCase());
    const [before, after] = [memory.content.slice(0, at), memory.content.slice(at + found.length)];
    if (/(?:,| and| or| &) $/.test(before)) return replacement(memory, before.replace(/(?:,| and| or| &)+ $/, '') + after);
    if (/^(?:,| and| or| &) /.test(after)) return replacement(memory, before + after.replace(/^(?:,| and| or| &)+ /, ''));
  }
  return undefined;
}

/** The sentence itself says the whole of it anew. */
function announcedCorrection(words: readonly Token[]): Correction | undefined {
  return contains(words.slice(0, 4), ANNOUNCING) ? { withdrawn: [], whole: false } : undefined;
}

/** Known memories whose place a finding takes, beyond that of its slot. */
export function takesPlaceOf(finding: Finding, held: readonly KnownMemory[], corrects: boolean, now: boolean): string[] {
  const changes = now || corrects || finding.instead !== undefined;
  return [...new Set([...replacedBy(finding, held, corrects, now), ...rivalsOf({ ...finding, changes }, held)])];
}

function replacedBy(finding: Finding, held: readonly KnownMemory[], corrects: boolean, now: boolean): string[] {
  if (finding.replaces) return [...finding.replaces];
  const instead = finding.instead;
  if (instead !== undefined) {
    const memory = held.find(({ content }) => wordIn(content, instead) !== undefined);
    return memory ? [memory.id] : [];
  }
  const opposite = held.find((memory) => isOpposite(finding.content, memory.content));
  if (opposite) return [opposite.id];
  if (now && !corrects) {
    // `I play a Buffet now`
    const same = /^User \w+ an? /.exec(finding.content)?.[0].replace(/an? $/, '');
    const memory =
      same === undefined
        ? undefined
        : held.slice(0, 5).find(({ content }) => content.startsWith(`${same}a`) && content !== finding.content);
    return memory ? [memory.id] : [];
  }
  if (!corrects) return [];
  const start = startOf(finding.content);
  const memory =
    held.slice(0, 3).find(({ content }) => startOf(content, start.split(' ').length) === start) ??
    held.slice(0, 2).find(({ content, kind }) => kind === finding.kind && sharesNoun(finding.content, content));
  return memory ? [memory.id] : [];
}

/** Subject and verb, with one word more after `is` and `has`. */
function startOf(content: string, length?: number): string {
  const words = content.split(' ');
  return words.slice(0, length ?? (words[1] === 'is' || words[1] === 'has' ? 3 : 2)).join(' ');
}
