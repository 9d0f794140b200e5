import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish, item, packed, toward } from '../index-for-test.ts';
import type { IndexItem } from '../index-item.ts';
import type { IndexQuery } from '../index-query.ts';
import { loadInParts, rounded, search, uuid } from '../paged-for-test.ts';
import { ScopeIndex } from '../scope-index.ts';
import { type Question, readQuestion } from './questions.ts';
import {
  answerSignal,
  askingSignal,
  dateSignal,
  nearbySignal,
  numberSignal,
  type PlacedScore,
  roleSignal,
  speakerSignal,
  timeSignal,
} from './signals.ts';
import { ASKS, BY_ASSISTANT, BY_USER, TELLS_NUMBER, TELLS_TIME } from './traits.ts';

const HOUR_MS = 3_600_000;
const ask = (text: string): Question => readQuestion(text, undefined);
const ALL = ASKS | TELLS_TIME | TELLS_NUMBER | BY_USER | BY_ASSISTANT;

test('who is named speaks for what he said, and for nothing else', () => {
  expect(speakerSignal(new Set([3]), 3)).toBe(1);
  expect(speakerSignal(new Set([3, 4]), 4)).toBe(1);
  expect(speakerSignal(new Set([3]), 4)).toBe(0);
  expect(speakerSignal(new Set(), 0)).toBe(0);
});

test('each trait counts by itself, where it is asked for', () => {
  expect([askingSignal(ASKS), askingSignal(ALL & ~ASKS)]).toEqual([1, 0]);
  const [when, many, other] = [ask('When was it?'), ask('How many are there?'), ask('Who is it?')];
  expect([timeSignal(when, TELLS_TIME), timeSignal(when, ALL & ~TELLS_TIME), timeSignal(other, ALL)]).toEqual([1, 0, 0]);
  expect([numberSignal(many, TELLS_NUMBER), numberSignal(many, ALL & ~TELLS_NUMBER), numberSignal(other, ALL)]).toEqual([1, 0, 0]);
  const [mine, yours] = [ask('What did I buy?'), ask('What did you recommend?')];
  expect([roleSignal(mine, BY_USER), roleSignal(mine, ALL & ~BY_USER), roleSignal(other, ALL)]).toEqual([1, 0, 0]);
  expect([roleSignal(yours, BY_ASSISTANT), roleSignal(yours, ALL & ~BY_ASSISTANT)]).toEqual([1, 0]);
  expect([answerSignal(ASKS, 0.7), answerSignal(ALL & ~ASKS, 0.7)]).toEqual([0.7, 0]);
});

test('a date counts where there is one, and a time', () => {
  const { dates } = ask('What happened in May 2023?');
  expect(dateSignal(dates, Date.UTC(2023, 4, 9))).toBe(1);
  expect(dateSignal(dates, Date.UTC(2023, 8, 9))).toBe(0);
  expect(dateSignal(dates, Number.NaN)).toBe(0);
  expect(dateSignal(undefined, Date.UTC(2023, 4, 9))).toBe(0);
});

test('of what is near in time the best two count', () => {
  const at = (score: number, hours: number, thread = 1): PlacedScore => ({ thread, time: hours * HOUR_MS, score });
  const one = at(1, 10);
  const others = [one, at(0.4, 7), at(0.2, 13), at(0.6, 10), at(0.9, 14), at(0.9, 6.9), at(0.9, 10, 2), at(0.9, Number.NaN)];
  expect(nearbySignal(one, others)).toBeCloseTo(0.5);
  expect(nearbySignal(one, [one])).toBe(0);
  expect(nearbySignal(at(1, Number.NaN), others)).toBe(0);
});

test('what is nearby lies between 0 and 1, in whatever order it comes', () => {
  const anyPlace = fc.record({
    thread: fc.nat(2),
    time: fc.oneof(fc.constant(Number.NaN), fc.nat(10 * HOUR_MS)),
    score: fc.nat(100).map((n) => n / 100),
  });
  fc.assert(
    fc.property(fc.array(anyPlace, { minLength: 1 }), (places) => {
      const [first] = places as [PlacedScore];
      const near = nearbySignal(first, places);
      expect(near).toBeGreaterThanOrEqual(0);
      expect(near).toBeLessThanOrEqual(1);
      expect(nearbySignal(first, places.toReversed())).toBe(near);
    }),
  );
});

const DAY_MS = 24 * HOUR_MS;
const filler = Array.from({ length: 20 }, (_, i) =>
  item(`small talk number${i}`, { thread: `f${i}`, vector: packed(toward(40 + (i % 9))) }),
);

function hits(items: readonly IndexItem[], query: Omit<IndexQuery, 'limit'>) {
  const index = new ScopeIndex('messages');
  finish(index.upsert([...filler, ...items]));
  return index.searcher.search({ limit: 10, explain: true, ...query });
}

/** The same texts apart, each in a thread of its own and alike but for what is told of them. */
const pair = (better: Partial<IndexItem> & { text: string }, worse: Partial<IndexItem> & { text: string }): IndexItem[] => [
  item(better.text, { thread: 'better', vector: packed(toward(3)), ...better, id: 'better', order: '1' }),
  item(worse.text, { thread: 'worse', vector: packed(toward(3)), ...worse, id: 'worse', order: '2' }),
];

test.for<[signal: string, text: string, better: Partial<IndexItem> & { text: string }, worse: Partial<IndexItem> & { text: string }]>([
  ['asking', 'the red boat', { text: 'the red boat sails.' }, { text: 'the red boat sails?' }],
  ['time', 'When does the red boat sail?', { text: 'the red boat sails tomorrow' }, { text: 'the red boat sails somewhere' }],
  ['number', 'How many sails has the red boat?', { text: 'the red boat has three sails' }, { text: 'the red boat has nice sails' }],
  ['role', 'Which boat did I buy?', { text: 'the red boat', tags: ['role:user'] }, { text: 'the red boat', tags: ['role:assistant'] }],
  ['role', 'Which boat did you find?', { text: 'the red boat', tags: ['role:assistant'] }, { text: 'the red boat', tags: ['role:user'] }],
  [
    'date',
    'Which boat sailed last month?',
    { text: 'the red boat', time: Date.UTC(2023, 9, 5) },
    { text: 'the red boat', time: Date.UTC(2023, 7, 5) },
  ],
])('%s: %s', ([signal, text, better, worse]) => {
  const found = hits(pair(better, worse), { text, vector: toward(3), askedAt: Date.UTC(2023, 10, 15) });
  expect(found.slice(0, 2).map(({ id }) => id)).toEqual(['better', 'worse']);
  const [of, against] = ['better', 'worse'].map((id) => found.find((hit) => hit.id === id)?.explain?.signals[signal] ?? 0) as [
    number,
    number,
  ];
  expect(of).toBeGreaterThan(against);
  // In words alone as well.
  expect(hits(pair(better, worse), { text, askedAt: Date.UTC(2023, 10, 15) })[0]?.id).toBe('better');
});

const talk = (...texts: [id: string, text: string][]) =>
  texts.map(([id, text], i) => item(text, { id, thread: 'talk', order: `${i}`, vector: packed(toward(3)), time: i * DAY_MS }));

test('who is named by a part of the name is the one who speaks, where two speak and, less, where many do', () => {
  const two = talk(
    ['ross', 'Ross Geller: the red boat'],
    ['rachel', 'Rachel Green: the red boat'],
    ['ross 2', 'Ross Geller: hello'],
    ['rachel 2', 'Rachel Green: hello'],
  );
  const text = 'Which boat has Ross?';
  const [first] = hits(two, { text, vector: toward(3) });
  expect(first?.id).toBe('ross');
  expect(first?.explain?.signals.speaker).toBeGreaterThan(0);
  const many = [
    ...two,
    ...talk(['joey', 'Joey: hello'], ['joey 2', 'Joey: the red boat']).map((one) => ({ ...one, order: `9${one.order}` })),
  ];
  const [best] = hits(many, { text, vector: toward(3) });
  expect(best?.id).toBe('ross');
  expect(best?.explain?.signals.speaker).toBeUndefined();
  expect(best?.explain?.signals.speakerInGroup).toBeGreaterThan(0);
  const both = hits(two, { text: 'Which boat have Ross and Rachel?', vector: toward(3) });
  expect(both.flatMap(({ explain }) => Object.keys(explain?.signals ?? {})).filter((name) => name.startsWith('speaker'))).toEqual([]);
});

test('what follows a question that is near to what is asked answers it', () => {
  const of = (mark: string) => {
    const both = [
      item(`which instrument do you play${mark}`, { id: 'q', thread: 'talk', order: '1', vector: packed(toward(3)) }),
      item('the cello', { id: 'a', thread: 'talk', order: '2', vector: packed(toward(3, 4)) }),
    ];
    return hits(both, { text: 'what instrument is played', vector: toward(3) }).find(({ id }) => id === 'a');
  };
  expect(of('?')?.explain?.signals.answer).toBeGreaterThan(0);
  expect(of('.')?.explain?.signals.answer).toBeUndefined();
  expect(of('?')?.score).toBeGreaterThan(of('.')?.score ?? 1);
});

test('what else is found in the same sitting speaks for an item', () => {
  const texts = ['the red boat', 'a red boat', 'our boat'];
  const of = (pause: number) => {
    const all = texts.map((text, i) => item(text, { id: text, thread: 'talk', order: `${i}`, time: i * pause, vector: packed(toward(3)) }));
    return hits(all, { text: 'red boat', vector: toward(3) }).find(({ id }) => id === 'the red boat')?.explain?.signals.nearby ?? 0;
  };
  expect(of(HOUR_MS)).toBeGreaterThan(0);
  expect(of(4 * HOUR_MS)).toBe(0);
});

test('a message that is edited from a question to a statement asks no more, at once', () => {
  const index = new ScopeIndex('messages');
  const asked = item('is the boat red?', { id: 'edited', vector: packed(toward(3)), version: 1 });
  finish(index.upsert([...filler, asked]));
  const explain = () => index.searcher.search({ text: 'red boat', vector: toward(3), limit: 1, explain: true })[0]?.explain;
  expect(explain()?.signals.asking).toBeLessThan(0);
  finish(index.upsert([{ ...asked, text: 'the boat is red', version: 2 }]));
  expect(explain()?.signals).toBeDefined();
  expect(explain()?.signals.asking).toBeUndefined();
  finish(index.upsert([{ ...asked, tags: ['role:user'], version: 3 }]));
  expect(explain()?.signals.asking).toBeLessThan(0);
});

test('what is told of a text outlives storing, resting and the clearing of empty slots', () => {
  const texts = ['the red boat?', 'two red boats yesterday', 'Ann: a red boat', 'Ann: boat', 'Ben: boat', 'Ben: 7 boats'];
  const all = texts.map((text, n) => {
    const tags = [n % 2 ? 'role:user' : 'role:assistant'];
    return item(text, { id: uuid(n), order: uuid(n), thread: uuid(900), tags, version: 1, vector: packed(toward(n)), time: 1e11 + n });
  });
  const built = new ScopeIndex('messages');
  finish(built.upsert(all));
  const asked = ['When did I see boats?', 'How many boats did you see?', 'Which boat has Ann?'];
  const queries = asked.map((text) => ({ text, vector: toward(0, 1, 2), limit: 10, explain: true }));
  const expected = queries.map((query) => rounded(built.searcher.search(query)));
  const signals = new Set(expected.flat().flatMap((hit) => hit.signals.map((signal) => signal.split(' ')[0])));
  expect([...signals].sort()).toEqual(['answer', 'asking', 'nearby', 'number', 'role', 'speaker', 'time']);
  for (const pagedParts of [0, 1, 2]) {
    const { index, atRest } = loadInParts('messages', all, 3, pagedParts);
    expect(queries.map((query) => rounded(search(index, atRest, query)))).toEqual(expected);
  }
  const passing = Array.from({ length: 40 }, (_, n) => item('passing', { id: `p${n}`, thread: 'other' }));
  const cleared = new ScopeIndex('messages');
  finish(cleared.upsert([...passing, ...all]));
  const full = cleared.bytes;
  finish(cleared.remove(passing.map(({ id }) => id)));
  expect(cleared.bytes).toBeLessThan(full);
  expect(queries.map((query) => rounded(cleared.searcher.search(query)))).toEqual(expected);
});
