import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish, item, packed, toward } from './index-for-test.ts';
import type { IndexItem } from './index-item.ts';
import type { ProfileName } from './profiles.ts';
import { queryForEmbedding } from './queries.ts';
import { ScopeIndex } from './scope-index.ts';

function search(profile: ProfileName, items: IndexItem[], text: string, vector?: Float32Array) {
  const index = new ScopeIndex(profile);
  finish(index.upsert(items));
  return index.searcher.search({ text, vector, limit: 10 });
}
const ids = (...request: Parameters<typeof search>) => search(...request).map(({ id }) => id);
const filler = Array.from({ length: 30 }, (_, i) =>
  item(`small talk about weather number ${i}`, { vector: packed(toward(40 + (i % 10))) }),
);
const profileNames = ['messages', 'memories', 'chunks'] as const;

test.for(profileNames)('%s: the text itself, asked for, comes first', (profile) => {
  const wanted = item('the blue bicycle stands behind the old barn', { id: 'wanted' });
  const rest = ['a blue car', 'the barn', 'old bicycle', 'behind the house stands a tree'].map((text) => item(text));
  expect(ids(profile, [...filler, wanted, ...filler.map((one) => ({ ...one, id: `${one.id}!` })), ...rest], wanted.text)[0]).toBe('wanted');
});

test.for(profileNames)('%s: a rare word counts more than common ones', (profile) => {
  const rare = item('the zeppelin landed', { id: 'rare' });
  expect(ids(profile, [...filler, rare], 'weather talk about a zeppelin')[0]).toBe('rare');
});

test.for(profileNames)('%s: the only item with a rare word comes before those that are about the common word beside it', (profile) => {
  const hooks = Array.from({ length: 12 }, (_, i) =>
    item(`a hook and one more hook, number ${i}`, { thread: `h${i}`, vector: packed(toward(3)) }),
  );
  const rare = item('the zyzzyva is a weevil that hangs from a leaf and is known for the end of the dictionary', {
    id: 'rare',
    thread: 'r',
    vector: packed(toward(20)),
  });
  const [first, second] = search(profile, [...filler, ...hooks, rare], 'zyzzyva hook', toward(3));
  expect(first?.id).toBe('rare');
  expect(second?.id).toContain('hook');
  const index = new ScopeIndex(profile);
  finish(index.upsert([...filler, ...hooks, rare]));
  for (const { score, explain } of index.searcher.search({ text: 'zyzzyva hook', vector: toward(3), limit: 10, explain: true })) {
    const { signals = {}, ...parts } = explain ?? {};
    expect(score).toBeLessThanOrEqual(1);
    expect([...Object.values(parts), ...Object.values(signals)].reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 9);
  }
});

test('a rare word that is little of what is asked does not decide', () => {
  const asked = 'which boat did we rent on the lake near the mountains last summer';
  const meant = item('we rented the small sailing boat on the lake near the mountains', {
    id: 'meant',
    thread: 'm',
    vector: packed(toward(3)),
  });
  const rare = item('last', { id: 'rare', thread: 'r', vector: packed(toward(20)) });
  expect(ids('memories', [...filler, meant, rare], asked, toward(3))[0]).toBe('meant');
});

test('an agent that talked to everybody: the names of most texts are looked for, not all', () => {
  const index = new ScopeIndex('messages');
  const nameOf = (number: number) => `N${[...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`;
  const texts = Array.from({ length: 1_000 }, (_, i) => i).flatMap((i) =>
    Array.from({ length: i < 3 ? 3 : 2 }, (_, k) => item(`${nameOf(i)}: hello`, { id: `${i} ${k}`, thread: `${i}` })),
  );
  finish(index.upsert(texts));
  expect(index.speakers).toHaveLength(100);
  expect(index.speakers).toEqual(expect.arrayContaining([nameOf(0), nameOf(1), nameOf(2)]));
});

test.for(profileNames)('%s: a paraphrase is found by its vector alone', (profile) => {
  const meant = item('she adores felines', { id: 'meant', vector: packed(toward(3)) });
  expect(ids(profile, [...filler, meant], 'who loves cats?', toward(3))[0]).toBe('meant');
});

test.for(profileNames)('%s: a shared function word alone does not outdo what is meant', (profile) => {
  const meant = item('felines she adores', { id: 'meant', vector: packed(toward(3)) });
  const shares = item('who goes there', { id: 'shares', vector: packed(toward(3, 7, 8)) });
  expect(ids(profile, [...filler, meant, shares], 'who loves cats?', toward(3))[0]).toBe('meant');
});

test.for(profileNames)('%s: an item without a vector yet is found by its words, before unlike ones with vectors', (profile) => {
  const fresh = item('the quarterly budget is 40,000 euros', { id: 'fresh' });
  expect(ids(profile, [...filler, fresh], 'quarterly budget', toward(3))[0]).toBe('fresh');
});

test('of equal texts the later comes first, each time', () => {
  const copies = ['c', 'a', 'b'].map((id, i) => item('same words', { id, thread: id, order: `${i}`, vector: packed(toward(1)) }));
  expect(ids('messages', copies, 'same words', toward(1))).toEqual(['b', 'a', 'c']);
  expect(ids('messages', [...copies].reverse(), 'same words', toward(1))).toEqual(['b', 'a', 'c']);
});

test('neighbours help each other, but do not overtake the direct hit', () => {
  const talk = [
    item('Which instrument do you play these days?', { id: 'question', vector: packed(toward(5)) }),
    item('The cello, since spring.', { id: 'answer', vector: packed(toward(5, 6)) }),
    item('Nice!', { id: 'after', vector: packed(toward(9)) }),
  ];
  const found = ids(
    'messages',
    [...filler, ...talk, ...filler.map((one) => ({ ...one, id: `${one.id}!`, order: `1${one.order}` }))],
    'what instrument do you play',
    toward(5),
  );
  expect(found.slice(0, 2)).toEqual(['question', 'answer']);
});

test('neighbours do not reach over a pause, nor into another thread', () => {
  const day = 24 * 3_600_000;
  const score = (rest: Partial<IndexItem>) => {
    const hits = search('messages', [item('the cello', { id: 'hit', time: 0 }), item('yes', { id: 'beside', time: 1, ...rest })], 'cello');
    return hits.find(({ id }) => id === 'beside')?.score ?? 0;
  };
  expect(score({})).toBeGreaterThan(0);
  expect(score({ time: day })).toBe(0);
  expect(score({ thread: 'two' })).toBe(0);
});

test('a message is found by the month of its time', () => {
  const may = item('we met at the lake', { id: 'may', time: Date.UTC(2023, 4, 3) });
  const july = item('we met at the lake again', { id: 'july', time: Date.UTC(2023, 6, 3) });
  expect(ids('messages', [july, may], 'where did we meet in May 2023?')[0]).toBe('may');
});

test('a title makes its chunks better answers', () => {
  const titled = item('press and hold for five seconds', { id: 'titled', thread: 'd1', prefix: 'Resetting the router' });
  const other = item('the router is black; resetting is described elsewhere in this long text about routers', {
    id: 'other',
    thread: 'd2',
  });
  expect(ids('chunks', [other, titled, ...filler], 'resetting the router')[0]).toBe('titled');
});

test('other languages and code are found by their words', () => {
  const items = [
    'Der Zug fährt um acht Uhr',
    'le café est fermé',
    '今天我去了超市买牛奶',
    '東京タワーに行きました',
    'call parse_config() in app.config.ts',
    '🎉 party',
  ];
  const all = [...filler, ...items.map((text) => item(text))];
  const first = (text: string) => ids('memories', all, text)[0];
  expect(first('wann FAHRT der zug')).toBe(items[0]);
  expect(first('CAFE ferme')).toBe(items[1]);
  expect(first('超市')).toBe(items[2]);
  expect(first('東京タワー')).toBe(items[3]);
  expect(first('where is parseConfig')).toBe(items[4]);
  expect(first('parse_config')).toBe(items[4]);
  expect(first('🎉')).toBe(items[5]);
});

test('questions of nothing, of function words, and very long ones get an answer', () => {
  const all = [...filler, item('to be or not to be', { id: 'hamlet' })];
  expect(ids('memories', all, '')).toEqual([]);
  expect(ids('memories', all, '?!… \ud800')).toEqual([]);
  expect(ids('memories', all, 'qwxz vbnmk')).toEqual([]);
  expect(ids('memories', [], 'anything', toward(1))).toEqual([]);
  expect(ids('memories', all, 'to be or not to be')).toEqual(['hamlet']);
  expect(ids('memories', all, 'weather '.repeat(1_250))).toHaveLength(10);
  expect(ids('memories', all, '', toward(41)).length).toBeGreaterThan(0);
});

const many = (text: (n: number) => string) =>
  Array.from({ length: 20_500 }, (_, n) => item(text(n), { id: `m${n}`, order: String(n).padStart(6, '0'), thread: `t${n % 9}` }));

test.for(profileNames)('%s: in a large scope too the only item with a rare word comes first, however long it is', (profile) => {
  const long = item(`order-48213 ${'some other words of a long mail '.repeat(30)}`, { id: 'long', thread: 'long' });
  expect(ids(profile, [...many((n) => (n % 12 ? `it works ${n % 50}` : `it fails ${n % 50}`)), long], 'order-48213 fails')[0]).toBe('long');
});

test.for(['memories', 'chunks'] as const)('%s: of very many equal ones the last come first', (profile) => {
  expect(
    ids(
      profile,
      many(() => 'agreed'),
      'agreed',
    ),
  ).toEqual(Array.from({ length: 10 }, (_, n) => `m${20_499 - n}`));
});

test('a hopeless question gets lower scores than a good one', () => {
  const best = (text: string, vector: Float32Array) => search('memories', filler, text, vector)[0]?.score ?? 0;
  expect(best('small talk about weather', toward(41))).toBeGreaterThan(0.8);
  expect(best('qwxz weather vbnmk lkjhg', toward(1))).toBeLessThan(0.4);
});

test('a scope of one item, and vectors of other dimensions', () => {
  const only = item('hello there', { id: 'only', vector: packed(toward(1)) });
  expect(ids('messages', [only], 'greeting', toward(1))).toEqual(['only']);
  expect(ids('messages', [only], 'hello', new Float32Array(3).fill(1))).toEqual(['only']);
  expect(ids('messages', [only], 'hello', new Float32Array(64))).toEqual(['only']);
});

test('names of participants are left out of what is embedded, the rest is kept', () => {
  expect(queryForEmbedding("What is Ann's dog called, ANN?", ['Ann', 'user'])).toBe('What is dog called, ?');
  expect(queryForEmbedding('Which user did Anna annoy?', ['Ann', 'user', ''])).toBe('Which user did Anna annoy?');
  expect(queryForEmbedding('Ann', ['Ann'])).toBe('Ann');
  expect(queryForEmbedding('a (b) c', ['(b)', 'Bob (the.*)'])).toBe('a c');
});

test('a part of a name that is an ordinary word stays where it is no name', () => {
  const of = (text: string) => queryForEmbedding(text, ['Will Smith', 'Rose Page', 'Neil Young', 'James']);
  expect(of('When will the young rose be on the page?')).toBe('When will the young rose be on the page?');
  expect(of('Will he come?')).toBe('Will he come?');
  expect(of('What did Will tell Rose of the page?')).toBe('What did tell of the page?');
  expect(of('What did will smith and james buy?')).toBe('What did and buy?');
  expect(of("What is James' dog and Rose's cat?")).toBe('What is dog and cat?');
});

test('any names, and any question: something is left to embed', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 60 });
  fc.assert(
    fc.property(anyText, fc.array(fc.oneof(anyText, fc.constantFrom('Ann', 'Will Smith', 'user', ' '))), (text, names) => {
      const rest = queryForEmbedding(text, names);
      expect(rest === text || /[\p{L}\p{N}]/u.test(rest)).toBe(true);
      expect(queryForEmbedding(text, [])).toBe(text);
    }),
  );
});

const anyTexts = fc.array(fc.array(fc.constantFrom('ash', 'elm', 'Ann:', 'yesterday', '42', 'is it?'), { minLength: 1, maxLength: 5 }), {
  maxLength: 20,
});
const signalTexts = ['When did Ann see the ash?', 'How many elms did I see last week?', 'What did you say of the elm?', 'ash'];

test('what has nothing in common with a question is no hit, whatever speaks for it', () => {
  fc.assert(
    fc.property(anyTexts, fc.constantFrom(...profileNames), (texts, profile) => {
      const time = Date.UTC(2023, 10, 14);
      const all = texts.map((text, i) => item(text.join(' '), { id: `${i}`, thread: `${i % 3}`, time, tags: ['role:user'] }));
      const index = new ScopeIndex(profile);
      finish(index.upsert(all));
      for (const text of ['When did the zebra come last month?', 'How many zebras did I count last month?', 'zebra']) {
        expect(index.searcher.search({ text, limit: 50, askedAt: Date.UTC(2023, 11, 5) })).toEqual([]);
      }
    }),
  );
});

test.for(profileNames)('%s: other names of threads, and other slots, change nothing', (profile) => {
  fc.assert(
    fc.property(anyTexts, fc.constantFrom(...signalTexts), fc.boolean(), (texts, text, hasVectors) => {
      const askedAt = Date.UTC(2023, 10, 15);
      const all = texts.map((words, i) => {
        const vector = hasVectors && i % 3 ? packed(toward(i % 7)) : undefined;
        return item(words.join(' '), {
          id: `${i}`,
          order: String(i).padStart(3, '0'),
          thread: `${i % 2}`,
          time: askedAt - i * 3_600_000,
          vector,
        });
      });
      const found = (items: readonly IndexItem[]) => {
        const index = new ScopeIndex(profile);
        finish(index.upsert(items));
        return index.searcher.search({ text, vector: hasVectors ? toward(1, 2) : undefined, limit: 50, askedAt, explain: true });
      };
      const renamed = all.map((one) => ({ ...one, thread: one.thread === '0' ? 'z' : 'a' }));
      expect(found(renamed.toReversed())).toEqual(found(all));
    }),
  );
});
