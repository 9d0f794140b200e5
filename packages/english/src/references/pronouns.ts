/** Puts whom a pronoun means in its place, where that can be no one else: `She is a vet` into `my sister Paula is a vet`. */

import { isWord, type Token, token } from '../sentences/tokens.ts';
import { wordSet } from '../words/sets.ts';
import { type Mention, mentionsIn } from './mentions.ts';

export interface Resolved {
  readonly tokens: readonly Token[];
  /** Those that pronouns were found to mean. */
  readonly used: readonly Mention[];
}

/** What was named last, and how many sentences ago. */
export interface Named {
  readonly mentions: readonly Mention[];
  readonly age: number;
}

export const NOTHING_NAMED: Named = { mentions: [], age: 0 };

/** Found only when somebody asks: few sentences have a pronoun. */
export function namedWhenAsked(find: () => Named): Named {
  let found: Named | undefined;
  const get = () => {
    found ??= find();
    return found;
  };
  return {
    get mentions() {
      return get().mentions;
    },
    get age() {
      return get().age;
    },
  };
}
const OLDEST = 2;
const SUBJECTS = wordSet('he she they it');
const OWNERS = wordSet('his her their its');
/** Words that a clause may begin with before its subject. */
const JOINING =
  /^(?:and|but|so|because|since|as|though|although|plus|also|cause|bc|cuz|now|um|uh|er|oh|well|lol|haha|btw|sadly|apparently|luckily)$/;
/** What is said of a thing, rather than of the weather or the task. */
const OF_THINGS = wordSet('has had runs uses weighs came comes needs holds seats covers');

export function resolvePronouns(said: readonly Token[], named: Named): Resolved {
  const sentence = said.some(({ lower }) => SUBJECTS.has(lower) || lower === 'we') ? said.filter((_, i) => !isRestarted(said, i)) : said;
  const inside = sentence.some(({ lower }) => SUBJECTS.has(lower) || OWNERS.has(lower)) ? mentionsIn(sentence) : [];
  const tokens: Token[] = [];
  const used: Mention[] = [];
  for (const [i, each] of sentence.entries()) {
    const owns = OWNERS.has(each.lower) && ownsSubject(sentence, i);
    if (!owns && !(SUBJECTS.has(each.lower) && isSubject(sentence, i))) {
      tokens.push(each);
      continue;
    }
    const earlier = inside.filter(({ to }) => to <= i);
    // `my daughter Ines she turned seven`
    const doubled = earlier.find(({ to }) => to === i);
    if (doubled && !owns && doubled.from <= 1 && doubled.tokens.length > 0 && fits(each.lower, doubled)) {
      used.push(doubled);
      continue;
    }
    const meant = opensClause(sentence, i) ? meantBy(each.lower, earlier, named.mentions, used) : undefined;
    if (!meant) {
      tokens.push(each);
      continue;
    }
    if (!used.includes(meant)) used.push(meant);
    if (isWord(sentence[i - 1]) && !JOINING.test(sentence[i - 1]?.lower ?? '')) tokens.push({ ...token(',', 'PUNCT'), space: false });
    tokens.push(...meant.tokens.map((word, at) => (at === 0 ? { ...word, space: i > 0 } : word)));
    if (owns) tokens.push({ ...token("'s", 'PART'), space: false });
  }
  return used.length === 0 ? { tokens: sentence, used } : { tokens, used };
}

/** What is named once the sentence was read, which can't be understood without some earlier messages. */
export function namedAfter(sentence: readonly Token[], named: Named, used: readonly Mention[], heardIn?: readonly string[]): Named {
  const mentions = mentionsIn(sentence).map(
    (mention) =>
      (mention.tokens.length === 0 && named.mentions.find(({ name }) => name !== undefined && name === mention.name)) || {
        ...mention,
        heardIn,
      },
  );
  const told = [...new Set([...used, ...mentions, ...unknownIn(sentence, used)])].filter(isDistinct);
  if (told.some(({ sort, tokens }) => sort !== 'thing' || tokens.length > 0)) return { mentions: told, age: 0 };
  return named.age + 1 >= OLDEST ? NOTHING_NAMED : { mentions: [...named.mentions, ...told], age: named.age + 1 };
}

/** Whom a `she` means that nobody was found for: someone else is told of. */
function unknownIn(sentence: readonly Token[], used: readonly Mention[]): Mention[] {
  return sentence.flatMap(({ lower }, i): Mention[] => {
    if (!/^(?:he|she)$/.test(lower) || !isSubject(sentence, i) || used.some((mention) => fits(lower, mention))) return [];
    return [{ tokens: [], sort: 'person', gender: lower === 'he' ? 'male' : 'female', plural: false, name: undefined, from: i, to: i + 1 }];
  });
}

function isDistinct(mention: Mention, i: number, all: readonly Mention[]): boolean {
  const text = mention.tokens.map(({ lower }) => lower).join(' ');
  return mention.tokens.length === 0 || !all.slice(0, i).some(({ tokens }) => tokens.map(({ lower }) => lower).join(' ') === text);
}

/** The only one whom it can mean; of those in the same sentence, its subject. */
export function meantBy(
  pronoun: string,
  earlier: readonly Mention[],
  before: readonly Mention[],
  used: readonly Mention[] = [],
): Mention | undefined {
  const near = earlier.filter((mention) => fits(pronoun, mention));
  const far = before.filter((mention) => fits(pronoun, mention) && !near.some(({ name }) => name !== undefined && name === mention.name));
  const chained = used.filter((mention) => fits(pronoun, mention));
  const rivals = [...new Set([...chained, ...near, ...far])].filter(isDistinct);
  if (rivals.length === 1) return ownOf(rivals[0]);
  return near.length === 1 && chained.length === 0 && (near[0]?.from ?? 9) <= 1 ? ownOf(near[0]) : undefined;
}

function ownOf(mention: Mention | undefined): Mention | undefined {
  return mention && mention.tokens.length > 0 ? mention : undefined;
}

function fits(pronoun: string, { sort, gender, plural }: Mention): boolean {
  if (/^the/.test(pronoun)) return plural;
  if (plural) return false;
  if (/^it/.test(pronoun)) return sort !== 'person';
  return sort !== 'thing' && gender !== (/^h(?:e|is|im)$/.test(pronoun) ? 'female' : 'male');
}

/** A verb follows; after `it` one that tells something of a thing. */
function isSubject(tokens: readonly Token[], i: number): boolean {
  const [here, next, second] = [tokens[i] as Token, tokens[i + 1], tokens[i + 2]];
  if (!next || !['AUX', 'VERB', 'ADV'].includes(next.tag)) return false;
  if (here.lower !== 'it') return true;
  if (OF_THINGS.has(next.lower)) return true;
  return /^(?:is|was)$/.test(next.lower) && second !== undefined && (second.lower === 'from' || second.tag === 'NUM' || isMade(second));
}

function isMade({ lower, tag }: Token): boolean {
  return tag !== 'ADJ' && /^(?:called|named|built|made|written)$/.test(lower);
}

/** `her birthday is …`, `his name is …`. */
function ownsSubject(tokens: readonly Token[], i: number): boolean {
  const verb = tokens.slice(i + 1, i + 5).findIndex(({ tag }) => tag === 'AUX' || tag === 'VERB');
  return verb > 0 && tokens.slice(i + 1, i + 1 + verb).every(({ tag }) => ['NOUN', 'ADJ', 'PROPN'].includes(tag));
}

function opensClause(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1];
  if (before === undefined || !isWord(before) || before.tag === 'INTJ' || JOINING.test(before.lower)) return true;
  // Said in one breath: `he is seven he has got moves`.
  return ['NUM', 'NOUN', 'ADJ', 'PROPN'].includes(before.tag) && tokens[i + 1]?.tag === 'AUX';
}

/** `he is um he is in rehab`, `my girlfriend and I we live …`: begun twice. */
function isRestarted(tokens: readonly Token[], i: number): boolean {
  if (tokens[i]?.lower === 'we') return tokens[i - 1]?.text === 'I' && tokens[i - 2]?.lower === 'and';
  const start = [i, i - 1, i - 2].find((at) => SUBJECTS.has(tokens[at]?.lower ?? ''));
  if (start === undefined || start < 0 || tokens[start + 1]?.tag !== 'AUX') return false;
  const again = /^(?:um|uh|er|erm)$/.test(tokens[start + 2]?.lower ?? '') ? start + 3 : start + 2;
  return i < again && tokens[again]?.lower === tokens[start]?.lower;
}
