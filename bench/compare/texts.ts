/** What is stored and asked: English as people write it to assistants, in pairs of sentences so that there is enough of it. */
import { readCases, textsOf } from '../labelled.ts';
import type { Texts } from './peer.ts';

const TEXTS = 4_000;
const QUESTIONS = 20_000;
const QUESTION_WORDS = 5;

export async function readTexts(): Promise<Texts> {
  const cases = await readCases('development');
  const sentences = [...new Set(cases.flatMap(textsOf))];
  return { texts: pairsOf(sentences, TEXTS), questions: pairsOf(sentences.map(beginning), QUESTIONS) };
}

/** No pair twice, as far as there are different ones. */
export function pairsOf(sentences: readonly string[], count: number): string[] {
  const all = [...new Set(sentences)];
  return Array.from({ length: count }, (_, index) => {
    const distance = 1 + (Math.floor(index / all.length) % (all.length - 1));
    return `${all[index % all.length]} ${all[(index + distance) % all.length]}`;
  });
}

function beginning(sentence: string): string {
  return sentence.split(' ').slice(0, QUESTION_WORDS).join(' ');
}
