/** `the monorepo is built with Bazel`, `every PR needs two approvals`, `comments should always be in English`: how things are done where the user works. */

import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';
import { MOMENTARY } from '../words/adjectives.ts';
import { PEOPLE, SURROUNDINGS, SYSTEMS, WORTHLESS } from '../words/nouns.ts';
import { wordSet } from '../words/sets.ts';
import { isMade } from './possessions.ts';
import { hasContent, hasHabit, headOf, isHabit, type Verdict, verdict } from './verdicts.ts';

const ALL = wordSet('every all most each everything everyone nothing nobody anything whatever');

/** What is done with a tool. */
const KEPT_SOMEWHERE = wordSet(
  'payroll timesheets sheets invoices invoicing bookkeeping accounting docs documentation tickets issues logs backups designs mockups specs notes contracts reports analytics billing monitoring metrics dashboards recipes photos bookings orders inventory stock secrets code tasks',
);

export function judgeSystem(statement: Statement, head: string, event: boolean): Verdict | undefined {
  const { subject, verb, rest, tense, modal, adverbs } = statement;
  const first = subject.tokens[0] as Token;
  if (!hasContent(rest)) return undefined;
  if (hasHabit(subject.tokens) && verb === 'be' && rest[0]?.lower === 'for' && tense === 'present') return verdict('fact');
  const mine = subject.tokens.findIndex(({ text, lower }) => text === 'I' || lower === 'we');
  const onlyOne =
    first.lower === 'the' &&
    subject.tokens[1]?.lower === 'only' &&
    !/^(?:thing|problem|issue|difference)$/.test(subject.tokens[2]?.lower ?? '');
  if (mine > 0 && (ALL.has(first.lower) || onlyOne) && tense === 'present' && /^(?:(?:have|has|needs?) to)?$/.test(modal))
    return verdict('fact');
  if (/^(?:should|must)$/.test(modal)) return adverbs.has('always') || adverbs.has('never') ? verdict('preference') : undefined;
  const kept = KEPT_SOMEWHERE.has(head) && /^(?:be|live|sit|run)$/.test(verb) && tense === 'present' && modal === '' && !statement.negated;
  if (kept && /^(?:in|on)$/.test(rest[0]?.lower ?? '') && rest[1]?.tag === 'PROPN') return verdict('fact');
  const id = subject.tokens.some(({ text }) => /\d{3}/.test(text));
  if (event && id && (statement.aspect === 'perfect' || tense === 'present') && modal === '') return verdict('short_lived');
  if (tense !== 'present' || modal !== '' || statement.aspect !== 'simple') return undefined;
  const named = rest.some(({ tag }) => tag === 'PROPN' || tag === 'NUM');
  if (first.lower === 'the' && isMade(statement)) return named && rest.length > 2 ? verdict('fact') : undefined;
  if (first.lower === 'the' && SYSTEMS.has(head) && !statement.negated && named && (verb === 'be' || /^(?:run|use|live|sit)$/.test(verb)))
    return verdict('fact');
  if (first.lower === 'the' && verb === 'be' && isOwned(rest)) return verdict('fact');
  const kind =
    /^an?$/.test(rest[0]?.lower ?? '') && rest.length > 2 && !WORTHLESS.has(headOf(rest)) && !MOMENTARY.has(rest[1]?.lower ?? '');
  if (first.lower === 'the' && verb === 'be' && kind && (SYSTEMS.has(head) || PEOPLE.has(head))) return verdict('fact');
  if (ALL.has(first.lower) && (named || subject.tokens.some(({ lower }) => lower === 'here')) && !isAboutUs(rest)) return verdict('fact');
  if (isHere(subject.tokens) || isHere(rest)) return verdict('fact');
  if (event && verb === 'be' && rest[0]?.lower === 'for' && rest[1]?.tag === 'PROPN') return verdict('fact');
  // `standup is at 9:30`
  const timed = event && verb === 'be' && rest[0]?.lower === 'at' && /^\d/.test(rest[1]?.text ?? '');
  return timed || (event && isHabit(statement) && first.tag !== 'PRON') ? verdict('fact') : undefined;
}

/** `the account is under my husband's name`. */
function isOwned(rest: readonly Token[]): boolean {
  return rest[0]?.tag === 'ADP' && (rest[1]?.lower === 'my' || rest[1]?.lower === 'our') && rest.length > 2;
}

/** `in this project`, `in this house`. */
function isHere(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ lower }, i) => lower === 'this' && /^(?:in|at|on)$/.test(tokens[i - 1]?.lower ?? '') && SURROUNDINGS.has(tokens[i + 1]?.lower ?? ''),
  );
}

function isAboutUs(rest: readonly Token[]): boolean {
  return rest.some(({ lower }) => lower === 'it' || lower === 'you' || lower === 'this');
}
