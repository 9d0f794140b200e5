/** What a candidate is like, in words that weights are learnt for. */

import type { Token } from '../sentences/tokens.ts';
import { isWord } from '../sentences/tokens.ts';
import type { Candidate, Place } from './candidate.ts';

const MOST_WORDS = 30;
const ENDS = 3;

/** Some may be named twice; each counts once. */
export function featuresOf(candidate: Candidate, place: Place): string[] {
  const features: string[] = [];
  const take = (name: string, value: string, more?: string) => features.push(more === undefined ? name + value : `${name}${value} ${more}`);
  listFeatures(candidate, place, take);
  return features;
}

/** Called for each feature: `word=`, `tea`, and what may follow after a space. Whoever only looks them up need not write them out. */
export type TakeFeature = (name: string, value: string, more?: string) => void;

export function listFeatures(candidate: Candidate, place: Place, take: TakeFeature): void {
  const { form, ruled, dated, remembered, statement, finding } = candidate;
  const tokens = candidate.tokens.filter(isWord).slice(0, MOST_WORDS);
  const subject = statement?.subject.sort ?? 'none';
  const kind = ruled ? finding.kind : 'open';
  const frame = `${form} ${subject}`;
  const features = [
    'bias',
    `form=${frame}`,
    `ruled=${kind}`,
    `ruled=${kind} ${frame}`,
    `slot=${finding.slot?.split(' ')[0] ?? ''}`,
    `words=${bucket(tokens.length)} ${form}`,
    `sentences=${bucket(place.count)}`,
    `place=${place.index === 0 ? 'first' : place.index === place.count - 1 ? 'last' : 'inside'} ${form}`,
    `asks=${place.asks} ${form}`,
    `orders=${place.orders} ${form}`,
    `labels=${bucket(place.labels)} ${form}`,
    `fragments=${bucket(place.fragments)} ${form}`,
    `asks=${place.asks} ${bucket(place.count)}`,
  ];
  for (const feature of features) take(feature, '');
  features.length = 0;
  const opening = place.words.slice(0, 3);
  if (form !== 'statement') for (const word of place.words) take('message=', word, form === 'wish' ? form : 'note');
  for (const word of opening) take('topic=', word);
  if (dated) features.push('dated', `dated ${frame}`);
  if (remembered) features.push('remembered');
  if (statement) {
    const { verb, tense, aspect, modal, negated, lead } = statement;
    const first = tokenKind(statement.rest[0]);
    features.push(
      `verb=${verb}`,
      `verb=${verb} ${subject}`,
      `verb=${verb} ${first}`,
      `tense=${tense} ${aspect} ${subject}`,
      `rest=${first} ${subject}`,
      `rest=${statement.rest.filter(isWord).length > 0 ? bucket(statement.rest.filter(isWord).length) : 'none'}`,
      `lead=${lead.length > 0}`,
    );
    if (modal !== '') features.push(`modal=${modal}`, `modal=${modal} ${verb}`);
    if (negated) features.push('negated', `negated ${verb}`);
    const words = statement.rest.filter(isWord);
    const noun = words.find(({ tag }) => tag === 'NOUN' || tag === 'PROPN');
    const second = words[1];
    features.push(`verb=${verb} ${plainWord(words[0]?.lower ?? '')}`, `object=${noun?.lower ?? ''}`, `object=${noun?.lower ?? ''} ${verb}`);
    features.push(`frame=${subject} ${tense} ${aspect} ${first} ${tokenKind(second)}`, `verb=${verb} ${tense} ${subject}`);
    for (const { lower } of statement.subject.tokens) if (subject !== 'user') features.push(`about=${lower}`);
  }
  const [one, two, three, four] = tokens;
  if (one && two)
    features.push(`begin=${plainWord(one.lower)} ${plainWord(two.lower)}`, `begintags=${one.tag} ${two.tag} ${tokenKind(three)}`);
  if (one && two && three) features.push(`begintags=${one.tag} ${two.tag} ${three.tag} ${tokenKind(four)}`);
  for (const feature of features) take(feature, '');
  const words = tokens.map(({ lower }) => plainWord(lower));
  tokens.forEach(({ tag }, i) => {
    const word = words[i] as string;
    take('word=', word);
    take('word=', word, form);
    const next = tokens[i + 1];
    const after = tokens[i + 2];
    if (next) {
      take('pair=', word, words[i + 1]);
      take('tags=', tag, next.tag);
    }
    if (next && after) take('tags=', tag, `${next.tag} ${after.tag}`);
    if (i < ENDS) {
      take(`start${i}=`, word);
      take(`starttag${i}=`, tag, form);
    }
    if (i >= tokens.length - 1) take('end=', word);
  });
  for (const sign of signsOf(candidate.tokens)) for (const feature of [sign, `${sign} ${form}`, `${sign} ${subject}`]) take(feature, '');
}

/** What kind of words there are at all. */
function signsOf(tokens: readonly Token[]): Set<string> {
  const signs = new Set<string>();
  for (const { text, lower, tag } of tokens) {
    if (tag === 'PROPN') signs.add('name');
    if (/\d/.test(text)) signs.add('number');
    if (/\d\.\d|^v\d|\p{L}\d|\d\p{Lu}/u.test(text)) signs.add('version');
    if (/[€$£%]|^(?:eur|euros?|pounds?|usd|dollars?|k)$/.test(lower)) signs.add('amount');
    if (/^(?:it|this|that|these|those|he|she|they|him|her|them)$/.test(lower)) signs.add('pointing');
    if (/^(?:you|your|u|ur)$/.test(lower)) signs.add('you');
    if (/^(?:my|our|mine|ours)$/.test(lower)) signs.add('own');
    if (/^(?:me|us)$/.test(lower)) signs.add('me');
    if (/^(?:lol|haha|hahaha|omg|ugh|lmao|tbh|ngl)$/.test(lower)) signs.add('laughing');
    if (text === '!' || text === '…' || text === '...') signs.add(text);
    if (text === ',') signs.add('comma');
    if (text === '(') signs.add('bracket');
    if (/^(?:always|never|every|each|usually|often|weekly|daily|monthly)$/.test(lower)) signs.add('lasting');
    if (/^(?:today|tonight|now|currently|yesterday|moment)$/.test(lower)) signs.add('passing');
  }
  return signs;
}

function tokenKind(token: Token | undefined): string {
  return token === undefined ? 'nothing' : token.tag;
}

/** Numbers are alike. */
function plainWord(lower: string): string {
  return /^\d/.test(lower) ? (lower.length > 2 ? '000' : '0') : lower;
}

function bucket(count: number): string {
  return count > 12 ? '13+' : count > 7 ? '8+' : count > 4 ? '5+' : String(count);
}
