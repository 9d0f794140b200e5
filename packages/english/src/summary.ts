/** What a session was about, in its own sentences: those that have most in common with all the others, in their order. */

import { LEFT_OUT } from './excerpt.ts';
import { isNamedIn, namedBy } from './forgetting/naming.ts';
import { type Target, targetsIn } from './forgetting/requests-to-forget.ts';
import { proseOf } from './prose/segments.ts';
import { looksSecret } from './secrets.ts';

export const LONGEST_SUMMARY = 1_000;
const MOST_SENTENCES = 8;
const LONGEST_SENTENCE = 280;
/** Below this there is nothing to sum up. */
const LEAST_SENTENCES = 4;
const LEAST_TERMS = 3;
/** How much a sentence loses that shares all of its words with one already taken. */
const REPETITION_COST = 1;
/** Statements are about them. */
const SUBJECT = 'user';
/** Of a statement's words, where a sentence is taken for what it was read from: dates were worked out, and verbs put into another person. */
const LEAST_SHARED = 0.5;
/** What opens a session says what it is about. */
const OPENING_BONUS = 1.25;

export interface SpokenMessage {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly createdAt: string;
}

/** What was said once and put right or taken back since. */
export interface EndedStatement {
  readonly content: string;
  /** Those that said it. */
  readonly messageIds: readonly string[];
  readonly endedAt: string;
}

/** The words of a text that tell it from others, each once and in one form. */
export type TermsOf = (text: string) => readonly string[];

export interface Summary {
  readonly content: string;
  /** The messages whose sentences it has. */
  readonly messageIds: readonly string[];
}

interface Sentence {
  readonly messageId: string;
  readonly role: string;
  readonly saidAt: string;
  readonly text: string;
  readonly terms: readonly string[];
  /** What it asks to be forgotten. */
  readonly forgets: readonly Target[];
}

/** Undefined where too little was said. The same messages give the same summary; what no longer holds is not in it. */
export function summaryOf(messages: readonly SpokenMessage[], ended: readonly EndedStatement[], termsOf: TermsOf): Summary | undefined {
  const spoken = messages.filter(({ role }) => role !== 'system').flatMap((message) => sentencesOf(message, termsOf));
  const said = withoutForgotten(spoken).filter(({ text, terms }) => terms.length >= LEAST_TERMS && text.length < LONGEST_SENTENCE);
  const sentences = distinct(withoutEnded(said, ended, termsOf));
  if (sentences.length < LEAST_SENTENCES) return undefined;
  const chosen = choose(sentences);
  const lines: string[] = [];
  let speaker = '';
  for (const { role, text } of chosen) {
    lines.push(role === speaker ? text : `${role === 'user' ? 'User' : 'Assistant'}: ${text}`);
    speaker = role;
  }
  return { content: lines.join(' '), messageIds: [...new Set(chosen.map(({ messageId }) => messageId))] };
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' });

function sentencesOf({ id, role, content, createdAt }: SpokenMessage, termsOf: TermsOf): Sentence[] {
  const sentences: Sentence[] = [];
  // A secret may be told in two sentences, neither of which gives it away.
  if (looksSecret(content)) return sentences;
  for (const prose of proseOf(content)) {
    for (const { segment } of segmenter.segment(prose)) {
      const text = segment.replace(/\s+/g, ' ').trim();
      if (text === '' || text.includes(LEFT_OUT)) continue;
      const forgets = role === 'user' ? targetsIn(text) : [];
      sentences.push({ messageId: id, role, saidAt: createdAt, text: withStop(text), terms: termsOf(text), forgets });
    }
  }
  return sentences;
}

/** Whoever left out the full stop meant it. */
function withStop(text: string): string {
  return /[\p{L}\p{N})\]'"’”]$/u.test(text) ? `${text}.` : text;
}

/** Without requests to forget and what they are about, whether a memory was made of it or not. */
function withoutForgotten(sentences: readonly Sentence[]): Sentence[] {
  let kept: Sentence[] = [];
  for (const sentence of sentences) {
    for (const target of sentence.forgets) kept = keptAfter(target, sentence, kept);
    if (sentence.forgets.length === 0) kept.push(sentence);
  }
  return kept;
}

function keptAfter(target: Target, request: Sentence, said: readonly Sentence[]): Sentence[] {
  if (target.what === 'named') {
    const all = target.names.map((name) => namedBy(name, target.isWide));
    return said.filter(({ text }) => all.every((named) => !isNamedIn(named, text)));
  }
  if (target.what === 'all') {
    const but = target.but === undefined ? undefined : namedBy(target.but, true);
    return but ? said.filter(({ text }) => isNamedIn(but, text)) : [];
  }
  // What the same message stated before; else the user's message before, with what was answered to it.
  const own = said.findIndex(
    ({ messageId, text, terms }) => messageId === request.messageId && terms.length >= LEAST_TERMS && !text.endsWith('?'),
  );
  if (own !== -1) return said.filter(({ messageId }) => messageId !== request.messageId);
  const last = said.findLast(({ role, messageId }) => role === 'user' && messageId !== request.messageId);
  const from = last ? said.findIndex(({ messageId }) => messageId === last.messageId) : said.length;
  return said.slice(0, from);
}

/** Of the messages that said it, the sentences that come closest; of others before its end, those that have all of its words. */
function withoutEnded(sentences: readonly Sentence[], ended: readonly EndedStatement[], termsOf: TermsOf): Sentence[] {
  const statements = ended.map(({ content, messageIds, endedAt }) => ({
    terms: termsOf(content).filter((term) => term !== SUBJECT),
    messageIds: new Set(messageIds),
    endedAt,
  }));
  return sentences.filter((sentence) => {
    const own = new Set(sentence.terms);
    return !statements.some(({ terms, messageIds, endedAt }) => {
      const isSource = messageIds.has(sentence.messageId);
      if (terms.length === 0 || (!isSource && sentence.saidAt >= endedAt)) return false;
      const shared = terms.filter((term) => own.has(term)).length;
      return shared / terms.length >= (isSource ? LEAST_SHARED : 1);
    });
  });
}

function distinct(sentences: readonly Sentence[]): Sentence[] {
  const seen = new Set<string>();
  return sentences.filter(({ terms }) => {
    const key = terms.toSorted().join(' ');
    return !seen.has(key) && seen.add(key);
  });
}

/** One after the other, each time the one that says most of what is not said yet. */
function choose(sentences: readonly Sentence[]): Sentence[] {
  const shares = new Map<string, number>();
  for (const { terms } of sentences) for (const term of terms) shares.set(term, (shares.get(term) ?? 0) + 1);
  const weight = (term: string) => Math.log(1 + (shares.get(term) as number));
  const said = new Set<string>();
  const chosen = new Set<Sentence>();
  let length = 0;
  while (chosen.size < MOST_SENTENCES) {
    let best: { sentence: Sentence; score: number } | undefined;
    for (const [index, sentence] of sentences.entries()) {
      const cost = sentence.text.length + 'Assistant: '.length + 1;
      if (chosen.has(sentence) || length + cost > LONGEST_SUMMARY) continue;
      const all = sentence.terms.reduce((sum, term) => sum + weight(term), 0);
      const repeated = sentence.terms.reduce((sum, term) => sum + (said.has(term) ? weight(term) : 0), 0);
      const score = ((all - REPETITION_COST * repeated) / Math.sqrt(sentence.terms.length + 4)) * (index < 2 ? OPENING_BONUS : 1);
      if (score > 0 && (!best || score > best.score)) best = { sentence, score };
    }
    if (!best) break;
    chosen.add(best.sentence);
    length += best.sentence.text.length + 'Assistant: '.length + 1;
    for (const term of best.sentence.terms) said.add(term);
  }
  return sentences.filter((sentence) => chosen.has(sentence));
}
