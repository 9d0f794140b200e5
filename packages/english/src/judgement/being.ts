/** `I am …`: who and what the user is, and where. */

import { DATE } from '../dates/dates.ts';
import { isKindOfPerson, isOccupation } from '../sentences/people.ts';
import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';
import { LASTING_INTERESTS, LASTING_STATES, NATIONALITIES, PASSING_CONDITIONS } from '../words/adjectives.ts';
import {
  CIRCLES,
  DIETS,
  EMPLOYMENT,
  FIELDS,
  LASTING_PARTICIPLES,
  LEAVES,
  MARITAL,
  NOT_ON,
  PASSIVE_EVENTS,
  REGIMES,
} from '../words/being.ts';
import { ANSWERS, STUDIES } from '../words/nouns.ts';
import { ADVERBS } from '../words/phrases.ts';
import { wordSet } from '../words/sets.ts';
import { numberOf } from '../words/times.ts';
import { nameOfThing, slotOf } from './slots.ts';
import { type Circumstances, has, hasAny, hasContent, headOf, type Verdict, verdict } from './verdicts.ts';

const TASTES = wordSet('fan lover hater person owl drinker eater foodie enthusiast buff geek nerd sucker fanatic addict aficionado snob');
const WORTHLESS = wordSet(
  'bit little mess fool idiot wreck loss hurry rush moment noob dummy one ones kind sort way thing things problem pickle bot human',
);
/** What one is beside one's work. */
const AMATEUR = wordSet(
  'keen avid amateur hobby passionate enthusiastic proud recreational volunteer weekend devoted eager decent mediocre terrible lousy',
);
const BY_NATURE = wordSet('nature heart');
const RANKS = wordSet('eldest oldest youngest only middle first');

export function judgeBeing(statement: Statement, { dated, contrasted }: Circumstances): Verdict | undefined {
  const rest = withoutAdverbs(statement.rest);
  const [first, second] = rest;
  if (!first) return undefined;
  if (/^(?:want|wants|hope|hoping|plan|planning|aim|aiming) to$/.test(statement.modal) && !statement.negated)
    return (dated || first.tag === 'DET') && hasContent(rest) ? verdict('fact') : undefined;
  if (/^(?:have|need|has|needs|got) to$/.test(statement.modal) && dated) return hasContent(rest) ? verdict('short_lived') : undefined;
  if (statement.modal !== '' && statement.modal !== 'used to') return undefined;
  if (statement.modal === 'used to') return contrasted || !['DET', 'ADJ', 'NOUN'].includes(first.tag) ? undefined : verdict('fact');
  if (statement.tense === 'future') return dated && hasContent(rest) ? verdict('short_lived') : undefined;
  if (first.lower === 'born' && second?.lower === 'to') return undefined;
  if (first.lower === 'born') return verdict('long_lived', second?.lower === 'in' && rest[2]?.tag !== 'NUM' ? 'birthplace' : 'birthday');
  if (PASSIVE_EVENTS.has(first.lower) && rest.length > 1) return verdict(first.lower === 'diagnosed' ? 'long_lived' : 'fact');
  if (statement.tense === 'past') return judgePast(rest, dated);
  if (statement.aspect === 'perfect' && statement.verbs.some(({ lower }) => lower === 'never') && first.tag === 'ADP')
    return hasContent(rest) ? verdict('fact') : undefined;
  return (
    judgeNumber(rest) ??
    judgeName(rest) ??
    judgeDescription(statement, rest, dated) ??
    judgePlace(statement, rest, dated) ??
    judgeNoun(rest)
  );
}

function withoutAdverbs(tokens: readonly Token[]): readonly Token[] {
  let at = 0;
  while (
    at < tokens.length - 1 &&
    (ADVERBS.has(tokens[at]?.lower ?? '') ||
      (tokens[at]?.tag === 'ADV' && tokens[at]?.lower !== 'away' && tokens[at]?.lower !== 'off') ||
      tokens[at]?.lower === 'not' ||
      (tokens[at]?.lower === 'no' && tokens[at + 1]?.lower === 'longer'))
  )
    at++;
  return tokens.slice(at);
}

function judgePast(rest: readonly Token[], dated: boolean): Verdict | undefined {
  if (rest[0]?.lower === 'told' && rest[1]?.lower === 'to' && /^(?:cut|avoid|limit|reduce|stop|rest|quit)$/.test(rest[2]?.lower ?? ''))
    return hasContent(rest.slice(3)) ? verdict('long_lived') : undefined;
  if (rest[0]?.lower === 'widowed' || rest[0]?.lower === 'divorced') return verdict('long_lived', 'marital status');
  if (rest[0]?.lower === 'raised' || rest[0]?.lower === 'adopted') return verdict('long_lived');
  if (rest[0]?.tag === 'DET' && isOccupation(headOf(rest))) return verdict('long_lived');
  return dated && rest[0]?.lower === 'in' && rest[1]?.tag === 'PROPN' ? verdict('fact') : undefined;
}

const MEASURES = /^(?:\d+(?:\.\d+)?(?:cm|kg|m|lbs?|ft|kilos?)|\d'\d+"?)$/;

function judgeNumber(rest: readonly Token[]): Verdict | undefined {
  const [first, second] = rest as [Token, Token | undefined];
  if (
    /^(?:minutes|hours|miles|kilometres|kilometers|km)$/.test(second?.lower ?? '') &&
    rest[2]?.lower === 'from' &&
    hasContent(rest.slice(3))
  )
    return verdict('long_lived');
  if (MEASURES.test(first.lower) || /^(?:m|cm|kg|metres|meters|feet|foot|pounds|lbs|kilos)$/.test(second?.lower ?? ''))
    return verdict('long_lived', /k|lb|pound/.test(first.lower + (second?.lower ?? '')) ? 'weight' : 'height');
  const age =
    numberOf(first.lower) ?? (/^(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?$/.test(first.lower) ? 30 : undefined);
  if (age === undefined || first.lower === 'a' || first.lower === 'an' || age < 5 || age > 110) return undefined;
  const plain =
    second === undefined ||
    /^(?:years?|yo|y\/o|yrs|old|turning|today|now|this|with|but|-)$/.test(second.lower) ||
    second.tag === 'PUNCT' ||
    second.tag === DATE;
  return plain && !/^(?:minutes?|hours?|weeks?|months?|days?|percent|%)$/.test(second?.lower ?? '')
    ? verdict('long_lived', 'age')
    : undefined;
}

/** `I am Marta`, `I am Owen Pike from Leeds`. */
function judgeName(rest: readonly Token[]): Verdict | undefined {
  const first = rest[0] as Token;
  if (first.lower === 'called' || first.lower === 'named') return rest.length > 1 ? verdict('long_lived', 'name') : undefined;
  const named =
    /^\p{Lu}[\p{L}'-]+\.?$/u.test(first.text) &&
    first.text !== first.text.toUpperCase() &&
    !isKnownState(first.lower) &&
    (first.tag === 'PROPN' || first.tag === 'NOUN');
  if (!named || NATIONALITIES.has(first.lower)) return undefined;
  const length = rest.findIndex(({ text }) => !/^\p{Lu}/u.test(text));
  const following = length === -1 ? undefined : rest[length];
  const ends = following === undefined || following.tag === 'PUNCT' || ['from', 'at', 'and', 'but', 'the', 'a'].includes(following.lower);
  return ends && (length === -1 ? rest.length : length) <= 3 ? verdict('long_lived', 'name') : undefined;
}

function isKnownState(lower: string): boolean {
  return LASTING_STATES.has(lower) || PASSING_CONDITIONS.has(lower) || LASTING_INTERESTS.has(lower);
}

function judgeDescription(statement: Statement, rest: readonly Token[], dated: boolean): Verdict | undefined {
  const [first, second] = rest as [Token, Token | undefined];
  if (rest.slice(0, 4).some(({ lower }) => lower === 'pregnant') && first.tag === 'NUM') return verdict('short_lived');
  if (first.lower === 'hard' && second?.lower === 'of' && rest[2]?.lower === 'hearing') return verdict('long_lived');
  if (first.lower === 'busy' && second?.lower === 'with')
    return rest.some(({ tag }) => tag === 'NOUN') ? verdict('short_lived') : undefined;
  if ((first.lower === 'big' && second?.lower === 'on') || (first.lower === 'about' && statement.rest[0]?.lower === 'all'))
    return hasContent(rest.slice(1)) && rest.at(-1)?.tag !== 'PRON' ? verdict('preference') : undefined;
  if (first.lower === 'known' && second?.lower === 'as') return rest[2]?.tag === 'PROPN' ? verdict('long_lived', 'name') : undefined;
  if (first.lower === 'happiest') return rest.length > 2 && hasContent(rest.slice(1)) ? verdict('preference') : undefined;
  if (first.lower === 'halfway' || (first.lower === 'half' && second?.lower === 'way'))
    return rest.length > 2 ? verdict('short_lived') : undefined;
  if (/^(?:left|right)$/.test(first.lower) && second?.lower === 'handed') return verdict('long_lived');
  if (first.lower === 'based') return hasContent(rest.slice(1)) ? verdict('long_lived', 'home') : undefined;
  if (MARITAL.has(first.lower)) return verdict('long_lived', 'marital status');
  if (DIETS.has(first.lower) || DIETS.has(headOf(rest))) return verdict('long_lived', 'diet');
  if (EMPLOYMENT.has(first.lower)) return verdict('long_lived', 'job');
  if (first.lower === 'allergic')
    return hasContent(rest.slice(2)) ? verdict('long_lived', slotOf('allergic', nameOfThing(rest.slice(2)))) : undefined;
  if (NATIONALITIES.has(first.lower)) return verdict('long_lived');
  if (
    LASTING_STATES.has(first.lower) &&
    !/^(?:half|part|native|sensitive|tall|single|gluten|colour|color|lactose|originally)$/.test(first.lower)
  )
    return verdict('long_lived');
  if (LASTING_STATES.has(first.lower))
    return rest.length > 1 || first.lower === 'tall'
      ? verdict('long_lived', first.lower === 'originally' ? 'origin' : undefined)
      : undefined;
  if (hasAny(rest.slice(0, 4), MARITAL) && hasAny(rest, wordSet('relationship'))) return verdict('long_lived', 'marital status');
  if (PASSING_CONDITIONS.has(first.lower) && (dated || first.lower === 'pregnant' || rest.length > 1)) return verdict('short_lived');
  if (
    first.lower === 'stuck' &&
    second?.lower === 'on' &&
    rest[2]?.tag === 'PROPN' &&
    rest.slice(3, 5).some(({ text }) => /^v?\d/.test(text))
  )
    return verdict('fact');
  if (
    first.lower === 'stuck' &&
    rest.length <= 5 &&
    !rest.some(({ tag }) => tag === 'PROPN') &&
    NOT_ON.has(rest[rest[2]?.tag === 'DET' ? 3 : 2]?.lower ?? '')
  )
    return undefined;
  if (first.lower === 'stuck' && second?.tag === 'ADP') return hasContent(rest.slice(2)) ? verdict('short_lived') : undefined;
  if (first.lower === 'new' && second?.lower === 'to')
    return rest[2]?.tag === 'NOUN' || rest[2]?.tag === 'PROPN' ? verdict('fact') : undefined;
  if (first.lower === 'allowed' && statement.negated) return hasContent(rest.slice(2)) ? verdict('fact') : undefined;
  if (LASTING_PARTICIPLES.has(first.lower) && second) return verdict('long_lived');
  if (!LASTING_INTERESTS.has(first.lower) || !second || !hasContent(rest.slice(1))) return undefined;
  if (/^(?:how|what|why|whether|where|when|who)$/.test(rest[2]?.lower ?? '')) return undefined;
  if (/^(?:learning|knowing|hearing|seeing|understanding|getting|finding)$/.test(rest[2]?.lower ?? '')) return undefined;
  if (rest[2]?.lower === 'the' && /^(?:interested|keen)$/.test(first.lower)) return undefined;
  const taste = /^(?:into|fond|passionate|obsessed|addicted|interested|keen|partial|crazy|enthusiastic|picky|fussy|hooked|nuts|mad)$/.test(
    first.lower,
  );
  if (taste) return verdict('preference', slotOf('likes', nameOfThing(rest.slice(first.lower === 'into' ? 1 : 2))));
  return second.tag === 'ADP' && (!statement.negated || first.lower !== 'good') ? verdict('long_lived') : undefined;
}

function judgePlace(statement: Statement, rest: readonly Token[], dated: boolean): Verdict | undefined {
  const [first, second] = rest as [Token, Token | undefined];
  if (!second) return undefined;
  const words = new Set(rest.map(({ lower }) => lower));
  const any = (set: ReadonlySet<string>) => [...words].some((word) => set.has(word));
  if (first.lower === 'from')
    return hasContent(rest.slice(1)) && (second.lower !== 'the' || rest.some(({ tag }) => tag === 'PROPN'))
      ? verdict('long_lived', 'origin')
      : undefined;
  if (first.lower === 'in' && second.lower === 'hospital') return verdict('short_lived');
  if (first.lower === 'in') {
    if (/^\d0s$|ties$/.test(rest[2]?.lower ?? '') || words.has('twenties') || words.has('thirties') || words.has('forties'))
      return verdict('long_lived', 'age');
    if (dated && !any(STUDIES)) return hasContent(rest.slice(1)) ? verdict('short_lived') : undefined;
    if (any(STUDIES)) return verdict('long_lived', 'studies');
    if (words.has('timezone') || words.has('zone')) return verdict('long_lived', 'time zone');
    if (words.has('relationship')) return verdict('long_lived', 'marital status');
    if (words.has('charge') || words.has('wheelchair') || any(FIELDS) || any(CIRCLES)) return verdict('long_lived');
    return second.tag === 'PROPN' || (has(statement, 'now') && second.tag === 'NOUN') ? verdict('long_lived', 'home') : undefined;
  }
  if (first.lower === 'out' && second.lower === 'in') return hasContent(rest.slice(2)) ? verdict('long_lived', 'home') : undefined;
  if (first.lower === 'on') {
    if (any(REGIMES)) return verdict('long_lived');
    if (any(LEAVES)) return verdict('short_lived');
    if (any(wordSet('plan tier team committee board waitlist squad rota council'))) return dated ? verdict('short_lived') : verdict('fact');
    if (second.tag === 'DET' && rest.slice(2, 5).some(({ tag }) => tag === 'PROPN') && !dated) return verdict('fact');
    return ['PROPN', 'NOUN', 'ADJ', 'X'].includes(second.tag) && !dated && !NOT_ON.has(second.lower) ? verdict('fact') : undefined;
  }
  if (first.lower === 'at')
    return any(STUDIES)
      ? verdict('long_lived', 'studies')
      : second.tag === 'PROPN' && !dated
        ? verdict('long_lived', 'employer')
        : dated
          ? verdict('short_lived')
          : undefined;
  if (first.lower === 'to' && statement.aspect === 'perfect') return second.tag === 'PROPN' ? verdict('fact') : undefined;
  if (first.lower === 'between' && words.has('jobs')) return verdict('long_lived', 'job');
  if (first.lower === 'of' && /^(?:descent|origin|heritage|ancestry)$/.test(rest.at(-1)?.lower ?? '')) return verdict('long_lived');
  if (first.lower === 'with' && second.tag === 'PROPN') return verdict('fact');
  if (first.lower === 'through' && statement.rest[0]?.lower === 'halfway') return verdict('short_lived');
  if (first.lower === 'out' || first.lower === 'off' || first.lower === 'away')
    return dated || words.has('town') ? verdict('short_lived') : undefined;
  return dated && first.tag === 'ADJ' && first.lower === 'free' ? verdict('short_lived') : undefined;
}

function judgeNoun(rest: readonly Token[]): Verdict | undefined {
  const first = rest[0] as Token;
  const head = headOf(rest.slice(first.tag === 'DET' ? 1 : 0));
  if (first.lower === 'more' && rest[1]?.lower === 'of' && rest.length > 3) return verdict('preference');
  if ((head === '' || WORTHLESS.has(head)) && !(first.lower === 'one' && rest[2]?.tag === 'NUM')) return undefined;
  if (first.lower === 'the')
    return isOccupation(head) || hasAny(rest.slice(0, 3), RANKS)
      ? verdict('long_lived', isOccupation(head) ? 'job' : undefined)
      : undefined;
  if (first.lower === 'one' && rest[1]?.lower === 'of' && rest[2]?.tag === 'NUM') return verdict('long_lived');
  const article = first.lower === 'a' || first.lower === 'an' || first.lower === 'one';
  if (head === 'fan' || (article && TASTES.has(head))) {
    const of = rest.findIndex(({ lower }) => lower === 'of');
    if (rest[of + 1]?.lower === 'the' && hasAny(rest.slice(of + 2), ANSWERS)) return undefined;
    return verdict('preference', of === -1 ? undefined : slotOf('likes', nameOfThing(rest.slice(of + 1))));
  }
  const fiction = rest.some(
    ({ lower }, i) => /^(?:movie|film|novel|story|sketch|dream)$/.test(lower) && rest.slice(0, i).some((each) => each.lower === 'in'),
  );
  if (fiction) return undefined;
  if (article)
    return verdict('long_lived', isOccupation(head) && !AMATEUR.has(rest[1]?.lower ?? '') && !hasAny(rest, BY_NATURE) ? 'job' : undefined);
  return (first.tag === 'NOUN' || first.tag === 'ADJ' || first.tag === 'PROPN') && (isOccupation(head) || isKindOfPerson(rest))
    ? verdict('long_lived', 'job')
    : undefined;
}
