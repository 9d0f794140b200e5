/** The labelled messages, and how near the built-in extractor comes to them. */
import { readdir, readFile } from 'node:fs/promises';
import { extractFromMessage } from '@commonplace/english/extract';
import type { Extraction, Turn } from '@commonplace/english/extraction';
import { Consolidation, isCurrent, type SessionMemory } from '../packages/server/src/memories/extraction/consolidation.ts';
import type { SourceMessage } from '../packages/server/src/memories/extraction/extractor.ts';

const DAY_MS = 86_400_000;
/** As many as the service shows. */
const TURNS_BEFORE = 3;

export interface Case {
  readonly id: string;
  /** How it is written: `terse`, `list`, `email`. */
  readonly register?: string;
  /** When the last message was written; the others a minute before each other. */
  readonly at: string;
  /** The user's, and what the assistant said in between. */
  readonly messages: readonly (string | { readonly assistant: string })[];
  readonly expect: readonly Expected[];
  /** Beginnings of words that nothing may hold in the end. */
  readonly absent?: readonly string[];
}

export interface Expected {
  /** As a person would note it; older cases have none. */
  readonly text?: string;
  readonly kinds: readonly string[];
  /** Beginnings of words; `a|b` where either will do. */
  readonly words: readonly string[];
  readonly not?: readonly string[];
  /** The last day on which it holds. */
  readonly until?: string;
}

export interface Judged {
  readonly case: Case;
  readonly made: readonly SessionMemory[];
  readonly found: number;
  readonly missed: readonly Expected[];
  /** What says neither what is expected nor a part of it. */
  readonly wrong: readonly SessionMemory[];
  /** Of those that were found and state until when they hold: held no longer the day after, and still on that day. */
  readonly endsRight: number;
  readonly ends: number;
  /** Nothing is left of what should be gone. */
  readonly isClear: boolean;
}

/** What rules and models are made with, or what they have never seen. */
export type CaseSet = 'development' | 'held-out';

export async function readCases(set: CaseSet): Promise<Case[]> {
  const folder = new URL('./memory/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.startsWith(set)).sort();
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
  return texts.flatMap(parseCases);
}

export function parseCases(text: string): Case[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case);
}

/** What a session holds after the messages of a case, beside what it should hold. */
export function judge(one: Case): Judged {
  return judgeWith(one, extractFromMessage);
}

export type Reader = (message: SourceMessage, known: readonly SessionMemory[]) => Extraction;

export function judgeWith(one: Case, read: Reader): Judged {
  const session = newSession();
  for (const message of userMessagesOf(one)) session.take([message], read(message, knownTo(session, message)), 'builtin');
  return judgeSession(one, session);
}

/** The same for readers that take their time. */
export async function judgeWithSlow(one: Case, read: (...asked: Parameters<Reader>) => Promise<Extraction>): Promise<Judged> {
  const session = newSession();
  for (const message of userMessagesOf(one)) session.take([message], await read(message, knownTo(session, message)), 'slow');
  return judgeSession(one, session);
}

function newSession(): Consolidation {
  let count = 0;
  return new Consolidation([], { newId: () => `memory-${++count}`, shortLivedMs: 7 * DAY_MS });
}

/** Newest first. */
function knownTo(session: Consolidation, { createdAt }: SourceMessage): SessionMemory[] {
  return session
    .all()
    .filter((memory) => isCurrent(memory, createdAt))
    .reverse();
}

function judgeSession(one: Case, session: Consolidation): Judged {
  const made = session.all().filter((memory) => isCurrent(memory, one.at));
  const left = [...made];
  const found: { expected: Expected; memory: SessionMemory }[] = [];
  const missed = one.expect.filter((expected) => {
    const at = left.findIndex((memory) => matches(memory, expected));
    const [memory] = at < 0 ? [] : left.splice(at, 1);
    if (memory) found.push({ expected, memory });
    return at < 0;
  });
  const ending = found.filter(({ expected }) => expected.until !== undefined);
  return {
    case: one,
    made,
    found: one.expect.length - missed.length,
    missed,
    wrong: left.filter(({ kind, content }) => !one.expect.some((expected) => expected.kinds.includes(kind) && saysPart(content, expected))),
    ends: ending.length,
    endsRight: ending.filter(({ expected, memory }) => endsWith(memory, expected.until as string)).length,
    isClear: !(one.absent ?? []).some((words) => made.some(({ content }) => hasWord(content, words))),
  };
}

/** On the day after, at the latest: where a zone begins its day is not known. */
function endsWith({ expiresAt }: SessionMemory, lastDay: string): boolean {
  const end = Date.parse(lastDay) + DAY_MS;
  return expiresAt !== null && Date.parse(expiresAt) >= end - DAY_MS && Date.parse(expiresAt) <= end + DAY_MS;
}

/** What the user wrote. */
export function textsOf({ messages }: Case): string[] {
  return messages.filter((said) => typeof said === 'string');
}

export function userMessagesOf({ at, messages }: Pick<Case, 'at' | 'messages'>): SourceMessage[] {
  const turns = messages.map((said, index): Turn & { createdAt: string } => {
    const createdAt = new Date(Date.parse(at) - (messages.length - 1 - index) * 60_000).toISOString();
    const id = `message-${index}`;
    return typeof said === 'string'
      ? { id, role: 'user', content: said, createdAt }
      : { id, role: 'assistant', content: said.assistant, createdAt };
  });
  return turns.flatMap(({ id, role, content, createdAt }, index) =>
    role === 'user' ? [{ id, content, createdAt, before: turns.slice(Math.max(0, index - TURNS_BEFORE), index) }] : [],
  );
}

function matches({ kind, content }: SessionMemory, expected: Expected): boolean {
  return expected.kinds.includes(kind) && saysIt(content, expected);
}

export function saysIt(content: string, { words, not = [] }: Omit<Expected, 'kinds'>): boolean {
  return words.every((word) => hasWord(content, word)) && !not.some((word) => hasExactWord(content, word));
}

const SMALL =
  /^(?:user|user's|a|an|the|their|them|they|is|are|was|were|be|been|has|have|had|and|or|of|in|on|at|to|for|with|as|by|from|it|its|that|this|not|no|but|so|very|also|mentions?|does|do|did|wants?|assistant|who|which|about)$/;
/** Of the words of a memory, so many must be those of what is expected. */
const LEAST_SHARED = 0.6;

/** Says some of it: of `a cat named Biscuit on a renal diet` that there is a cat named Biscuit. */
export function saysPart(content: string, { text }: Pick<Expected, 'text'>): boolean {
  if (text === undefined) return false;
  const own = wordsOf(content).filter((word) => !SMALL.test(word));
  const expected = wordsOf(text);
  const shared = own.filter((word) => expected.some((other) => isAlike(word, other)));
  return own.length > 0 && shared.length / own.length >= LEAST_SHARED && shared.some((word) => word.length > 3 || /\d/.test(word));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’.+-][\p{L}\p{N}]+)*/gu) ?? [];
}

function isAlike(word: string, other: string): boolean {
  const length = Math.max(4, Math.min(word.length, other.length) - 2);
  return (
    word === other ||
    (word.length >= 4 && word.slice(0, length) === other.slice(0, length)) ||
    (other.length >= 5 && isMisspelled(word, other))
  );
}

/** People misspell, and what they meant counts: a longer word may have a letter wrong, or two in the wrong order. */
export function hasWord(content: string, alternatives: string): boolean {
  const words = wordsOf(content);
  const isMeant = (beginning: string) => /^\p{L}{5,}$/u.test(beginning) && words.some((word) => isMisspelled(word, beginning));
  return hasExactWord(content, alternatives) || alternatives.toLowerCase().split('|').some(isMeant);
}

/** Letter by letter: what is put right may differ in one. */
function hasExactWord(content: string, alternatives: string): boolean {
  return alternatives.split('|').some((beginning) => new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(beginning)}`, 'iu').test(content));
}

/** Whether a word begins as another does, but for one letter left out, put in, changed or exchanged with its neighbour. */
function isMisspelled(word: string, beginning: string): boolean {
  let at = 0;
  while (at < beginning.length && word[at] === beginning[at]) at++;
  const rest = beginning.slice(at + 1);
  const swapped = word[at] === beginning[at + 1] && word[at + 1] === beginning[at] && word.slice(at + 2).startsWith(rest.slice(1));
  return (
    at > 0 &&
    (swapped ||
      word.slice(at + 1).startsWith(rest) ||
      word.slice(at).startsWith(rest) ||
      word.slice(at + 1).startsWith(beginning.slice(at)))
  );
}

export function precisionOf(judged: readonly Judged[]): number {
  return 1 - sum(judged, ({ wrong }) => wrong.length) / sum(judged, ({ made }) => made.length);
}

export function recallOf(judged: readonly Judged[]): number {
  return sum(judged, ({ found }) => found) / sum(judged, ({ case: { expect } }) => expect.length);
}

/** Of the cases that say nothing to keep, the share of which nothing was kept. */
export function silenceOf(judged: readonly Judged[]): number {
  const silent = judged.filter(({ case: { expect } }) => expect.length === 0);
  return silent.filter(({ made }) => made.length === 0).length / silent.length;
}

/** Of the memories whose end was said, the share that ends then. */
export function endsOf(judged: readonly Judged[]): number {
  return sum(judged, ({ endsRight }) => endsRight) / sum(judged, ({ ends }) => ends);
}

/** Of the cases that take something back, the share of which nothing is left of it. */
export function clearanceOf(judged: readonly Judged[]): number {
  const clearing = judged.filter(({ case: { absent } }) => absent !== undefined);
  return clearing.filter(({ isClear }) => isClear).length / clearing.length;
}

function sum(judged: readonly Judged[], of: (one: Judged) => number): number {
  return judged.reduce((total, one) => total + of(one), 0);
}
