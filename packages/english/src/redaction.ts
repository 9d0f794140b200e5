/** A text as strangers may see it: without what looks like a secret. */
import { excerptOf, KEY_BLOCK_BEGINS, LEFT_OUT } from './excerpt.ts';
import { type Span, secretsIn } from './secrets.ts';

const HIDDEN = '[a secret was left out]';
const GAP = '\n[…]\n';
const KEY_BLOCK_ENDS = '-----END';
/** Of a question, and of the answer where a secret could begin. */
const MOST_ASKED = 200;
/** The first digits of a number, the rest of which was left out. */
const UNSAFE_BEFORE_GAP = 60;
/** What was left out may name a secret whose words come next. */
const UNSAFE_AFTER_GAP = 300;

/** A part that is not shown, and what stands in its place. */
interface Hidden extends Span {
  readonly mark: string;
}

/** Of a long text its beginning and its end, at most so many characters. */
export function redactedExcerpt(text: string, maxCharacters: number): string {
  const shown = redactSecrets(excerptOf(text, maxCharacters));
  // The marks may have made it longer. Nothing secret is left that a cut could make unrecognizable.
  return (shown.length <= maxCharacters ? shown : shown.slice(0, maxCharacters)).toWellFormed();
}

/**
 * Hides what looks like a secret, in whatever line or sentence it begins, from that sentence to the end of the line in which
 * it ends; key blocks; and what stands so close to a gap that a part of a secret could have stayed.
 */
export function redactSecrets(text: string): string {
  // Each space for a space, so that what is broken over lines is recognized and the places stay the same.
  const flat = text.replace(/\s/g, ' ');
  const spans: Hidden[] = [...gapsIn(text), ...keyBlocksIn(text)];
  for (const span of secretsIn(flat)) spans.push({ ...span, mark: HIDDEN });
  spans.sort((a, b) => a.start - b.start);
  const shown: string[] = [];
  let at = 0;
  let hiddenTo = 0;
  for (const { start, end, mark } of spans) {
    const from = mark === GAP ? start : sentenceStart(text, start, at);
    const between = text.slice(at, from);
    // Several in a row are one.
    if (from >= at && !(shown.at(-1) === mark && between.trim() === '')) shown.push(between, mark);
    // Also of one within a gap: its line may go on behind it.
    if (mark === HIDDEN && end > hiddenTo) hiddenTo = lineEnd(text, end);
    at = Math.max(at, mark === GAP ? end : hiddenTo);
  }
  shown.push(text.slice(at));
  return shown.join('');
}

/** What only the question makes a secret, to the end of its line: `What is your password?` tells it of `hunter2`. */
export function redactAnswer(question: string, answer: string): string {
  const asked = `${question
    .slice(-MOST_ASKED)
    .replace(/\s/g, ' ')
    .replace(/[ ?.!…]{1,9}$/, '')}: `;
  let hiddenTo = 0;
  for (const { start, end } of secretsIn(asked + answer.slice(0, MOST_ASKED).replace(/\s/g, ' ')))
    if (start < asked.length && end > asked.length) hiddenTo = Math.max(hiddenTo, end - asked.length);
  return hiddenTo === 0 ? answer : HIDDEN + answer.slice(lineEnd(answer, hiddenTo));
}

/** A word that was cut, and some of what follows. */
function* gapsIn(text: string): Generator<Hidden> {
  for (let at = text.indexOf(LEFT_OUT), last = 0; at !== -1; at = text.indexOf(LEFT_OUT, last)) {
    let start = Math.max(last, at - UNSAFE_BEFORE_GAP);
    while (start > last && !isBetweenWords(text, start - 1)) start--;
    let end = Math.min(text.length, at + 1 + UNSAFE_AFTER_GAP);
    // Another gap in what is hidden, or the same sign in the text itself, hides as much after it.
    for (let next = text.indexOf(LEFT_OUT, at + 1); next !== -1 && next < end; next = text.indexOf(LEFT_OUT, next + 1)) {
      end = Math.min(text.length, next + 1 + UNSAFE_AFTER_GAP);
    }
    while (end < text.length && !isBetweenWords(text, end)) end++;
    yield { start, end, mark: GAP };
    last = end;
  }
}

/** A space, or a sign of a script that has none between its words. */
function isBetweenWords(text: string, at: number): boolean {
  return /[\s\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]/.test(text[at] as string);
}

/** One without an end goes on to the end of the text. */
function* keyBlocksIn(text: string): Generator<Hidden> {
  for (let start = text.indexOf(KEY_BLOCK_BEGINS); start !== -1; ) {
    const closing = text.indexOf(KEY_BLOCK_ENDS, start);
    const end = closing === -1 ? text.length : closing + KEY_BLOCK_ENDS.length;
    yield { start, end, mark: HIDDEN };
    start = text.indexOf(KEY_BLOCK_BEGINS, end);
  }
}

/** Not before `least`: what stands there was dealt with. */
function sentenceStart(text: string, at: number, least: number): number {
  let start = at;
  while (start > least && text[start - 1] !== '\n' && !(/\s/.test(text[start - 1] as string) && /[.!?]/.test(text[start - 2] ?? '')))
    start--;
  return start;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
