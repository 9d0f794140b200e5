/** The labelled messages, and how near the built-in extractor comes to them. */
import { readFile } from 'node:fs/promises';
import { extractFromMessage } from '@commonplace/english/extract';
import { Consolidation, isCurrent, type SessionMemory } from '../packages/server/src/memories/extraction/consolidation.ts';
import type { SourceMessage } from '../packages/server/src/memories/extraction/extractor.ts';

export interface Case {
  readonly id: string;
  readonly tags: readonly string[];
  /** When the last message was written; the others a minute before each other. */
  readonly at: string;
  readonly messages: readonly string[];
  readonly expect: readonly Expected[];
}

interface Expected {
  readonly kinds: readonly string[];
  /** Beginnings of words; `a|b` where either will do. */
  readonly words: readonly string[];
  readonly not?: readonly string[];
}

export interface Judged {
  readonly case: Case;
  readonly made: readonly SessionMemory[];
  readonly right: number;
  readonly missed: readonly Expected[];
  readonly wrong: readonly SessionMemory[];
}

export async function readCases(name: 'development' | 'held-out'): Promise<Case[]> {
  const text = await readFile(new URL(`./memory/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case);
}

/** What a session holds after the messages of a case, beside what it should hold. */
export function judge(one: Case): Judged {
  const made = heldAfter(one);
  const left = [...made];
  const missed = one.expect.filter((expected) => {
    const at = left.findIndex((memory) => matches(memory, expected));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return { case: one, made, right: one.expect.length - missed.length, missed, wrong: left };
}

function heldAfter({ at, messages }: Case): SessionMemory[] {
  let count = 0;
  const consolidation = new Consolidation([], { newId: () => `memory-${++count}`, shortLivedMs: 7 * 86_400_000 });
  for (const [index, content] of messages.entries()) {
    const createdAt = new Date(Date.parse(at) - (messages.length - 1 - index) * 60_000).toISOString();
    const message: SourceMessage = { id: `message-${index}`, content, createdAt };
    const known = consolidation.all().filter((memory) => isCurrent(memory, createdAt));
    consolidation.take([message], extractFromMessage(message, known.toReversed()), 'builtin');
  }
  return consolidation.all().filter((memory) => isCurrent(memory, at));
}

function matches({ kind, content }: SessionMemory, { kinds, words, not = [] }: Expected): boolean {
  const has = (alternatives: string) =>
    alternatives.split('|').some((word) => new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(word)}`, 'iu').test(content));
  return kinds.includes(kind) && words.every(has) && !not.some(has);
}

export function precisionOf(judged: readonly Judged[]): number {
  return sum(judged, ({ right }) => right) / sum(judged, ({ made }) => made.length);
}

export function recallOf(judged: readonly Judged[]): number {
  return sum(judged, ({ right }) => right) / sum(judged, ({ case: { expect } }) => expect.length);
}

function sum(judged: readonly Judged[], of: (one: Judged) => number): number {
  return judged.reduce((total, one) => total + of(one), 0);
}
