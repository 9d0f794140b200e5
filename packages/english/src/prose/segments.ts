/** What of a message is the user's own prose: without code, quotations, logs, transcripts and texts handed over to work on. */

import { excerptOf, LEFT_OUT } from '../excerpt.ts';
import { memoOf } from '../memo.ts';
import { withListsJoined } from './lists.ts';
import { readMail } from './mail.ts';
import {
  isRecalledHeading,
  isTranscript,
  isTranscriptLine,
  machineLine,
  pastedFrom,
  withoutLongQuotations,
  withoutMail,
} from './pasted.ts';
import type { Signature } from './signatures.ts';

const LONGEST_MESSAGE = 20_000;
const LONGEST_LINE = 2000;
const LONGEST_WORD = 48;

/** Lines of prose, each to be read by itself. */
export function proseOf(content: string): string[] {
  const { text, mail } = partsOf(content);
  if (isRolePlay(text)) return [];
  const lines = ownLines(withListsJoined(withoutMail(withoutLongQuotations(mail.lines))));
  const own = pastedFrom(lines);
  return joinWrapped(own.map((line) => withoutQuotations(withoutLongWords(emojiAsStops(line.slice(0, LONGEST_LINE)))).trim())).filter(
    (line) => line !== '',
  );
}

/** Who signed it. */
export function signatureIn(content: string): Signature | undefined {
  return partsOf(content).mail.signature;
}

/** Whoever asks what a message says asks who signed it, too. */
const partsOf = memoOf(
  (content) => {
    const text = textOf(content);
    return { text, mail: readMail(text.split('\n')) };
  },
  (content: string) => content,
  { most: 8, longest: LONGEST_MESSAGE },
);

function textOf(content: string): string {
  return withoutBlocks(excerptOf(content, LONGEST_MESSAGE).replace(/\r\n?/g, '\n'));
}

/** Fenced code, `<tag>…</tag>` blocks and key blocks, each with all that is in it. */
function withoutBlocks(text: string): string {
  const kept: string[] = [];
  let end: ((line: string) => boolean) | undefined;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (end) {
      if (end(trimmed)) end = undefined;
      continue;
    }
    const fence = /^(`{3,}|~{3,})/.exec(trimmed)?.[1];
    const tag = /^<([a-z][\w-]{0,40})(?:\s[^>]{0,200})?>/i.exec(trimmed)?.[1];
    if (fence && !trimmed.slice(fence.length).includes(fence)) end = (next) => next.startsWith(fence);
    else if (tag) {
      const close = `</${tag}>`;
      if (!trimmed.includes(close)) end = (next) => next.includes(close);
    } else if (trimmed.startsWith('-----BEGIN ')) end = (next) => next.startsWith('-----END ');
    else kept.push(inlineCodeOut(line));
  }
  return kept.join('\n');
}

/** A single name in backticks is a word like others. */
function inlineCodeOut(line: string): string {
  const parts = line.split('`');
  if (parts.length < 3) return line;
  return parts
    .map((part, i) => (i % 2 === 0 || i === parts.length - 1 ? part : /^[\w@.+#/-]{1,30}$/.test(part) ? part : ` ${LEFT_OUT} `))
    .join('');
}

function isRolePlay(text: string): boolean {
  return (
    /^\s*\*[a-z]+ [^*\n]{1,80}\*/i.test(text) ||
    /^[ \t]*\*[a-z]+(?:s|ing) [^*\n]{1,80}\*(?!\*)/im.test(text) ||
    /\brole[- ]?play/i.test(text.slice(0, 2000))
  );
}

function ownLines(lines: readonly string[]): string[] {
  const recalled = lines.some(isRecalledHeading);
  const transcript = isTranscript(lines);
  const kept: string[] = [];
  let inTranscript = false;
  for (const line of lines) {
    const trimmed = line.trim();
    if (transcript) {
      if (isTranscriptLine(trimmed)) inTranscript = true;
      else if (trimmed === '') inTranscript = false;
      if (inTranscript) continue;
    }
    if (trimmed.startsWith('>') || trimmed.startsWith('|') || machineLine(line)) continue;
    if (recalled && (isRecalledHeading(trimmed) || /^(?:[-*•]|\d+[.)])\s/.test(trimmed))) continue;
    const text = trimmed.replace(/^(?:[-•–]|\*(?=\s)|\d{1,2}[.)](?=\s)|#{1,6}(?=\s))\s*/, '');
    kept.push(
      /^users?\b(?:'s)?\s+[a-z]/i.test(text) && !/^users?\s*:/i.test(text)
        ? ''
        : text.replace(/\*\*|__/g, '').replace(/(^|\s)\*([\w' ]{1,40})\*(?=\W|$)/g, '$1$2'),
    );
  }
  return kept;
}

/** An emoji between words ends a sentence as a full stop does. */
function emojiAsStops(line: string): string {
  return line.replace(
    /([\p{L}\p{N}])\s*(?![❤♥©®™↔→←])\p{Extended_Pictographic}(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F|\u200D){0,20}\s+(?=\p{L})/gu,
    '$1. ',
  );
}

function withoutLongWords(line: string): string {
  return line
    .split(/\s+/)
    .map((word) => (word.length > LONGEST_WORD || word.includes('://') ? LEFT_OUT : word))
    .join(' ');
}

const OPENING = new Map([
  ['"', '"'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
  ["'", "'"],
  ['‘', '’'],
]);
const LONGEST_TITLE_WORDS = 6;

/** A title or a name in quotation marks is a word like others; what someone says is not the user's own. */
function withoutQuotations(line: string): string {
  let result = '';
  let at = 0;
  while (at < line.length) {
    const close = OPENING.get(line[at] as string);
    const opens = close !== undefined && (at === 0 || /[\s(:,[]/.test(line[at - 1] as string));
    const end = opens ? closingOf(line, at + 1, close) : -1;
    if (end === -1) {
      result += line[at++];
      continue;
    }
    const quoted = line.slice(at + 1, end);
    result += isTitle(quoted) ? quoted : ` ${LEFT_OUT} `;
    at = end + 1;
  }
  return result;
}

function closingOf(line: string, from: number, close: string): number {
  const farthest = Math.min(line.length, from + 600);
  for (let i = from; i < farthest; i++) {
    if (line[i] === close && !/[\p{L}\p{N}]/u.test(line[i + 1] ?? ' ')) return i;
  }
  return -1;
}

function isTitle(quoted: string): boolean {
  const words = quoted.trim().split(/\s+/);
  return words.length <= LONGEST_TITLE_WORDS && !/\b(?:i|i'm|im|my|me|we|our|you|your)\b/i.test(quoted) && !/[.!?]$/.test(quoted);
}

const LABEL = /^[\p{L}\p{N}][^:=.!?]{0,30}\s?[:=]\s/u;

/** Lines broken in the middle of a sentence belong together. */
function joinWrapped(lines: readonly string[]): string[] {
  const result: string[] = [];
  for (const line of lines) {
    const last = result.at(-1);
    const continues =
      last !== undefined &&
      last.length > 40 &&
      /[\p{L}\p{N},]$/u.test(last) &&
      /^\p{Ll}/u.test(line) &&
      !LABEL.test(line) &&
      last.length + line.length < LONGEST_LINE;
    if (continues) result[result.length - 1] = `${last} ${line}`;
    else result.push(line);
  }
  return result;
}
