/** Text into tagged words. */

import model from 'wink-eng-lite-web-model';
import winkNLP from 'wink-nlp';
import { writeOut } from './contractions.ts';
import { COMMON } from './words/verbs.ts';

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

/** `text` must have no word of more than some dozens of characters: the tokenizer slows down beyond measure on such. */
export function sentencesOf(text: string): Token[][] {
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
  return sentences.map((sentence) => withVerbs(withVerbalS(joined(sentence))));
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
  return token !== undefined && /[\p{L}\p{N}]/u.test(token.text);
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
  if (/^[-/+#_&]$/.test(next.text)) return isWord(last);
  if (next.text === '.') return isWord(last) && second !== undefined && !second.space && isLetter(second.text);
  if (/[\p{L}\p{N}][-/_&.]$/u.test(last.text)) return isWord(next) && (!last.text.endsWith('.') || isLetter(next.text));
  return /^\d+$/.test(last.text) && /^[a-z%°]/i.test(next.text);
}

const AFTER_IS = new Set(['DET', 'NUM', 'ADP', 'PART']);

/** Tells `my sister's a doctor` from `my sister's doctor`. */
function withVerbalS(tokens: Token[]): Token[] {
  return tokens.map((each, i) => {
    if (each.lower !== "'s") return each;
    const [next, second] = [tokens[i + 1], tokens[i + 2]];
    if (!next) return each;
    const describes = next.tag === 'ADJ' && (!second || ['ADP', 'PUNCT', 'CCONJ', 'SCONJ', 'PART'].includes(second.tag));
    const acts = next.tag === 'VERB' && /(?:ing|ed)$/.test(next.lower);
    return AFTER_IS.has(next.tag) || describes || acts ? { ...token('is', 'AUX', 'be') } : each;
  });
}

/** The tagger takes `lives` in `my sister lives in Rome` for a noun. */
function withVerbs(tokens: Token[]): Token[] {
  return tokens.map((each, i) => {
    const verb = each.tag === 'NOUN' ? verbOfThirdPerson(each.lower) : undefined;
    const [before, next] = [tokens[i - 1], tokens[i + 1]];
    if (verb === undefined || !before || !next || !['NOUN', 'PROPN'].includes(before.tag) || next.tag === 'AUX' || next.tag === 'VERB')
      return each;
    const owned = tokens.slice(Math.max(0, i - 5), i).some(({ lower }) => lower === 'my' || lower === 'our');
    const parted = tokens.slice(Math.max(0, i - 5), i).some(({ tag }) => tag === 'VERB' || tag === 'AUX');
    return owned && !parted ? { ...each, tag: 'VERB', lemma: verb } : each;
  });
}

function verbOfThirdPerson(lower: string): string | undefined {
  if (!lower.endsWith('s')) return undefined;
  const stems = [lower.slice(0, -1), lower.slice(0, -2), `${lower.slice(0, -3)}y`];
  return stems.find((stem) => COMMON.has(stem));
}
