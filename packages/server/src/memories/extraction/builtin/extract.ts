/** The built-in extractor: one message into memories, by grammar and word lists, without a language model. */

import type { ExtractedMemory, Extraction, KnownMemory, SourceMessage, Withdrawal } from '../extractor.ts';
import { type Clause, clausesOf } from './clauses.ts';
import { correctionOf, type Finding, takesPlaceOf } from './corrections.ts';
import { resolveDates } from './dates.ts';
import { announced, isAnnouncement, withSubject } from './fragments.ts';
import { judge } from './judgement.ts';
import { isMoved } from './judgement-others.ts';
import { isEnglish } from './language.ts';
import { startsWith, withoutOpeners } from './phrases.ts';
import { isLasting, standingWish } from './requests.ts';
import { sentenceAbout, sentenceAsSaid } from './rewriting.ts';
import { countSecrets, looksSecret } from './secrets.ts';
import { LEFT_OUT, proseOf } from './segments.ts';
import { type Statement, statementOf } from './statements.ts';
import { sentencesOf, type Token, textOf } from './tokens.ts';
import { HYPOTHETICAL } from './words/phrases.ts';

const MOST_SENTENCES = 300;
const MOST_MEMORIES = 100;

/** `known` newest first. */
export function extractFromMessage(message: SourceMessage, known: readonly KnownMemory[]): Extraction {
  const today = dayOf(message.createdAt);
  const findings: Finding[] = [];
  const withdrawn = new Set<string>();
  for (const sentence of sentencesIn(message.content)) {
    if (startsWith(withoutOpeners(sentence).tokens, 0, HYPOTHETICAL) > 0) break;
    const held = [...findings.map((finding, i) => ({ id: refOf(message, i), ...finding, slot: finding.slot ?? null })).reverse(), ...known];
    const correction = correctionOf(sentence, held, today);
    if (correction) {
      for (const id of correction.withdrawn) withdrawn.add(id);
      if (correction.finding) findings.push(correction.finding);
      if (correction.whole) continue;
    }
    for (const finding of findingsIn(sentence, today)) {
      if (findings.length === MOST_MEMORIES) break;
      // What is known already is told all the same: whoever keeps the memories notes that it was said again.
      if (findings.some(({ content }) => sameText(content, finding.content))) continue;
      const replaces = takesPlaceOf(finding, held, correction !== undefined);
      findings.push(replaces.length > 0 ? { ...finding, replaces } : finding);
    }
  }
  const memories = findings.map(
    (finding, i): ExtractedMemory => ({
      ref: refOf(message, i),
      messageId: message.id,
      kind: finding.kind,
      content: finding.content,
      slot: finding.slot,
      replaces: finding.replaces,
    }),
  );
  return {
    memories,
    withdrawn: [...withdrawn].map((memory): Withdrawal => ({ messageId: message.id, memory })),
    secrets: countSecrets(message.content),
  };
}

function refOf(message: SourceMessage, index: number): string {
  return `${message.id}:${index}`;
}

/** Midnight of the day; a time that cannot be read is taken for the beginning of all. */
function dayOf(createdAt: string): Date {
  const time = Date.parse(createdAt);
  return new Date(Number.isNaN(time) ? 0 : Math.floor(time / 86_400_000) * 86_400_000);
}

function sameText(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function* sentencesIn(content: string): Generator<Token[]> {
  let count = 0;
  for (const line of proseOf(content)) {
    if (!isEnglish(line)) continue;
    for (const sentence of sentencesOf(line)) {
      if (++count > MOST_SENTENCES) return;
      const text = textOf(sentence);
      if (isEnglish(text) && !looksSecret(text)) yield sentence;
    }
  }
}

function findingsIn(sentence: readonly Token[], today: Date): Finding[] {
  const findings: Finding[] = [];
  const clauses = clausesOf(sentence);
  if (clauses.some(({ tokens }) => startsWith(tokens, 0, HYPOTHETICAL) > 0)) return [];
  let condition: readonly Token[] = [];
  clauses.forEach((clause, i) => {
    if (clause.sort === 'condition') {
      condition = /^when/.test(clause.connector) ? clause.tokens : [];
      return;
    }
    const before = clauses[i - 1];
    const conditional = before?.sort === 'condition' && i === 1 && !/^when/.test(before.connector);
    const finding = conditional ? undefined : findingOf(clause, clauses, i, condition, today);
    condition = [];
    if (finding) findings.push(finding);
  });
  return findings;
}

function findingOf(clause: Clause, clauses: readonly Clause[], i: number, condition: readonly Token[], today: Date): Finding | undefined {
  const before = clauses[i - 1];
  const wish = clause.sort === 'question' ? undefined : standingWish(clause, condition, before !== undefined && isLasting(before.tokens));
  if (wish) return wish;
  if (clause.sort !== 'statement' && !(clause.sort === 'order' && clause.remembered)) return undefined;
  const tokens = clause.shared ? [...sharedSubject(clauses, i), ...clause.tokens] : withSubject(clause.tokens);
  const plain = statementOf(tokens);
  if (!plain) return announcement(tokens, today);
  const rescheduled = isMoved(plain) && plain.subject.sort !== 'user';
  const direction = (plain.tense === 'past' && !rescheduled) || (plain.aspect === 'perfect' && plain.verb !== 'have') ? 'past' : 'future';
  const recurring =
    (tokens.some(({ lower }) => lower === 'birthday' || lower === 'anniversary') && plain.verb === 'be') ||
    (plain.verb === 'start' && plain.subject.sort !== 'user' && tokens.some(({ lower }) => lower === 'year' || lower === 'season'));
  const { tokens: resolved, dated } = resolveDates(tokens, { today, direction, recurring });
  const statement = { ...(statementOf(resolved) ?? plain), tense: plain.tense };
  const circumstances = { dated, remembered: clause.remembered, contrasted: clauses[i + 1]?.connector === 'but' };
  const verdict = judge(statement, circumstances);
  if (!verdict) return undefined;
  const content = statement.subject.sort === 'other' ? sentenceAsSaid(resolved) : sentenceAbout(withCondition(statement, condition));
  return content === undefined ? undefined : { ...verdict, content, instead: insteadOf(statement) };
}

function sharedSubject(clauses: readonly Clause[], i: number): readonly Token[] {
  for (let at = i - 1; at >= 0; at--) {
    const clause = clauses[at] as Clause;
    if (!clause.shared) return statementOf(withSubject(clause.tokens))?.subject.tokens ?? [];
  }
  return [];
}

function announcement(tokens: readonly Token[], today: Date): Finding | undefined {
  const { tokens: resolved } = resolveDates(tokens, { today, direction: 'future', recurring: false });
  if (!isAnnouncement(resolved) || resolved.some(({ text, lower }) => text.includes(LEFT_OUT) || lower === 'you')) return undefined;
  const comma = resolved.findIndex(({ text }) => text === ',');
  const statement = statementOf(announced(comma === -1 ? resolved : resolved.slice(0, comma)));
  const content = statement && sentenceAbout(statement);
  return content === undefined ? undefined : { kind: 'short_lived', content };
}

/** `When I travel, I prefer …` is said the other way round. */
function withCondition(statement: Statement, condition: readonly Token[]): Statement {
  if (condition.length === 0 || condition[0]?.text !== 'I') return statement;
  const [when] = sentencesOf('when');
  return { ...statement, rest: [...statement.rest, ...(when ?? []).map((each) => ({ ...each, space: true })), ...condition] };
}

/** What it says that it replaces: `instead of the Panda`. */
function insteadOf({ rest }: Statement): string | undefined {
  const at = rest.findIndex(({ lower }, i) => lower === 'instead' && rest[i + 1]?.lower === 'of');
  return at === -1 ? undefined : rest.slice(at + 2).find(({ tag }) => tag === 'PROPN' || tag === 'NOUN')?.lower;
}
