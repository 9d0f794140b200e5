import { expect, test } from 'vitest';
import type { QuestionTokens } from '../../embedding/embedder.ts';
import { finish, item, packed, sequence } from '../index-for-test.ts';
import type { IndexQuery } from '../index-query.ts';
import { ScopeIndex } from '../scope-index.ts';

const DIMENSIONS = 64;
const next = sequence(3);
const direction = () => Float32Array.from({ length: DIMENSIONS }, () => next() - 0.5);
const codeOf = (vector: Float32Array) => {
  const code = new Uint8Array(DIMENSIONS / 8);
  for (const [i, component] of vector.entries()) if (component > 0) code[i >> 3] = (code[i >> 3] as number) | (1 << (i & 7));
  return code;
};
const question = (word: string, vector: Float32Array): QuestionTokens => {
  const components = new Int8Array(3 * DIMENSIONS);
  for (const [i, component] of vector.entries()) components[DIMENSIONS + i] = Math.round(component * 254);
  return { words: [word], starts: [1], components };
};

const [asked, other] = [direction(), direction()];
/** All alike by words and vectors. */
const alike = ['first', 'second', 'third'].map((id) => item('we talked about martial arts', { id, thread: id, vector: packed(asked) }));
const query: IndexQuery = { text: 'martial arts', vector: asked, tokens: question('martial', asked), limit: 10 };
const codes: [string, Uint8Array][] = [
  ['first', codeOf(other)],
  ['second', codeOf(asked)],
  ['third', codeOf(other)],
];

function begin(index: ScopeIndex, some: IndexQuery = query) {
  const pass = index.searcher.beginSecondPass(index.searcher.shortlist(some), some);
  if (!pass) throw new Error('There is nothing to look at');
  return pass;
}

test.for(['messages', 'memories', 'chunks'] as const)(
  '%s: of those alike the one whose tokens meet the question comes first',
  (profile) => {
    const index = new ScopeIndex(profile);
    finish(index.upsert(alike));
    const pass = begin(index);
    expect(pass.tokensToRead().map(({ id }) => id)).toEqual(expect.arrayContaining(['first', 'second', 'third']));
    const hits = index.searcher.hitsOf(index.searcher.finishSecondPass(pass, { tokens: codes, texts: [] }), { ...query, explain: true });
    expect(hits.map(({ id }) => id)).toEqual(['second', 'third', 'first']);
    expect(hits[0]?.explain?.tokens).toBeGreaterThan(0);
  },
);

test('a message is read together with those before and after it', () => {
  const index = new ScopeIndex('messages');
  const said = (id: string, thread: string) => item('we talked about martial arts', { id, thread, vector: packed(asked) });
  finish(index.upsert([said('met', 'one'), said('beside it', 'one'), said('not met', 'two'), said('beside that', 'two')]));
  const ofOne = (id: string): [string, Uint8Array] => [id, codeOf(id === 'met' ? asked : other)];
  const tokens = ['met', 'beside it', 'not met', 'beside that'].map(ofOne);
  const { items } = index.searcher.finishSecondPass(begin(index), { tokens, texts: [] });
  const [met, besideIt, , besideThat] = items.toSorted((a, b) => a.slot - b.slot).map(({ features }) => features);
  expect(besideIt?.ownTokens).toBe(besideThat?.ownTokens);
  expect(besideIt?.passageTokens).toBe(met?.passageTokens);
  expect(besideIt?.passageTokens).toBeGreaterThan(besideThat?.passageTokens ?? 1);
});

test('what was edited or removed while tokens were read is no hit, wherever the others have moved to', () => {
  const index = new ScopeIndex('memories');
  const gone = Array.from({ length: 40 }, (_, i) => item('martial arts', { id: `gone ${i}` }));
  finish(index.upsert([...gone, ...alike]));
  const pass = begin(index);
  expect(index.searcher.isOutdated(pass)).toBe(false);
  finish(index.upsert([{ ...(alike[0] as (typeof alike)[number]), text: 'something else', version: 1 }]));
  expect(index.searcher.isOutdated(pass)).toBe(true);
  // So many go that slots are given anew.
  finish(index.remove([...gone.map(({ id }) => id), 'third']));
  const hits = index.searcher.hitsOf(index.searcher.finishSecondPass(pass, { tokens: codes, texts: [] }), query);
  expect(hits.map(({ id }) => id)).toEqual(['second']);
});

test('an item without tokens is judged by what is known of it, beside those that have some', () => {
  const index = new ScopeIndex('memories');
  finish(index.upsert(alike));
  const hits = index.searcher.hitsOf(index.searcher.finishSecondPass(begin(index), { tokens: codes.slice(0, 2), texts: [] }), query);
  expect(hits.map(({ id }) => id)).toEqual(['second', 'third', 'first']);
  for (const { score } of hits) expect(score).toBeGreaterThan(0);
});

test('an item whose vector has not come yet is judged by its words, whether its tokens are there or not', () => {
  const index = new ScopeIndex('memories');
  const late = item('we talked about martial arts', { id: 'late', thread: 'late' });
  finish(index.upsert([...alike, late]));
  const scoreOf = (tokens: [string, Uint8Array][]) => {
    const hits = index.searcher.hitsOf(index.searcher.finishSecondPass(begin(index), { tokens, texts: [] }), query);
    return hits.find(({ id }) => id === 'late')?.score;
  };
  expect(scoreOf([...codes, ['late', codeOf(asked)]])).toBe(scoreOf(codes));
});

test('without tokens, or without a vector, there is nothing to read of memories', () => {
  const index = new ScopeIndex('memories');
  finish(index.upsert(alike));
  const shortlist = index.searcher.shortlist(query);
  expect(index.searcher.beginSecondPass(shortlist, { ...query, tokens: undefined })).toBeUndefined();
  expect(index.searcher.beginSecondPass(shortlist, { ...query, vector: undefined })).toBeUndefined();
  expect(index.searcher.beginSecondPass(index.searcher.shortlist({ ...query, text: 'the' }), { ...query, text: 'the' })).toBeUndefined();
});

test('no more tokens are read than are worth it, however many hits are asked for', () => {
  const index = new ScopeIndex('memories');
  finish(index.upsert(Array.from({ length: 300 }, (_, i) => item('martial arts', { id: `${i}`, vector: packed(asked) }))));
  expect(begin(index).tokensToRead()).toHaveLength(50);
  const many = { ...query, limit: 100 };
  const pass = begin(index, many);
  expect(pass.tokensToRead()).toHaveLength(50);
  expect(index.searcher.hitsOf(index.searcher.finishSecondPass(pass, { tokens: [], texts: [] }), many)).toHaveLength(100);
});

test('a document that shares the words of the best comes before one that has only those of the question', () => {
  const index = new ScopeIndex('chunks');
  const about = ['judo', 'karate'].map((id) =>
    item(`martial arts: ${id}, a fight with throws, kicks and belts on a mat`, { id, thread: id }),
  );
  const shares = item('martial law, and a fight with throws, kicks and belts on a mat', { id: 'shares', thread: 'shares' });
  const alone = item('martial law, and a decree of the king about taxes on the wine', { id: 'alone', thread: 'alone' });
  finish(index.upsert([...about, alone, shares]));
  const byWords = { text: 'martial arts', limit: 10 };
  const pass = begin(index, byWords);
  const asked = pass.textsToRead().map(({ id }) => id);
  expect(asked.slice(0, 2).sort()).toEqual(['judo', 'karate']);
  const ids = (texts: readonly string[]) =>
    index.searcher
      .hitsOf(index.searcher.finishSecondPass(pass, { tokens: [], texts: texts.map((text) => ({ text })) }), byWords)
      .map(({ id }) => id);
  expect(ids(about.map(({ text }) => text)).slice(2)).toEqual(['shares', 'alone']);
  expect(ids(['wine and taxes of the king']).indexOf('alone')).toBeLessThan(ids(['wine and taxes of the king']).indexOf('shares'));
});

test('what is gone from a scope counts for nothing in the words of the best', () => {
  const texts = ['martial arts on a mat', 'martial law of the king', 'a walk'];
  const items = texts.map((text, i) => item(text, { id: text, thread: `${i}` }));
  const byWords = { text: 'martial arts', limit: 10, explain: true };
  const hitsOf = (index: ScopeIndex) =>
    index.searcher.hitsOf(
      index.searcher.finishSecondPass(begin(index, byWords), { tokens: [], texts: [{ text: 'arts on a mat' }] }),
      byWords,
    );
  const fresh = new ScopeIndex('chunks');
  finish(fresh.upsert(items));
  const used = new ScopeIndex('chunks');
  finish(
    used.upsert([...items, ...Array.from({ length: 10 }, (_, i) => item('a mat of martial arts', { id: `gone ${i}`, thread: 'gone' }))]),
  );
  finish(used.remove(Array.from({ length: 10 }, (_, i) => `gone ${i}`)));
  expect(hitsOf(used)).toEqual(hitsOf(fresh));
});

test('a scope that changes all the time is answered without a second pass in the end', () => {
  const index = new ScopeIndex('memories');
  finish(index.upsert(alike));
  let pass: ReturnType<typeof begin> | undefined;
  for (let attempt = 1; attempt <= 3; attempt++) {
    pass = index.searcher.beginSecondPass(index.searcher.shortlist(query), query, pass);
    expect(pass?.attempt).toBe(attempt);
  }
  expect(index.searcher.beginSecondPass(index.searcher.shortlist(query), query, pass)).toBeUndefined();
});
