/** An answer to what the assistant asked, made a statement of the user's: `Any allergies?`, `yes, latex` into `I am allergic to latex`. */

import type { Finding } from '../corrections/corrections.ts';
import type { SourceMessage, Turn } from '../extraction.ts';
import type { Candidate } from '../gate/candidate.ts';
import { isEnglish } from '../prose/language.ts';
import { proseOf } from '../prose/segments.ts';
import type { Named } from '../references/pronouns.ts';
import { looksSecret } from '../secrets.ts';
import { sentencesOf, type Token, textOf } from '../sentences/tokens.ts';
import { askedIn } from './asked.ts';
import { type Question, questionOf } from './questions.ts';
import { type Reply, replyIn } from './replies.ts';
import { statementFrom } from './told.ts';

export interface Answer {
  readonly tokens: readonly Token[];
  /** The messages that ask for it. */
  readonly heardIn: readonly string[];
}

export interface Answers {
  readonly answers: readonly Answer[];
  /** What is left to be read of the message. */
  readonly sentences: readonly (readonly Token[])[];
}

const MOST_LINES = 4;
const LONGEST_LINE = 300;

/** `sentences` are those of the message, `named` whom the user named in the one before. */
export function answersIn(message: SourceMessage, sentences: readonly (readonly Token[])[], named: Named): Answers {
  const nothing: Answers = { answers: [], sentences };
  const turn = message.before?.at(-1);
  if (turn?.role !== 'assistant') return nothing;
  const asked = askedIn(turn.content);
  const replies = asked.length === 0 ? [] : repliesIn(message.content);
  if (asked.length > 2 && replies.length < asked.length) return nothing;
  const answers: Answer[] = [];
  const left = [...sentences];
  const more: (readonly Token[])[] = [];
  for (const [i, words] of asked.entries()) {
    const said = replies[i];
    const reply = said && replyIn(said);
    const question = questionOf(words, named);
    if (!reply) break;
    const next = replies[i + 1];
    const whole = reply.value.length === 0 && reply.polarity === 'yes' && asked.length === 1 && next ? withNext(reply, next) : reply;
    const retracts = question?.sort === 'polar' && /^(?:wait|sorry|oops|correction|scratch)$/.test(next?.[0]?.lower ?? '');
    const other = asked.length > 1 && isOfAnother(whole, words, asked);
    const answer = question && !other && !retracts ? answerTo(question, whole, turn) : undefined;
    if (!answer) continue;
    answers.push(answer);
    take(left, said);
    if (whole !== reply && next) take(left, next);
    if (whole.more.length > 0) more.push(whole.more);
  }
  return answers.length === 0 ? nothing : { answers, sentences: [...more, ...left] };
}

function answerTo(question: Question, reply: Reply, turn: Turn): Answer | undefined {
  const text = statementFrom(question, reply)?.replace(/\byour\b/g, 'my');
  if (text === undefined || looksSecret(text) || !isEnglish(text) || !isReadable(textOf(reply.value))) return undefined;
  const heard = question.about?.heardIn ?? [];
  return { tokens: sentencesOf(text).flat(), heardIn: [...heard, turn.id] };
}

/** `Space 2x1 m` to `What's your goal, and how much space do you have?`. */
function isOfAnother({ value }: Reply, own: readonly Token[], asked: readonly (readonly Token[])[]): boolean {
  const lower = value[0]?.tag === 'NOUN' || value[0]?.tag === 'PROPN' ? value[0].lower : undefined;
  const has = (words: readonly Token[]) => words.some((word) => word.lower === lower);
  return lower !== undefined && !has(own) && asked.some(has);
}

/** Names need not be English, sentences do. */
function isReadable(value: string): boolean {
  const spoken = value.replace(/\b\p{Lu}{2,}\b/gu, '');
  const foreign = /\p{L}/u.test(spoken) && !isEnglish(spoken);
  return !foreign || (value.split(' ').length <= 2 && /[^\p{ASCII}]/u.test(value) && /^\P{Ll}/u.test(value));
}

/** `Yes. Royal Canin Renal.` */
function withNext(reply: Reply, sentence: readonly Token[]): Reply {
  const next = replyIn(sentence);
  const short =
    next && next.polarity === undefined && next.value.length <= 6 && !next.value.some(({ tag }) => tag === 'VERB' || tag === 'AUX');
  return short ? { polarity: 'yes', value: next.value, more: next.more } : reply;
}

function repliesIn(content: string): readonly (readonly Token[])[] {
  return proseOf(content.slice(0, MOST_LINES * LONGEST_LINE))
    .slice(0, MOST_LINES)
    .filter((line) => line.length <= LONGEST_LINE)
    .flatMap((line) => joined(sentencesOf(line.replace(/\b(no|yes)\.(?=\s|$)/gi, '$1 .'))));
}

/** `gest. diabetes`: no sentence ends there. */
function joined(sentences: readonly (readonly Token[])[]): readonly (readonly Token[])[] {
  const result: (readonly Token[])[] = [];
  for (const sentence of sentences) {
    const last = result.at(-1);
    const short =
      last?.length === 2 &&
      last[1]?.text === '.' &&
      /^\p{Ll}{3,4}$/u.test(last[0]?.text ?? '') &&
      !/^(?:yes|nope|yeah)$/.test(last[0]?.lower ?? '');
    if (last && short && /^\p{Ll}/u.test(sentence[0]?.text ?? ''))
      result[result.length - 1] = [{ ...(last[0] as Token), text: `${last[0]?.text}.` }, ...sentence];
    else result.push(sentence);
  }
  return result;
}

function take(sentences: (readonly Token[])[], said: readonly Token[]): void {
  const text = textOf(said);
  const at = sentences.findIndex((sentence) => textOf(sentence) === text);
  if (at !== -1) sentences.splice(at, 1);
}

/** It was asked for: what says something is kept, whether a rule knows it or not. */
export function keptAnswer(candidate: Candidate, passed: Finding | undefined, { heardIn }: Answer): Finding | undefined {
  const finding = passed ?? (candidate.form === 'statement' ? candidate.finding : undefined);
  return finding && { ...finding, heardIn };
}
