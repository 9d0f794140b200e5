/** A question and its answer as one statement of the user's. */

import { articleFor } from '../sentences/fragment-predicates.ts';
import { inside } from '../sentences/fragment-words.ts';
import { isOccupation } from '../sentences/people.ts';
import { isWord, type Token, textOf } from '../sentences/tokens.ts';
import { LASTING_STATES } from '../words/adjectives.ts';
import { BODY, FAMILY, HEALTH, HOUSEHOLD, PETS } from '../words/nouns.ts';
import { HABIT, monthOf, numberOf, PERIODS, SEASONS, weekdayOf } from '../words/times.ts';
import type { AnyQuestion, PolarQuestion, Question, ValueQuestion } from './questions.ts';
import type { Reply } from './replies.ts';

/** In the first person; nothing where the two do not go together. */
export function statementFrom(question: Question, reply: Reply): string | undefined {
  const value = reply.value
    .map((each, i) => (i === 0 ? inside(each) : each))
    .map((each) => (each.text === '+' || each.text === '&' ? { ...each, text: 'and' } : each));
  const read = { ...reply, value };
  switch (question.sort) {
    case 'any':
      return fromAny(question, read);
    case 'polar':
      return fromPolar(question, read);
    default:
      return value.length === 0 || reply.polarity === 'no' ? undefined : fromValue(question, value, reply.value);
  }
}

const NONE_TELLS = /^(?:allerg|condition|injur|medic|pet|kid|child|sibling|intoleran)/;
const LISTED =
  /^(?:hobb|interest|dislike|requirement|restriction|need|preference|limit|intoleran|favou?rite|phobia|fear|skill|language|constraint|goal)/;

function fromAny({ what }: AnyQuestion, { polarity, value }: Reply): string | undefined {
  const head = what.at(-1)?.lower ?? '';
  const [first] = value;
  if (!first) return polarity === 'no' && NONE_TELLS.test(head) ? `I have no ${textOf(what)}` : undefined;
  if (polarity === 'no' || isVerbal(value)) return undefined;
  const said = textOf(value);
  if (/^allerg/.test(head) && first.lower !== 'no') return `I am allergic to ${said.replace(/^(?:allergic )?to /, '')}`;
  if (LASTING_STATES.has(first.lower) && value.filter(isWord).length === 1) return `I am ${said}`;
  if (first.tag === 'ADP') return undefined;
  if (/^medic/.test(head)) return `I take ${said}`;
  const last = value.at(-1)?.lower ?? '';
  const had = /^(?:injur|condition|pet|kid|child|sibling|disease|illness)/.test(head) || HEALTH.has(last);
  if (had) return `I have ${BODY.has(last) || PETS.has(last) ? withArticle(value) : said}`;
  return LISTED.test(head) ? `my ${textOf(what)} ${/[^s]s$/.test(head) ? 'are' : 'is'} ${said}` : undefined;
}

/** Says what was done; not `slipped disc`, `broken wrist`. */
function isVerbal([first, second]: readonly Token[]): boolean {
  if (first?.tag === 'AUX') return true;
  return first?.tag === 'VERB' && !(/(?:ed|en)$/.test(first.lower) && second?.tag === 'NOUN');
}

function withArticle(value: readonly Token[]): string {
  return textOf([...articleFor(value), ...value]);
}

function fromPolar(question: PolarQuestion, { polarity, value: said, more }: Reply): string | undefined {
  const { positive, negative, rest } = question;
  if (rest.some(({ lower }) => lower === 'or')) return fromAlternatives(question, said);
  const value = said[0]?.lower === rest.at(-1)?.lower ? said.slice(said[1]?.text === ',' ? 2 : 1) : said;
  const [first] = value;
  const vague = rest.some(({ lower }) => /^(?:any|other|anyone|someone)$/.test(lower));
  if (!first) {
    if (polarity === undefined || (polarity === 'yes' && vague)) return undefined;
    const had = question.had && !/^an?$/.test(question.had[0]?.lower ?? '') ? hadOf(question.had) : undefined;
    if (polarity === 'yes') return had === undefined || tellsOfUser(had) || HEALTH.has(had) ? positive : undefined;
    return more.length > 0 || (question.had && !tellsOfUser(hadOf(question.had))) ? undefined : negative;
  }
  if (polarity === 'no') return first.lower === 'not' ? negative : insteadOf(question, value);
  if (question.had) return fromHad(question, question.had, value) ?? (polarity === 'yes' && !vague ? positive : undefined);
  const any = rest.findIndex(({ lower }) => lower === 'any');
  if (any !== -1 && first.tag !== 'VERB' && first.tag !== 'AUX' && first.tag !== 'ADP')
    return `${question.start} ${textOf([...rest.slice(0, any), ...value])}`;
  if (polarity === undefined || vague) return undefined;
  return value.length <= 10 && first.tag !== 'VERB' && first.tag !== 'AUX' ? `${positive}, ${textOf(value)}` : positive;
}

/** `Are you vegetarian?`, `no, vegan`; `Do you live in Porto?`, `no, Lisbon`. */
function insteadOf({ rest, start }: PolarQuestion, value: readonly Token[]): string | undefined {
  const [first] = value as [Token];
  const place = rest.at(-2);
  if (rest.length === 1 && first.tag === rest[0]?.tag && value.length <= 2) return `${start} ${textOf(value)}`;
  if (place?.tag === 'ADP' && rest.at(-1)?.tag === 'PROPN' && first.tag === 'PROPN')
    return `${start} ${textOf([...rest.slice(0, -1), ...value])}`;
  return undefined;
}

/** It says something of the user to have one, or none. */
function tellsOfUser(head: string): boolean {
  return NONE_TELLS.test(head) || HOUSEHOLD.has(head) || FAMILY.has(head) || PETS.has(head);
}

function hadOf(had: readonly Token[]): string {
  return had.findLast(({ tag }) => tag === 'NOUN' || tag === 'PROPN')?.lower ?? '';
}

/** `Do you have kids?`, `two, 5 and 8`. */
function fromHad({ subject, start }: PolarQuestion, had: readonly Token[], value: readonly Token[]): string | undefined {
  const noun = had.filter(({ lower }) => !/^(?:any|a|an|other|some)$/.test(lower));
  const head = hadOf(had);
  const [first, second] = value as [Token, Token | undefined];
  if (head === '' || isVerbal(value)) return undefined;
  const any =
    had[0]?.lower === 'any' && subject === 'I' ? fromAny({ sort: 'any', what: noun }, { polarity: 'yes', value, more: [] }) : undefined;
  if (any !== undefined) return any;
  if (first.tag === 'ADP') return `${start} ${textOf(had)}, ${textOf(value)}`;
  const single = /^an?$/.test(had[0]?.lower ?? '');
  const kin = FAMILY.has(head) || PETS.has(head);
  if (isNumber(first) && !single && (!second || !['NOUN', 'ADJ', 'PROPN'].includes(second.tag)))
    return `${start} ${first.text} ${textOf(noun)}${textOf([{ ...first, text: '' }, ...value.slice(1)])}`;
  if (first.tag === 'PROPN' && kin) return `${start} ${textOf(had.filter(({ lower }) => lower !== 'any'))} called ${textOf(value)}`;
  if (single && !kin && first.tag !== 'DET' && first.tag !== 'ADJ' && subject === 'I') return `my ${textOf(noun)} is ${textOf(value)}`;
  if (/^(?:just|only|both)$/.test(first.lower) && value.length === 1) return undefined;
  return ['DET', 'NUM'].includes(first.tag) || kin || HEALTH.has(value.at(-1)?.lower ?? '')
    ? `${start} ${textOf(value)}`
    : `${subject === 'I' ? 'my' : `${subject}'s`} ${textOf(noun)} ${/[^s]s$/.test(head) ? 'are' : 'is'} ${textOf(value)}`;
}

/** `Do you use simplified expenses or actual costs?`, `Simplified`. */
function fromAlternatives({ rest, start }: PolarQuestion, value: readonly Token[]): string | undefined {
  const or = rest.findIndex(({ lower }) => lower === 'or');
  const [left, right] = [rest.slice(0, or).filter(isWord), rest.slice(or + 1).filter(isWord)];
  const [first] = value.filter(({ tag }) => tag !== 'DET');
  if (!first || left.length === 0 || right.length === 0) return undefined;
  const chosen = [left, right].filter((words) => words.some(({ lower }) => lower.replace(/-.*$/, '') === first.lower.replace(/-.*$/, '')));
  if (chosen.length !== 1) return undefined;
  const comma = value.findIndex(({ text }) => text === ',');
  const behind = comma === -1 ? '' : textOf([{ ...(value[comma] as Token), space: false }, ...value.slice(comma + 1)]);
  const said = textOf(chosen[0] as readonly Token[]);
  return `${start} ${said.endsWith('-') ? `${said}${right.at(-1)?.text.replace(/^.*-/, '') ?? ''}` : said}${behind}`;
}

/** One of what is made or used is meant. */
const MAKING = /\b(?:building|writing|working on|developing|drive|driving|own|ride|restoring|renting)$/;
const CLASSES = /^(?:plan|tier|ward|team|edition|package|subscription|diet|line|track|side|department)$/;
const MEASURED = /^(?:size|version|grade|level|year|model)$/;

function fromValue(question: ValueQuestion, value: readonly Token[], asWritten: readonly Token[]): string | undefined {
  const { expects, before, after, noun } = question;
  const [first] = value as [Token];
  if (first.tag === 'AUX' || (first.tag === 'VERB' && !first.lower.endsWith('ing') && !(expects === 'name' && value.length === 1)))
    return undefined;
  if (
    (first.tag === 'PRON' && !/^(?:my|our)$|\//.test(first.lower)) ||
    !value.some(({ tag }) => ['NOUN', 'PROPN', 'NUM', 'ADJ', 'X', 'VERB', 'SYM'].includes(tag) || first.lower.includes('/'))
  )
    return undefined;
  const tell = (said: string, start = before) => `${start} ${said} ${after}`.replace(/\s+/g, ' ').trim();
  const said = textOf(value);
  switch (expects) {
    case 'place':
      return fromPlace(value, before, tell);
    case 'time':
      return isTime(value) ? tell(timed(value)) : undefined;
    case 'count':
      return fromCount(value, noun, tell);
    case 'age':
      return isNumber(value.find(({ tag }) => tag !== 'ADV' && tag !== 'ADP') ?? first) ? tell(withYears(value)) : undefined;
    case 'frequency':
      return isTime(value) || value.some(({ lower }) => /^(?:daily|weekly|monthly|yearly|once|twice|rarely|never|times?)$/.test(lower))
        ? tell(said)
        : undefined;
    case 'duration':
      if (value.some(({ lower }) => lower === 'in')) return undefined;
      return isTime(value) || value.some(isNumber) ? tell(/^(?:since|for|from|all)$/.test(first.lower) ? said : `for ${said}`) : undefined;
    case 'job':
      return fromJob(value, before);
    case 'kind':
      return first.tag === 'ADP' ? undefined : tell(withArticle(value));
    case 'name':
      return first.tag === 'DET' || first.tag === 'ADP' || value.length > 6 ? undefined : tell(said);
    case 'manner':
      return first.tag === 'ADP' || first.lower.endsWith('ing') ? tell(said) : undefined;
    default:
      return fromThing(question, value, tell, textOf(asWritten));
  }
}

type Tell = (said: string, start?: string) => string;

function fromThing({ before, noun }: ValueQuestion, value: readonly Token[], tell: Tell, asWritten: string): string | undefined {
  const [first] = value as [Token];
  const [, start = before, preposition = ''] = /^(.*) (\w+)$/.exec(before) ?? [];
  const [head = ''] = noun.slice(-1).map(({ lower }) => lower);
  if (first.tag === 'ADP' && !/^(?:about|around|like|under|over|up)$/.test(first.lower)) {
    return first.lower === preposition || /^(?:in|on|at|with|from|for)$/.test(preposition) ? tell(textOf(value), start) : undefined;
  }
  const one = /^(?:NOUN|ADJ)$/.test(first.tag) || value[1]?.tag === 'NOUN';
  if (MAKING.test(before) && one && /^\p{Ll}/u.test(first.text)) return tell(withArticle(value));
  const words = value.filter(isWord);
  if (
    CLASSES.test(head) &&
    /^(?:on|in|with|for|at)$/.test(preposition) &&
    words.length <= 2 &&
    words.length === value.length &&
    !value.some(({ lower, tag }) => lower === head || tag === 'DET')
  )
    return tell(`the ${asWritten} ${textOf(noun)}`);
  return MEASURED.test(head) && !value.some(({ lower }) => lower === head) && first.tag !== 'DET'
    ? tell(`${textOf(noun)} ${textOf(value)}`)
    : tell(textOf(value));
}

function fromPlace(value: readonly Token[], before: string, tell: Tell): string | undefined {
  const from = value.findIndex(({ lower }) => !/^(?:mostly|usually|mainly|just|only|currently|still|now|originally)$/.test(lower));
  const place = value.slice(Math.max(0, from));
  const [first] = place as [Token];
  if (!place.some(({ tag }) => tag === 'PROPN' || tag === 'NOUN')) return undefined;
  const [, start = before, preposition = ''] = /^(.*) (from|to|in|at|on)$/.exec(before) ?? [];
  if (first.tag === 'ADP') return tell(textOf(place), preposition === '' ? before : start);
  const towards = /\b(?:go|travel|move|moved|commute|fly)$/.test(before) ? 'to' : 'in';
  return preposition === '' ? tell(`${towards} ${textOf(place)}`) : tell(textOf(place));
}

function fromCount(value: readonly Token[], noun: readonly Token[], tell: Tell): string | undefined {
  const at = value.findIndex(isNumber);
  if (at === -1 || at > 2) return undefined;
  const next = value[at + 1];
  if (next?.lower === 'of') return undefined;
  const own = next !== undefined && ['NOUN', 'PROPN', 'ADJ', 'SYM'].includes(next.tag);
  if (noun.length === 0 || own) return tell(textOf(value));
  const behind = value.slice(at + 1);
  return tell(`${textOf(value.slice(0, at + 1))} ${textOf(noun)}${behind[0]?.text === ',' ? '' : ' '}${textOf(behind)}`);
}

function withYears(value: readonly Token[]): string {
  const at = value.findIndex(isNumber);
  const next = value[at + 1];
  const alone = at !== -1 && (!next || next.text === ',');
  return alone ? `${textOf(value.slice(0, at + 1))} years old${textOf(value.slice(at + 1))}` : textOf(value);
}

/** `marine engineer`, `UX research`, `in marketing`. */
function fromJob(value: readonly Token[], subject: string): string | undefined {
  const [first] = value as [Token];
  const works = subject === 'I' ? 'work' : 'works';
  const noun = value.slice(0, endOfNoun(value));
  if (noun.some(({ lower }) => isOccupation(lower)))
    return `${subject} ${subject === 'I' ? 'am' : 'is'} ${textOf([...articleFor(noun), ...value])}`;
  if (first.tag === 'ADP') return `${subject} ${works} ${textOf(value)}`;
  return ['NOUN', 'PROPN', 'ADJ'].includes(first.tag) ? `${subject} ${works} in ${textOf(value)}` : undefined;
}

function endOfNoun(tokens: readonly Token[]): number {
  const end = tokens.findIndex(({ tag }, i) => i > 0 && ['ADP', 'PUNCT', 'CCONJ', 'SCONJ'].includes(tag));
  return end === -1 ? tokens.length : end;
}

function isNumber({ tag, lower }: Token): boolean {
  return tag === 'NUM' || numberOf(lower) !== undefined || /^\d/.test(lower);
}

function isTime(value: readonly Token[]): boolean {
  return value.some(
    ({ text, lower }) =>
      weekdayOf(lower, false) !== undefined ||
      monthOf(text, false) !== undefined ||
      HABIT.has(lower) ||
      PERIODS.has(lower.replace(/s$/, '')) ||
      Object.hasOwn(SEASONS, lower) ||
      /^(?:tomorrow|\d{4}|\d+(?:st|nd|rd|th))$/.test(lower),
  );
}

/** `on 3 June`, `in March`, `next week`. */
function timed(value: readonly Token[]): string {
  const [first] = value as [Token];
  const said = textOf(value);
  if (first.tag === 'ADP' || /^(?:next|tomorrow|every|this|last|early|mid|late)$/.test(first.lower)) return said;
  return /^\d{4}$/.test(first.lower) ||
    (monthOf(first.text, false) !== undefined && !value.slice(1).some(({ lower }) => /^\d{1,2}\b/.test(lower)))
    ? `in ${said}`
    : `on ${said}`;
}
