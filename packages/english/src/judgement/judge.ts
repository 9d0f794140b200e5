/** Whether a statement is worth keeping, as what kind, and which older one it replaces. */

import { LEFT_OUT } from '../excerpt.ts';
import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';
import { SURROUNDINGS } from '../words/nouns.ts';
import { DEMONSTRATIVES, SECOND_PERSON, THIRD_PERSON_PRONOUNS } from '../words/phrases.ts';
import { LIKING } from '../words/verbs.ts';
import { judgeBeing } from './being.ts';
import { judgeDoing } from './doing.ts';
import { judgeHaving, judgeLiking } from './having.ts';
import { judgeOther, judgeOwn } from './others.ts';
import { type Circumstances, type Verdict, verdict } from './verdicts.ts';

export function judge(statement: Statement, circumstances: Circumstances): Verdict | undefined {
  if (!standsAlone(statement)) return undefined;
  const judged = judgeBySubject(statement, circumstances);
  if (judged || !circumstances.remembered) return judged;
  return statement.rest.length > 0 ? verdict(circumstances.dated ? 'short_lived' : 'fact') : undefined;
}

/** Said as a guess. */
const GUESSES = new Set(['maybe', 'perhaps', 'possibly', 'probably', 'supposedly', 'presumably', 'hopefully']);

function judgeBySubject(statement: Statement, circumstances: Circumstances): Verdict | undefined {
  const { subject, verb } = statement;
  if (subject.sort === 'own') return judgeOwn(statement, circumstances);
  if (subject.sort === 'other') return judgeOther(statement, circumstances);
  if (verb === 'be') return judgeBeing(statement, circumstances);
  if (verb === 'have') return judgeHaving(statement, circumstances);
  if (LIKING.has(verb)) return judgeLiking(statement, circumstances);
  return judgeDoing(statement, circumstances);
}

const TIMES = new Set([
  'year',
  'month',
  'week',
  'weekend',
  'morning',
  'afternoon',
  'evening',
  'summer',
  'winter',
  'spring',
  'autumn',
  'fall',
  'quarter',
  'semester',
  'term',
  'days',
  'time',
  'sprint',
  'season',
  'christmas',
  'easter',
]);

/** Whether it can be understood without the conversation: no `this`, no `it` without what it stands for, no `you`. */
export function standsAlone({ subject, lead, rest, verbs }: Statement): boolean {
  const all = [...lead, ...subject.tokens, ...verbs, ...rest];
  if (all.some(({ text, lower }, i) => text.includes(LEFT_OUT) || (SECOND_PERSON.has(lower) && !isOfYours(all, i)))) return false;
  if ([...lead, ...verbs].some(({ lower }) => GUESSES.has(lower))) return false;
  if (
    subject.sort === 'other' &&
    subject.tokens.some(
      ({ lower }, i) =>
        THIRD_PERSON_PRONOUNS.has(lower) ||
        (DEMONSTRATIVES.has(lower) && lower !== 'here' && !SURROUNDINGS.has(subject.tokens[i + 1]?.lower ?? '')) ||
        lower === 'what' ||
        lower === 'which' ||
        lower === 'who',
    )
  )
    return false;
  let named = subject.sort !== 'user' || lead.some(({ tag }) => tag === 'NOUN' || tag === 'PROPN');
  const personal =
    subject.sort === 'other' && subject.tokens.every(({ tag }) => tag === 'PROPN') && !rest.slice(0, 1).some(({ tag }) => tag === 'NOUN');
  if (
    rest.some(({ lower }, i) => lower === 'same' && rest[i - 1]?.lower === 'the' && /^(?:for|at|with|in)$/.test(rest[i - 2]?.lower ?? ''))
  )
    return false;
  return rest.every((each, i) => {
    if (each.tag === 'NOUN' || each.tag === 'PROPN') named = true;
    if (each.lower === 'it' && personal) return false;
    if (THIRD_PERSON_PRONOUNS.has(each.lower) || each.lower === 'its') return named;
    if (DEMONSTRATIVES.has(each.lower)) return isHarmless(rest, i, named);
    return true;
  });
}

/** `two of your vacuums`: said to a shop. */
function isOfYours(all: readonly Token[], i: number): boolean {
  if (all[i]?.lower === 'your' && /^(?:bought|ordered|purchased|own|have)$/.test(all[i - 1]?.lower ?? '')) return true;
  return all[i]?.lower === 'your' && all[i - 1]?.lower === 'of' && (all[i - 2]?.tag === 'NUM' || all[i - 2]?.lower === 'one');
}

function isHarmless(rest: readonly Token[], i: number, named: boolean): boolean {
  const [each, next] = [rest[i] as Token, rest[i + 1]];
  if (each.lower === 'such') return true;
  if (each.lower === 'here' && next && /^(?:from|since|for|in|with|at|near)$/.test(next.lower)) return true;
  if (next && (TIMES.has(next.lower) || (/^th(?:is|ese)$/.test(each.lower) && SURROUNDINGS.has(next.lower) && rest[i - 1]?.tag === 'ADP')))
    return true;
  // `an app that finds trains`: joins, does not point.
  return (
    each.lower === 'that' &&
    named &&
    next !== undefined &&
    ['VERB', 'AUX', 'PRON', 'NOUN', 'DET', 'ADV', 'PROPN'].includes(next.tag) &&
    rest[i - 1]?.tag !== 'ADP'
  );
}
