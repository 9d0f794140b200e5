/** What one sentence says that may be worth keeping. */

import { DATE, resolveDates } from './dates/dates.ts';
import { isYearlyDay } from './dates/recurrence.ts';
import { withReturn } from './dates/returns.ts';
import { LEFT_OUT } from './excerpt.ts';
import type { Candidate } from './gate/candidate.ts';
import { judge, standsAlone } from './judgement/judge.ts';
import { isMoved } from './judgement/others.ts';
import { nameOfThing, slotOf } from './judgement/slots.ts';
import { headOf } from './judgement/verdicts.ts';
import { isLasting, orderedWish, standingWish } from './requests/requests.ts';
import { type Clause, clausesOf } from './sentences/clauses.ts';
import { announced, hasGerundSubject, isAnnouncement, partsOf, withSubject } from './sentences/fragments.ts';
import { type LabelledValue, labelledValue } from './sentences/labels.ts';
import { listedFacts } from './sentences/lists.ts';
import { startsWith, withoutClosers } from './sentences/phrases.ts';
import { namedInApposition, straightened } from './sentences/plain-wording.ts';
import { isUserStory } from './sentences/presuppositions.ts';
import { type Statement, statementOf } from './sentences/statements.ts';
import { type Token, token } from './sentences/tokens.ts';
import { fragmentText, isNotable, labelText } from './wording/notes.ts';
import { sentenceAbout, sentenceAsSaid } from './wording/third-person.ts';
import { HYPOTHETICAL } from './words/phrases.ts';
import { wordSet } from './words/sets.ts';

export function candidatesIn(sentence: readonly Token[], today: Date): Candidate[] {
  const candidates: Candidate[] = [];
  if (isUserStory(sentence) || hasGerundSubject(sentence)) return [];
  const labelled = labelledValue(withoutClosers(sentence));
  if (labelled) return labelCandidates(labelled, today);
  const clauses = mergedClauses(clausesOf(withReturn(sentence)));
  if (clauses.some(({ tokens }) => startsWith(tokens, 0, HYPOTHETICAL) > 0)) return [];
  let condition: readonly Token[] = [];
  clauses.forEach((clause, i) => {
    if (clause.sort === 'condition') {
      condition = /^when/.test(clause.connector) ? clause.tokens : [];
      return;
    }
    const before = clauses[i - 1];
    const conditional = before?.sort === 'condition' && i === 1 && !/^when/.test(before.connector);
    if (!conditional) candidates.push(...candidatesOf(clause, clauses, i, condition, today));
    condition = [];
  });
  return candidates;
}

function labelCandidates({ label, value }: LabelledValue, today: Date): Candidate[] {
  const context = { today, direction: 'future', recurring: label.some(isYearlyDay) } as const;
  const { tokens: resolved, dated: isDated } = resolveDates(value, context);
  // `12 June 2026: biology`
  const dated = isDated || resolveDates(label, context).dated;
  const content = labelText(label, resolved);
  const tokens = [...label, token(':', 'PUNCT'), ...value];
  return content === undefined
    ? []
    : [
        {
          finding: { kind: dated ? 'short_lived' : 'fact', content, slot: slotOf('label', nameOfThing(label)) },
          form: 'label',
          ruled: false,
          tokens,
          dated,
          remembered: false,
        },
      ];
}

/** `our backend is written in Go and runs on Fly.io` is one statement about one thing; what the user does is told apart. */
function mergedClauses(clauses: readonly Clause[]): Clause[] {
  const merged: Clause[] = [];
  for (const clause of clauses) {
    const last = merged.at(-1);
    const subject = last && clause.shared && clause.connector === 'and' ? statementOf(withSubject(last.tokens))?.subject : undefined;
    if (last && subject && subject.sort !== 'user' && subject.sort !== 'both')
      merged[merged.length - 1] = { ...last, tokens: [...last.tokens, token('and', 'CCONJ'), ...clause.tokens] };
    else merged.push(clause);
  }
  return merged;
}

function candidatesOf(clause: Clause, clauses: readonly Clause[], i: number, condition: readonly Token[], today: Date): Candidate[] {
  const before = clauses[i - 1];
  const { remembered } = clause;
  const wish = standingWish(
    { ...clause, tokens: withEnd(clause.tokens, today) },
    condition,
    before !== undefined && isLasting(before.tokens),
  );
  if (wish) return [{ finding: wish, form: 'wish', ruled: true, tokens: clause.tokens, dated: false, remembered }];
  const circumstances = {
    remembered: clause.remembered,
    contrasted: clauses[i + 1]?.connector === 'but' || isOutdated(clauses, i),
    recurs: condition.length > 0,
    outdated: isOutdated(clauses, i),
  };
  const read = (tokens: readonly Token[]) => candidateOf(tokens, condition, circumstances, today) ?? [];
  if (clause.shared) return [read([...sharedSubject(clauses, i), ...clause.tokens])].flat();
  const listed = clause.sort === 'statement' && i === 0 ? listedFacts(clause.tokens, clause.aboutUser) : [];
  const statements = listed.length > 0 ? listed : meantBy(clause);
  if (statements.length === 0 && clause.sort === 'order') {
    const ordered = orderedWish(clause, condition);
    return ordered ? [{ finding: ordered, form: 'wish', ruled: false, tokens: clause.tokens, dated: false, remembered }] : [];
  }
  return statements.flatMap(read);
}

/** `no meat until Friday`: the day is written where it ends a wish. */
function withEnd(tokens: readonly Token[], today: Date): readonly Token[] {
  const ends = tokens.some(({ lower }) => lower === 'until' || lower === 'till');
  return ends ? resolveDates(tokens, { today, direction: 'future', recurring: false }).tokens : tokens;
}

/** The statements of a clause, each with its subject; several where fragments stand side by side. */
function meantBy(clause: Clause): readonly (readonly Token[])[] {
  const whole = withSubject(clause.tokens);
  const states =
    clause.sort === 'statement' || (clause.sort === 'order' && (clause.remembered || (!clause.pressing && whole[0]?.text === 'I')));
  if (!states) return [];
  const [part, ...others] = partsOf(clause.tokens);
  if (!part || others.length === 0 || clause.tokens[0]?.text === whole[0]?.text) {
    const fragment = part && whole === clause.tokens && !statementOf(whole) ? withSubject(part) : whole;
    return fragment === part ? [whole] : [fragment];
  }
  const more =
    whole[0]?.text === 'I'
      ? others.map((other) => withSubject(other)).filter((meant, i) => meant !== others[i] && isOwnFragment(meant))
      : [];
  if (more.length > 0) return [withSubject(part), ...more];
  const tail = clause.tokens.slice(part.length);
  const goesOn =
    tail[0]?.text === ',' &&
    tail.length <= 8 &&
    !tail.some(({ tag, lower }) => tag === 'VERB' || tag === 'AUX' || /^(?:i|you|my|me|it)$/.test(lower));
  return [goesOn ? whole : withSubject(part)];
}

/** Says something by itself: not `…, inherited from my aunt`, `…, writing from the train`. */
function isOwnFragment(meant: readonly Token[]): boolean {
  const statement = meant[0]?.text === 'I' ? statementOf(meant) : undefined;
  return (
    statement !== undefined &&
    statement.aspect !== 'progressive' &&
    !(statement.tense === 'past' && statement.rest[0]?.tag === 'ADP' && statement.verb !== 'move' && statement.verb !== 'end')
  );
}

interface Surroundings {
  readonly remembered: boolean;
  readonly contrasted: boolean;
  readonly recurs: boolean;
  readonly outdated: boolean;
}

/** What one was or had before something else came in its place. */
const STATES = wordSet('live rent own have drive use play study teach stay spend');

/** `I lived there until June` was in the past; `they took my licence until June` ends yet. */
const ENDURING = wordSet('be live work stay rent own have drive use play study teach wait sleep smoke eat run last');

/** The next clause says how it is now. */
function isOutdated(clauses: readonly Clause[], i: number): boolean {
  const next = clauses[i + 1]?.tokens ?? [];
  return next.some(({ lower }, at) => /^(?:now|nowadays)$/.test(lower) || (lower === 'these' && next[at + 1]?.lower === 'days'));
}

/** Of years that are over: something that happened. */
function isLongPast(tokens: readonly Token[], today: Date): boolean {
  const years = tokens.flatMap(({ text }) => (/^20\d\d(?:-|$)/.test(text) ? [Number(text.slice(0, 4))] : []));
  return years.length > 0 && years.every((year) => year < today.getUTCFullYear()) && !tokens.some(({ tag }) => tag === DATE);
}

function candidateOf(said: readonly Token[], condition: readonly Token[], around: Surroundings, today: Date): Candidate | undefined {
  const tokens = straightened(said);
  const plain = statementOf(tokens);
  const { remembered } = around;
  if (!plain) return announcement(tokens, today) ?? named(tokens) ?? fragment(tokens, today, remembered);
  if (around.contrasted && around.outdated && plain.tense === 'past' && STATES.has(plain.verb)) return undefined;
  const rescheduled = isMoved(plain) && plain.subject.sort !== 'user';
  const arranged = /^(?:book|reserve|register|enrol|enroll|enter|schedule|sign)$/.test(plain.verb);
  const direction =
    !arranged && ((plain.tense === 'past' && !rescheduled) || (plain.aspect === 'perfect' && plain.verb !== 'have')) ? 'past' : 'future';
  const recurring =
    (tokens.some(isYearlyDay) && plain.verb === 'be') ||
    (/^(?:start|begin|end|finish)$/.test(plain.verb) &&
      plain.subject.sort !== 'user' &&
      tokens.some(({ lower }) => lower === 'year' || lower === 'season'));
  const passive = plain.verb === 'be' && plain.rest[0]?.tag === 'VERB' && !plain.rest[0].lower.endsWith('ing');
  const ends = plain.aspect === 'perfect' || passive || !ENDURING.has(plain.verb) ? 'future' : direction;
  const { tokens: resolved, dated } = resolveDates(tokens, { today, direction, ends, recurring });
  const statement = { ...(statementOf(resolved) ?? plain), tense: plain.tense };
  const judged = judge(statement, { ...around, dated });
  if (!judged && !standsAlone(statement)) return named(tokens);
  const verdict = judged ?? { kind: dated ? 'short_lived' : 'fact' };
  const content = statement.subject.sort === 'other' ? sentenceAsSaid(resolved) : sentenceAbout(withCondition(statement, condition));
  const kind = verdict.kind === 'short_lived' && isLongPast(resolved, today) ? 'fact' : verdict.kind;
  if (content === undefined) return undefined;
  const finding = { ...verdict, kind, content, instead: insteadOf(statement) };
  return { finding, form: 'statement', ruled: judged !== undefined, tokens, statement: plain, dated, remembered };
}

/** `2014 Octavia, 1.6 TDI, 212k km`: what is said of it is left open. */
function fragment(tokens: readonly Token[], today: Date, remembered: boolean): Candidate | undefined {
  if (!isNotable(tokens)) return undefined;
  const { tokens: resolved, dated } = resolveDates(tokens, { today, direction: 'future', recurring: false });
  const content = fragmentText(resolved);
  return content === undefined
    ? undefined
    : { finding: { kind: dated ? 'short_lived' : 'fact', content }, form: 'fragment', ruled: false, tokens, dated, remembered };
}

/** `Pickle, our tortoise, is refusing lettuce`: at least how it is called. */
function named(tokens: readonly Token[]): Candidate | undefined {
  const appositive = namedInApposition(tokens);
  const statement = appositive && statementOf(appositive);
  const content = statement && sentenceAbout(statement);
  return content === undefined
    ? undefined
    : { finding: { kind: 'long_lived', content }, form: 'name', ruled: true, tokens, statement, dated: false, remembered: false };
}

function sharedSubject(clauses: readonly Clause[], i: number): readonly Token[] {
  for (let at = i - 1; at >= 0; at--) {
    const clause = clauses[at] as Clause;
    if (!clause.shared) return statementOf(withSubject(clause.tokens))?.subject.tokens ?? [];
  }
  return [];
}

function announcement(tokens: readonly Token[], today: Date): Candidate | undefined {
  const { tokens: resolved } = resolveDates(tokens, { today, direction: 'future', recurring: tokens.some(isYearlyDay) });
  if (!isAnnouncement(resolved) || resolved.some(({ text, lower }) => text.includes(LEFT_OUT) || lower === 'you')) return undefined;
  const comma = resolved.findIndex(({ text }) => text === ',');
  const statement = statementOf(announced(comma === -1 ? resolved : resolved.slice(0, comma)));
  const content = statement && sentenceAbout(statement);
  return content === undefined
    ? undefined
    : { finding: { kind: 'short_lived', content }, form: 'event', ruled: true, tokens, statement, dated: true, remembered: false };
}

/** `When I travel, I prefer …` is said the other way round. */
function withCondition(statement: Statement, condition: readonly Token[]): Statement {
  if (condition.length === 0 || condition[0]?.text !== 'I') return statement;
  return { ...statement, rest: [...statement.rest, token('when', 'SCONJ'), ...condition] };
}

/** What it says that it replaces: `instead of the Panda`, `switched from vim`, `switched to a gym in Rome` of a gym elsewhere. */
function insteadOf({ rest, verb }: Statement): string | undefined {
  const at = rest.findIndex(({ lower }, i) => lower === 'instead' && rest[i + 1]?.lower === 'of');
  if (at !== -1) return rest.slice(at + 2).find(({ tag }) => tag === 'PROPN' || tag === 'NOUN')?.lower;
  if (/^(?:sell|cancel|return|trade|swap)$/.test(verb))
    return rest[0]?.lower === 'the' || rest[0]?.lower === 'my' ? headOf(rest.slice(1)) || undefined : undefined;
  if (verb === 'give' && rest[0]?.lower === 'up' && rest[1]?.tag === 'NOUN' && !rest[1].lower.endsWith('ing')) return rest[1].lower;
  if (/^(?:stop|quit|give)$/.test(verb)) {
    const gerund = rest.findIndex(({ lower }) => lower.endsWith('ing'));
    if (gerund === -1) return undefined;
    const stem = (rest[gerund] as Token).lower.slice(0, -3);
    return (
      rest.slice(gerund + 1).find(({ tag }) => tag === 'PROPN' || tag === 'NOUN')?.lower ??
      `${stem}${/[kvcgz]$|ap$/.test(stem) && !/[nc]k$/.test(stem) ? 'es' : 's'}`
    );
  }
  if (!/^(?:switch|change|move|swap|migrate|transfer|upgrade)$/.test(verb)) return undefined;
  const from = rest.findIndex(({ lower }) => lower === 'from');
  if (from !== -1) return rest.slice(from + 1).find(({ tag }) => tag === 'PROPN' || tag === 'NOUN')?.lower;
  if (verb === 'switch' && rest[0]?.lower === 'to' && rest[1]?.tag === 'PROPN') return 'uses';
  const to = rest.findIndex(({ lower }, i) => lower === 'to' && /^(?:a|an|another)$/.test(rest[i + 1]?.lower ?? ''));
  return to === -1 ? undefined : headOf(rest.slice(to + 2)) || undefined;
}
