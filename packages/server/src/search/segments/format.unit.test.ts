import { expect, test } from 'vitest';
import { profiles } from '../ranking/profiles.ts';
import { countTerms } from '../ranking/term-counts.ts';
import { vocabulary } from '../ranking/tokens.ts';
import { SEGMENT_FORMAT } from './pages.ts';

const TEXT = `Ann's zebras weren't running to Zürich's 日本語 school; C++ costs $3.50, e-mail bob@example.com (naïve cafés)
  2023-05-08 THE_CONST fooBar v1.2.3 Straße ﬁnally`;

/** By the number of the format. Where this fails, terms are made otherwise than those that are stored: give the format another number. */
const TERMS: Readonly<Record<number, string>> = {
  3: `05 08 2 2023:2 2023-05-08 3:2 3.50 50 8 ann bar bob c c++ caf com const cost e exampl example.com final foo foobar mail may naiv run
    school strass t the the_const to user v1 v1.2.3 weren zebra zurich 日 日本 本 本語 語`,
};

test('terms that are made in another way have another number of the format', () => {
  const { terms: counted, weights, length } = countTerms({ prefix: 'user', text: TEXT, time: Date.UTC(2023, 4, 8) }, profiles.messages);
  const terms = Array.from(counted, (term) => [vocabulary.textOf(term), weights[term]] as const)
    .map(([text, weight]) => (weight === 1 ? text : `${text}:${weight}`))
    .sort();
  expect(terms).toEqual(TERMS[SEGMENT_FORMAT]?.split(/\s+/).sort());
  expect(length).toBe(47);
});
