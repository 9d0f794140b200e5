/** Questions for a value: `Where do you live?`, `Which plan are you on?`, `Which phone?`. */

import type { Named } from '../references/pronouns.ts';
import { isWord, type Token, textOf } from '../sentences/tokens.ts';
import { pastForm, plainForm, thirdPerson } from '../wording/conjugation.ts';
import { HOUSEHOLD, OWN_MATTERS } from '../words/nouns.ts';
import { EVENTS } from '../words/verbs.ts';
import { type AskedSubject, agreeing, subjectAt } from './asked-subjects.ts';
import { isLastingState, isPassingVerb } from './passing-questions.ts';
import type { Expected, Question, ValueQuestion } from './questions.ts';

const AUXILIARIES = /^(?:do|does|did|is|are|was|were|have|has)$/;
const KINDS = /^(?:model|make|brand|breed|kind|type|sort|species|variety|breeds|models)$/;
/** Said behind the verb and its object: `what do you drive now?`. */
const ADVERBIAL = /^(?:now|currently|usually|mostly|normally|there|most|again|then|at|a|per|each|every|these|in|nowadays|for|with)$/;

/** `Where do you live?`; `before` is the preposition in front, `in which state …`. */
export function wantedOf(tokens: readonly Token[], before: readonly Token[], named: Named): Question | undefined {
  const aux = tokens.findIndex(({ lower }, i) => i > 0 && AUXILIARIES.test(lower));
  const word = (tokens[0] as Token).lower;
  // `Could you tell me what your role is?`
  const last = tokens.at(-1) as Token;
  if (aux === tokens.length - 1 && /^(?:is|are)$/.test(last.lower))
    return tokens[1]?.lower === 'your' ? wantedOf([tokens[0] as Token, last, ...tokens.slice(1, -1)], before, named) : undefined;
  if (aux === -1) return /^wh(?:at|ich)$/.test(word) && before.length === 0 ? whichOf(tokens.slice(1), named) : undefined;
  const noun = tokens.slice(1, aux).filter(({ lower }, i, all) => !(i < 2 && /^(?:kind|sort|type|of)$/.test(lower) && all.length > 2));
  const subject = subjectAt(tokens.slice(aux + 1), named);
  if (!subject) return undefined;
  const rest = tokens.slice(aux + 1 + subject.length);
  const found = askedOf({ word, noun, aux: (tokens[aux] as Token).lower, subject, rest, before });
  return found && { ...found, about: subject.mention };
}

interface Asked {
  readonly word: string;
  readonly noun: readonly Token[];
  readonly aux: string;
  readonly subject: AskedSubject;
  readonly rest: readonly Token[];
  readonly before: readonly Token[];
}

function askedOf(asked: Asked): ValueQuestion | undefined {
  const { word, aux, rest, subject } = asked;
  if (word === 'how') return howOf(asked);
  if (/^(?:is|are)$/.test(aux)) return whatBeing(asked);
  if (aux === 'have' || aux === 'has') {
    const lasting = rest[0] !== undefined && EVENTS.has(plainForm(rest[0].lower, rest[0].lemma).lemma);
    return lasting ? value(asked, `${subject.text} ${agreeing('have', subject)} ${textOf(rest)}`) : undefined;
  }
  if (/^(?:was|were)$/.test(aux) && rest[0]?.lower === 'born' && rest.length === 1) return bornIn(asked);
  return /^(?:do|does|did)$/.test(aux) ? whatDoing(asked) : undefined;
}

function value({ word, noun }: Asked, before: string, after = '', expects?: Expected): ValueQuestion {
  return {
    sort: 'value',
    expects: expects ?? (word === 'where' ? 'place' : word === 'when' ? 'time' : 'thing'),
    before: before.trim(),
    after,
    noun,
  };
}

function whatBeing(asked: Asked): ValueQuestion | undefined {
  const { subject, rest, noun, before, word } = asked;
  const is = agreeing('be', subject);
  const [first] = rest;
  const head = noun.at(-1)?.lower ?? '';
  if (subject.asksName) return value(asked, `${subject.text} ${is} called`, '', 'name');
  if (!first) {
    if (subject.sort === 'user') return word === 'where' ? value(asked, 'I am') : undefined;
    if (head === '') return value(asked, `${subject.text} ${is}`);
    if (KINDS.test(head)) return value(asked, `${subject.text} ${is}`, '', 'kind');
    return /^(?:colour|color|size|year|age)$/.test(head) ? value(asked, `${subject.text}'s ${head} is`) : undefined;
  }
  if (/^(?:called|named)$/.test(first.lower)) return value(asked, `${subject.text} ${is} called`, '', 'name');
  if (!isLastingState(rest) || word === 'who') return undefined;
  const last = [...rest, ...before].at(-1) as Token;
  const open = last.tag === 'ADP' || last.tag === 'VERB' || word === 'where' || word === 'when' || /^(?:to|of|in|at|on)$/.test(last.lower);
  return open ? value(asked, `${subject.text} ${is} ${textOf([...rest.filter(isNoAdverb), ...before])}`) : undefined;
}

function bornIn(asked: Asked): ValueQuestion {
  const { subject, word } = asked;
  const start = `${subject.text} was born`;
  return word === 'what' || word === 'which' ? value({ ...asked, noun: [] }, `${start} in`) : value(asked, start);
}

function whatDoing(asked: Asked): ValueQuestion | undefined {
  const { subject, before, word } = asked;
  const adverbs = asked.rest.findIndex(({ lower }) => !/^(?:usually|mostly|normally|currently|generally|mainly|often)$/.test(lower));
  const [verb, ...behind] = asked.rest.slice(Math.max(0, adverbs));
  if (!verb || isPassingVerb(verb)) return undefined;
  const past = asked.aux === 'did';
  if (past && !EVENTS.has(verb.lower)) return undefined;
  const said = past ? pastForm(verb.lower) : subject.sort === 'user' || subject.plural ? verb.lower : thirdPerson(verb.lower);
  if (verb.lower === 'do' && asked.noun.length === 0) {
    const work = behind.length === 0 || behind.some(({ lower }) => /^(?:living|work|job|now)$/.test(lower));
    return work && word === 'what' ? value(asked, subject.text, '', 'job') : undefined;
  }
  const tail = behind.filter(isNoAdverb);
  const [next] = tail;
  if (word === 'where' || word === 'when' || !next || next.lower === 'to' || (next.tag === 'ADP' && tail.length === 1))
    return value(asked, `${subject.text} ${said} ${textOf([...tail, ...before])}`);
  if (ADVERBIAL.test(next.lower)) return value(asked, `${subject.text} ${said} ${textOf(before)}`, textOf(tail));
  return tail.at(-1)?.tag === 'ADP' || before.length > 0
    ? value(asked, `${subject.text} ${said} ${textOf([...tail, ...before])}`)
    : undefined;
}

function isNoAdverb({ lower }: Token): boolean {
  return !/^(?:now|currently|again|then|there|nowadays|usually|mostly|normally|right|still)$/.test(lower);
}

function howOf(asked: Asked): ValueQuestion | undefined {
  const { noun, aux, subject, rest } = asked;
  const [kind, ...counted] = noun;
  const of = { ...asked, noun: counted };
  const does = () => {
    const [verb, ...behind] = rest;
    if (!verb || isPassingVerb(verb)) return undefined;
    return { verb: subject.sort === 'user' || subject.plural ? verb.lower : thirdPerson(verb.lower), behind: textOf(behind) };
  };
  switch (kind?.lower) {
    case 'old':
      return rest.length === 0 && /^(?:is|are)$/.test(aux) ? value(of, `${subject.text} ${agreeing('be', subject)}`, '', 'age') : undefined;
    case 'tall':
      return rest.length === 0 ? value(of, `${subject.text} ${agreeing('be', subject)}`, 'tall', 'count') : undefined;
    case 'many':
    case 'much': {
      const done = aux === 'do' || aux === 'does' ? does() : undefined;
      const open = rest.length === 2 && rest[1]?.tag === 'ADP';
      return done && value(of, `${subject.text} ${done.verb}${open ? ` ${done.behind}` : ''}`, open ? '' : done.behind, 'count');
    }
    case 'often': {
      const done = aux === 'do' || aux === 'does' ? does() : undefined;
      return done && value(of, `${subject.text} ${done.verb} ${done.behind}`, '', 'frequency');
    }
    case 'long': {
      const lasting = aux === 'have' && rest[0] !== undefined && !rest.some(({ lower }) => /^(?:there|it|at|going)$/.test(lower));
      return lasting ? value(of, `${subject.text} ${agreeing('have', subject)} ${textOf(rest)}`, '', 'duration') : undefined;
    }
    case undefined: {
      const done = aux === 'do' ? (rest[0]?.lower === 'get' ? { verb: 'get', behind: textOf(rest.slice(1)) } : does()) : undefined;
      return done && done.behind !== '' ? value(of, `${subject.text} ${done.verb} ${done.behind}`, '', 'manner') : undefined;
    }
    default:
      return undefined;
  }
}

/** `Which phone?`, `Which model?` */
export function whichOf(said: readonly Token[], named: Named): Question | undefined {
  const noun = said.filter(isWord);
  const head = noun.at(-1);
  if (head?.tag !== 'NOUN' || noun.length > 3 || !noun.every(({ tag }) => ['NOUN', 'PROPN', 'ADJ'].includes(tag))) return undefined;
  const several = head.lower.endsWith('s');
  const about = KINDS.test(head.lower) ? named.mentions.filter(({ sort, plural }) => sort !== 'person' && plural === several) : [];
  const mention = about.length === 1 && (about[0]?.tokens.length ?? 0) > 0 ? about[0] : undefined;
  if (KINDS.test(head.lower))
    return (
      mention && {
        sort: 'value',
        expects: 'kind',
        before: `${textOf(mention.tokens)} ${several ? 'are' : 'is'}`,
        after: '',
        noun: [],
        about: mention,
      }
    );
  if (!isOwnMatter(noun)) return undefined;
  return { sort: 'value', expects: 'thing', before: `my ${textOf(noun)} ${several ? 'are' : 'is'}`, after: '', noun: [] };
}

/** What each has one of, whatever the task: not `which language?`, `what title?`. */
function isOwnMatter(noun: readonly Token[]): boolean {
  const head = noun.at(-1)?.lower ?? '';
  if (head === 'version') return noun[0]?.tag === 'PROPN';
  return (
    (HOUSEHOLD.has(head) || OWN_MATTERS.has(head)) &&
    !/^(?:language|year|title|branch|domain|project|plan|goal|app|site|type|field|course|class)$/.test(head)
  );
}
