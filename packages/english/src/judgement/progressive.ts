/** `I am writing …`, `I have been …ing`: what is going on. */

import { namesFamily } from '../sentences/people.ts';
import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';
import { DWELLINGS, LONG_PROJECTS, PASSING_THINGS, STUDIES } from '../words/nouns.ts';
import { wordSet } from '../words/sets.ts';
import { ENGAGED, PASSING_PROGRESSIVE, WORK } from '../words/verbs.ts';
import { has, hasAny, hasContent, headOf, isAtHand, type Verdict, verdict } from './verdicts.ts';
import { judgeWork } from './work.ts';

const SEARCHED = wordSet(
  'job apartment flat house place roommate flatmate internship position role nanny school daycare tenant cofounder co-founder work',
);
/** What a team has decided, said as if it were going on. */
const KEEPING = wordSet('ditch drop scrap sunset deprecate adopt standardise standardize retire phase keep stick stay replace');
/** Written in the course of an hour. */
const CODE = wordSet(
  'csv json file files log logs dataframe form div modal dropdown navbar widget chart graph function functions method methods class query regex loop component script snippet endpoint selector macro formula test tests unit migration',
);
const BRIEF = wordSet('hour hours minute minutes second seconds while ages bit moment forever');

export function judgeProgressive(statement: Statement, dated: boolean): Verdict | undefined {
  const { verb, rest, verbs } = statement;
  const head = headOf(rest);
  if (verb === 'teach' && rest[0]?.lower === 'myself' && hasContent(rest.slice(1))) return verdict('long_lived');
  if (!hasContent(rest) || (rest[0]?.tag === 'PRON' && !/^(?:my|our)$/.test(rest[0].lower))) return undefined;
  if (verb === 'get' && rest[0]?.lower === 'into')
    return hasContent(rest.slice(1)) && !/^(?:the|a|an|this|it)$/.test(rest[1]?.lower ?? '') ? verdict('preference') : undefined;
  if (verb === 'use' && rest.some(({ lower }) => PASSING_THINGS.has(lower))) return undefined;
  if (verb === 'get' && dated && ['DET', 'PRON', 'NUM', 'NOUN'].includes(rest[0]?.tag ?? '')) return verdict('short_lived');
  if (
    verb === 'get' &&
    statement.subject.plural &&
    rest[0]?.tag === 'DET' &&
    rest.length <= 5 &&
    !isAtHand(rest.slice(1)) &&
    !isAtHand(rest) &&
    !hasAny(rest, wordSet('same wrong right hang impression'))
  )
    return verdict('short_lived');
  if (verb === 'get') return ENGAGED.has(rest[0]?.lower ?? '') ? verdict(dated ? 'short_lived' : 'long_lived') : undefined;
  if (verb === 'do')
    return hasAny(upToPlace(rest), STUDIES)
      ? verdict('long_lived', 'studies')
      : isAtHand(rest)
        ? undefined
        : verdict(hasAny(rest, wordSet('these nowadays')) ? 'fact' : 'short_lived');
  if (verb === 'try') return rest[0]?.lower === 'for' && hasContent(rest.slice(1)) ? verdict('fact') : undefined;
  if (verb === 'freelance') return verdict('long_lived', 'job');
  const since = verbs.some(({ lower }) => lower === 'been');
  if (since && isBrief(rest)) return undefined;
  if (verb === 'look')
    return rest[0]?.lower === 'for' && hasAny(rest, SEARCHED)
      ? verdict('short_lived')
      : rest[0]?.lower === 'after'
        ? verdict('short_lived')
        : undefined;
  if (verb === 'live') return dated && !since ? verdict('short_lived') : verdict('long_lived', 'home');
  if (verb === 'work' && dated && !since) return verdict('short_lived');
  if (verb === 'work' && !/^(?:on|through|towards|toward|out)$/.test(rest[0]?.lower ?? ''))
    return judgeWork(statement) ?? verdict('short_lived');
  if (verb === 'go' && rest[0]?.lower === 'with') return rest.length > 1 ? verdict('fact') : undefined;
  if (verb === 'go' && rest[0]?.lower === 'to' && rest[1]?.tag === 'PROPN') return verdict('short_lived');
  if (verb === 'go' && rest[0]?.lower === 'through') return verdict('short_lived');
  if (dated && !since && !/^(?:wonder|think|try|get|say|mean|guess)$/.test(verb) && !isAtHand(rest)) return verdict('short_lived');
  if (verb === 'use' || verb === 'switch' || verb === 'run') return rest[0]?.lower === 'the' ? undefined : verdict('fact');
  if (KEEPING.has(verb) && (rest.some(({ tag }) => tag === 'PROPN') || (statement.subject.plural && rest[0]?.lower === 'the')))
    return verdict('fact');
  if (verb === 'leave' && (rest[0]?.tag === 'PROPN' || /^(?:job|company|position)$/.test(head))) return verdict('short_lived');
  if (verb === 'date' || verb === 'expect' || (verb === 'raise' && namesFamily(rest))) return verdict('long_lived');
  if (verb === 'study' || verb === 'learn' || verb === 'major')
    return verdict('long_lived', verb === 'study' || verb === 'major' ? 'studies' : undefined);
  if (verb === 'rent' && (hasAny(rest, DWELLINGS) || hasAny(rest, wordSet('in bed')))) return verdict('long_lived');
  if (since && hasAny(rest, wordSet('freelance professionally living'))) return verdict('long_lived');
  if (since && has(statement, 'for', 'since') && !/^(?:wonder|try|think|look|get|struggle|see|stare|sit|talk|wait)$/.test(verb))
    return verdict('fact');
  if (PASSING_PROGRESSIVE.has(verb) || hasAny(rest.slice(0, 3), CODE)) return undefined;
  if (isAtHand(rest) && !WORK.has(verb)) return undefined;
  if (since) return verdict('fact');
  const lasting =
    /^(?:build|develop|create|write|make|design|compose|produce|raise|found|run|start)$/.test(verb) &&
    (LONG_PROJECTS.has(head) || rest.slice(0, 5).some(({ lower }) => LONG_PROJECTS.has(lower)));
  const solid = rest.some(
    ({ tag, lower }) => ['NOUN', 'PROPN', 'NUM', 'X', 'DATE'].includes(tag) || lower.endsWith('ing') || lower === 'abroad',
  );
  return lasting ? verdict('fact') : solid ? verdict('short_lived') : undefined;
}

function upToPlace(rest: readonly Token[]): readonly Token[] {
  const end = rest.findIndex(({ lower }) => /^(?:for|on|about)$/.test(lower));
  return end === -1 ? rest : rest.slice(0, end);
}

/** `for an hour`, `for ages`: no longer than the conversation. */
function isBrief(rest: readonly Token[]): boolean {
  return rest.some(({ lower }, i) => lower === 'for' && rest.slice(i + 1, i + 5).some((each) => BRIEF.has(each.lower)));
}
