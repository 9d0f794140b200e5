/** What one sentence says that is worth keeping. */

import { type Clause, clausesOf } from './clauses.ts';
import type { Finding } from './corrections.ts';
import { resolveDates } from './dates.ts';
import { announced, isAnnouncement, upToStop, withSubject } from './fragments.ts';
import { judge } from './judgement.ts';
import { isMoved } from './judgement-others.ts';
import { listedFacts } from './lists.ts';
import { startsWith } from './phrases.ts';
import { isLasting, standingWish } from './requests.ts';
import { sentenceAbout, sentenceAsSaid } from './rewriting.ts';
import { LEFT_OUT } from './segments.ts';
import { type Statement, statementOf } from './statements.ts';
import { type Token, token } from './tokens.ts';
import { HYPOTHETICAL } from './words/phrases.ts';

export function findingsIn(sentence: readonly Token[], today: Date): Finding[] {
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
    if (!conditional) findings.push(...findingsOf(clause, clauses, i, condition, today));
    condition = [];
  });
  return findings;
}

function findingsOf(clause: Clause, clauses: readonly Clause[], i: number, condition: readonly Token[], today: Date): Finding[] {
  const before = clauses[i - 1];
  const wish = standingWish(clause, condition, before !== undefined && isLasting(before.tokens));
  if (wish) return [wish];
  const circumstances = { remembered: clause.remembered, contrasted: clauses[i + 1]?.connector === 'but' };
  const read = (tokens: readonly Token[]) => findingOf(tokens, condition, circumstances, today);
  const listed = clause.sort === 'statement' && i === 0 ? listedFacts(clause.tokens, clause.aboutUser) : [];
  if (listed.length > 0) return listed.flatMap((tokens) => read(tokens) ?? []);
  const tokens = clause.shared ? [...sharedSubject(clauses, i), ...clause.tokens] : meantBy(clause);
  const finding = tokens && read(tokens);
  return finding ? [finding] : [];
}

/** The clause with its subject, if it states something. */
function meantBy(clause: Clause): readonly Token[] | undefined {
  const whole = withSubject(clause.tokens);
  const part = upToStop(clause.tokens);
  const states = clause.sort === 'statement' || (clause.sort === 'order' && (clause.remembered || (!clause.pressing && whole[0]?.text === 'I')));
  if (!states) return undefined;
  if (whole === clause.tokens || part.length === clause.tokens.length) return whole;
  const more = clause.tokens.slice(part.length);
  const goesOn = more[0]?.text === ',' && more.length <= 8 && !more.some(({ tag }) => tag === 'VERB' || tag === 'AUX' || tag === 'PRON');
  return clause.tokens[0]?.text === whole[0]?.text || goesOn ? whole : withSubject(part);
}

interface Surroundings {
  readonly remembered: boolean;
  readonly contrasted: boolean;
}

function findingOf(tokens: readonly Token[], condition: readonly Token[], around: Surroundings, today: Date): Finding | undefined {
  const plain = statementOf(tokens);
  if (!plain) return announcement(tokens, today);
  const rescheduled = isMoved(plain) && plain.subject.sort !== 'user';
  const direction = (plain.tense === 'past' && !rescheduled) || (plain.aspect === 'perfect' && plain.verb !== 'have') ? 'past' : 'future';
  const recurring =
    (tokens.some(({ lower }) => lower === 'birthday' || lower === 'anniversary') && plain.verb === 'be') ||
    (plain.verb === 'start' && plain.subject.sort !== 'user' && tokens.some(({ lower }) => lower === 'year' || lower === 'season'));
  const { tokens: resolved, dated } = resolveDates(tokens, { today, direction, recurring });
  const statement = { ...(statementOf(resolved) ?? plain), tense: plain.tense };
  const verdict = judge(statement, { ...around, dated });
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
  return { ...statement, rest: [...statement.rest, token('when', 'SCONJ'), ...condition] };
}

/** What it says that it replaces: `instead of the Panda`. */
function insteadOf({ rest }: Statement): string | undefined {
  const at = rest.findIndex(({ lower }, i) => lower === 'instead' && rest[i + 1]?.lower === 'of');
  return at === -1 ? undefined : rest.slice(at + 2).find(({ tag }) => tag === 'PROPN' || tag === 'NOUN')?.lower;
}
