/** Text into tagged words. */

import model from 'wink-eng-lite-web-model';
import winkNLP from 'wink-nlp';
import { memoOf } from '../memo.ts';
import { FAMILY, PETS } from '../words/nouns.ts';
import { ADVERBS } from '../words/phrases.ts';
import { wordSet } from '../words/sets.ts';
import { COMMON } from '../words/verbs.ts';
import { writeOut } from './contractions.ts';

export interface Token {
  readonly text: string;
  readonly lower: string;
  /** Universal part of speech: NOUN, PROPN, VERB, AUX, ADJ, ADV, ADP, … */
  readonly tag: string;
  readonly lemma: string;
  /** Whether a space stands before it. */
  readonly space: boolean;
}

const nlp = winkNLP(model, ['sbd', 'pos']);
const { its } = nlp;

/** What was a message is soon the one before another. `text` must have no word of more than some dozens of characters: the tokenizer slows down beyond measure on such. */
export const sentencesOf = memoOf(tagged, (text: string) => text, { most: 250, longest: 400 });

function tagged(text: string): readonly (readonly Token[])[] {
  const doc = nlp.readDoc(writeOut(text));
  const tokens = doc.tokens();
  const texts = tokens.out() as string[];
  const tags = tokens.out(its.pos) as string[];
  const lemmas = tokens.out(its.lemma as never) as unknown as string[];
  const spaces = tokens.out(its.precedingSpaces) as string[];
  const spans = doc.sentences().out(its.span as never) as unknown as [number, number][];
  const sentences: Token[][] = [];
  for (const [from, to] of spans) {
    // A sentence cannot begin in the middle of `Fly.io`.
    const sentence = from > 0 && spaces[from] === '' && isLetter(texts[from] as string) ? (sentences.pop() ?? []) : [];
    for (let i = from; i <= to; i++) {
      const text = texts[i] as string;
      sentence.push({
        text,
        lower: text.toLowerCase(),
        tag: tags[i] as string,
        lemma: (lemmas[i] as string).toLowerCase(),
        space: spaces[i] !== '',
      });
    }
    sentences.push(sentence);
  }
  return withAfterthoughts(sentences).map((sentence) => withVerbs(withVerbalS(joined(withoutHesitation(sentence)).map(retagged))));
}

/** Without the `um` of speech, in its middle. */
function withoutHesitation(sentence: readonly Token[]): readonly Token[] {
  return sentence.filter(({ text }, i) => i === 0 || !/^(?:um|uh|erm|uhm)$/.test(text));
}

/** `No inline styles. Ever.` is one sentence. */
function withAfterthoughts(sentences: readonly Token[][]): Token[][] {
  const result: Token[][] = [];
  for (const sentence of sentences) {
    const words = sentence.filter(isWord);
    const last = result.at(-1);
    if (last && words.length <= 2 && words.every(({ lower }) => /^(?:ever|always|please|anywhere|period)$/.test(lower)) && words.length > 0)
      last.splice(-1, last.at(-1)?.text === '.' ? 1 : 0, ...words);
    else result.push(sentence);
  }
  return result;
}

function isLetter(text: string): boolean {
  return /^[\p{L}\p{N}]/u.test(text);
}

/** A word that was not in the message. */
export function token(text: string, tag: string, lemma = text.toLowerCase()): Token {
  return { text, lower: text.toLowerCase(), tag, lemma, space: true };
}

export function textOf(tokens: readonly Token[]): string {
  let text = '';
  for (const each of tokens) text += (each.space && text !== '' ? ' ' : '') + each.text;
  return text;
}

export function isWord(token: Token | undefined): boolean {
  if (token === undefined) return false;
  const first = token.text.charCodeAt(0);
  return (first >= 97 && first <= 122) || /[\p{L}\p{N}]/u.test(token.text);
}

/** `remote-first`, `they/them`, `C++` and `50mg` are one word. */
function joined(tokens: readonly Token[]): Token[] {
  const result: Token[] = [];
  for (const [i, each] of tokens.entries()) {
    const last = result.at(-1);
    if (last && !each.space && joins(last, each, tokens[i + 1])) {
      const text = last.text + each.text;
      const tag = /^\d/.test(last.text) ? 'NUM' : isWord(each) ? (last.tag === 'PROPN' ? 'PROPN' : each.tag) : last.tag;
      result[result.length - 1] = { text, lower: text.toLowerCase(), tag, lemma: text.toLowerCase(), space: last.space };
    } else result.push(each);
  }
  return result;
}

function joins(last: Token, next: Token, second: Token | undefined): boolean {
  if (last.text.length + next.text.length > 60) return false;
  if (/[\p{L}]$/u.test(last.text) && /^\p{L}/u.test(next.text)) return /[^\p{ASCII}]$/u.test(last.text) || /^[^\p{ASCII}]/u.test(next.text);
  if (/^[-/+#_&]$/.test(next.text)) return isWord(last);
  if (next.text === '.') return isWord(last) && second !== undefined && !second.space && isLetter(second.text);
  if (/[\p{L}\p{N}][-/_&.]$/u.test(last.text)) return isWord(next) && (!last.text.endsWith('.') || isLetter(next.text));
  return /^\d+$/.test(last.text) && /^[a-z%°]/i.test(next.text);
}

/** `blood group's O negative`: what follows is its value. */
const NAMED_VALUES = wordSet('group type size surname name nickname number age height weight birthday timezone budget');
/** What the tagger gets wrong by a rule: no verb follows `a`, and `IT` is no pronoun. */
function retagged(each: Token, i: number, all: readonly Token[]): Token {
  const before = all[i - 1];
  if (each.lower === 'everything' || each.lower === 'anything' || each.lower === 'nothing') return { ...each, tag: 'PRON' };
  if (each.text === 'IT' || each.text === 'US')
    return before && before.text === before.text.toUpperCase() && before.text.length > 1 ? each : { ...each, tag: 'PROPN' };
  const subject =
    i === 0 &&
    each.tag === 'VERB' &&
    each.lower === each.lemma &&
    (all[1]?.tag === 'AUX' || (all[1]?.tag === 'VERB' && /[^s]s$/.test(all[1].lower)));
  if (subject) return { ...each, tag: 'NOUN' };
  if (each.lower === 'back' && each.tag === 'ADV' && /^(?:my|bad|sore|stiff|weak)$/.test(before?.lower ?? ''))
    return { ...each, tag: 'NOUN' };
  if (each.lower === 'twin' && before?.lower === 'my' && all[i + 1]?.lower !== 'brother' && all[i + 1]?.lower !== 'sister')
    return { ...each, tag: 'NOUN' };
  if (each.lower === 'ex' && before?.lower === 'my') return { ...each, tag: 'NOUN' };
  if (each.tag === 'ADJ' && before?.lower === 'the' && all[i + 1]?.tag === 'VERB' && /[^s]s$/.test(all[i + 1]?.lower ?? ''))
    return { ...each, tag: 'NOUN' };
  if (each.lower === 'lead' && before?.lower === 'team') return { ...each, tag: 'NOUN' };
  if (each.lower === 'go-to') return { ...each, tag: 'ADJ' };
  if (each.tag === 'VERB' && before && (before.lower === 'go-to' || (/^(?:my|our)$/.test(before.lower) && all[i + 1]?.tag === 'NOUN')))
    return { ...each, tag: 'NOUN' };
  const named = before !== undefined && (before.lower === 'a' || before.lower === 'an' || before.lower === 'the');
  if (each.tag !== 'VERB' || !named || /(?:ing|ed)$/.test(each.lower)) return each;
  return { ...each, tag: /^\p{Lu}/u.test(each.text) ? 'PROPN' : 'NOUN' };
}

const AFTER_IS = new Set(['DET', 'NUM', 'ADP', 'PART']);

/** Tells `my sister's a doctor` from `my sister's doctor`. */
function withVerbalS(tokens: Token[]): Token[] {
  return tokens.map((each, i) => {
    if (each.lower !== "'s") return each;
    const [next, second] = [tokens[i + 1], tokens[i + 2]];
    if (!next) return each;
    if (next.lower === 'got' || next.lower === 'had' || next.lower === 'been') return token('has', 'AUX', 'have');
    if (NAMED_VALUES.has(tokens[i - 1]?.lower ?? '') && !tokens.slice(i, i + 6).some(({ tag }) => tag === 'AUX'))
      return token('is', 'AUX', 'be');
    const describes = next.tag === 'ADJ' && (!second || ['ADP', 'PUNCT', 'CCONJ', 'SCONJ', 'PART'].includes(second.tag));
    const acts = next.tag === 'VERB' && /(?:ing|ed)$/.test(next.lower);
    return AFTER_IS.has(next.tag) || describes || acts ? { ...token('is', 'AUX', 'be') } : each;
  });
}

/** The tagger takes `lives` in `my sister lives in Rome` for a noun. */
function withVerbs(tokens: Token[]): Token[] {
  const result = [...tokens];
  for (const [i, each] of tokens.entries()) {
    const owner = each.lower === 'my' || each.lower === 'our' || (each.lower === 'the' && isKin(tokens[i + 1])) || opensClause(tokens, i);
    if (!owner) continue;
    const at = verbAfter(tokens, i);
    const verb = tokens[at];
    if (verb) result[at] = { ...verb, tag: 'VERB', lemma: verbOfThirdPerson(verb.lower) ?? verb.lemma };
  }
  return result;
}

/** `remember: the gate code changes …`. */
function opensClause(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1];
  if (tokens[i]?.tag === 'PROPN') return before?.lower === 'that' || before?.text === ':';
  return tokens[i]?.lower === 'the' && (!before || before.text === ':' || before.lower === 'that' || before.lower === 'and');
}

/** Without a verb up to the next stop, it is the noun that agrees with the one before: `my frontend talks`, `our folks ban`. */
function verbAfter(tokens: readonly Token[], owner: number): number {
  let end = owner + 1;
  while (end < tokens.length && !/^[,.;:!?()]$/.test((tokens[end] as Token).text) && (tokens[end] as Token).tag !== 'SCONJ') end++;
  const span = tokens.slice(owner, end);
  const finite = span.findIndex(({ tag, lower }, k) => tag === 'AUX' || (tag === 'VERB' && !lower.endsWith('ing') && k > 1));
  for (let i = owner + 2; i < Math.min(end, owner + 7, finite === -1 ? end : owner + finite); i++) {
    const [before, each, next] = [tokens[i - 1] as Token, tokens[i] as Token, tokens[i + 1]];
    const subject = ADVERBS.has(before.lower) ? tokens[i - 2] : before;
    if (each.tag !== 'NOUN' || !subject || !['NOUN', 'PROPN'].includes(subject.tag)) continue;
    const known = verbOfThirdPerson(each.lower) !== undefined || deedOfKin(each, subject, next) !== undefined;
    if (known && next && next.tag !== 'AUX' && next.tag !== 'VERB') return i;
    if (i + 1 === end && isKin(subject) && !subject.lower.endsWith('s') && /[^su]s$/.test(each.lower) && finite === -1) return i;
    const plural = /[^s]s$/.test(subject.lower);
    const agrees = plural ? each.lower === each.lemma && !each.lower.endsWith('s') : /[^su]s$/.test(each.lower);
    if (
      finite === -1 &&
      agrees &&
      next &&
      i + 1 < end &&
      ['DET', 'PRON', 'ADP', 'PROPN', 'NUM', 'ADV', 'ADJ', ...(plural ? ['NOUN'] : [])].includes(next.tag)
    )
      return i;
  }
  return -1;
}

function isKin(token: Token | undefined): boolean {
  return token !== undefined && (FAMILY.has(token.lower) || PETS.has(token.lower));
}

/** `my sister ties the knot`: whatever follows a single one of the family and takes an object. */
function deedOfKin(each: Token, before: Token | undefined, next: Token | undefined): string | undefined {
  const kin = isKin(before) && !before?.lower.endsWith('s');
  return kin && /[^s]s$/.test(each.lower) && next && ['DET', 'PRON', 'ADP', 'NUM', 'ADV'].includes(next.tag) ? each.lemma : undefined;
}

function verbOfThirdPerson(lower: string): string | undefined {
  if (!lower.endsWith('s')) return undefined;
  const stems = [lower.slice(0, -1), lower.slice(0, -2), `${lower.slice(0, -3)}y`];
  return stems.find((stem) => COMMON.has(stem));
}
