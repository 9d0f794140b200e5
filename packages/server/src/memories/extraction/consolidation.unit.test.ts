import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Consolidation, isCurrent, type SessionMemory } from './consolidation.ts';
import type { ExtractedMemory, SourceMessage } from './extractor.ts';
import { fingerprintOf } from './fingerprint.ts';

const DAY_MS = 86_400_000;

function consolidation(held: readonly SessionMemory[] = []) {
  let count = 0;
  return new Consolidation(held, { newId: () => `new-${++count}`, shortLivedMs: 7 * DAY_MS });
}

/** The n-th day's message. */
function message(day: number, content = ''): SourceMessage {
  return { id: `m-${String(day).padStart(3, '0')}`, content, createdAt: new Date(Date.UTC(2026, 0, 1 + day)).toISOString() };
}

function said(day: number, content: string, more: Partial<ExtractedMemory> = {}): ExtractedMemory {
  return { ref: `r-${day}`, messageId: message(day).id, kind: 'fact', content, ...more };
}

function take(all: Consolidation, day: number, ...memories: ExtractedMemory[]): void {
  all.take([message(day)], { memories, withdrawn: [], secrets: 0 }, 'test');
}

const current = (all: Consolidation, day = 1000) =>
  all
    .all()
    .filter((memory) => isCurrent(memory, message(day).createdAt))
    .map(({ content }) => content);

const written = (content: string, more: Partial<SessionMemory> = {}): SessionMemory => ({
  id: `written ${content}`,
  kind: 'fact',
  content,
  slot: null,
  fingerprint: fingerprintOf(content),
  source: 'written',
  extractor: '',
  messageIds: [],
  causeId: null,
  createdAt: message(0).createdAt,
  expiresAt: null,
  supersededAt: null,
  supersededBy: null,
  history: [],
  ...more,
});

test.for([
  ['User likes dogs', 'User really likes dogs.'],
  ['User likes dogs', 'user likes the dog'],
  ['User is allergic to peanuts', 'The user is also allergic to peanuts'],
] as const)('the same said nearly the same: %s / %s', ([first, second]) => {
  expect(fingerprintOf(second)).toBe(fingerprintOf(first));
});

test.for([
  ['User likes dogs', 'User does not like dogs'],
  ['User likes dogs more than cats', 'User likes cats more than dogs'],
  ['User has 2 children', 'User has 3 children'],
  ['User is flying to Rome', 'User is flying from Rome'],
  ['User lives in Lisbon', 'User lives in Porto'],
  ['User is allergic to peanuts', 'User is allergic to walnuts'],
  ['User lived in Lisbon', 'User lives in Lisbon'],
  ['User has a therapist', 'User is a therapist'],
  ['User is a teacher', 'User was a teacher'],
] as const)('another thing: %s / %s', ([first, second]) => {
  expect(fingerprintOf(second)).not.toBe(fingerprintOf(first));
});

test('a value of a slot takes the place of the older value, and back', () => {
  const all = consolidation();
  take(all, 1, said(1, 'User lives in Lisbon', { slot: 'home' }));
  take(all, 2, said(2, 'User lives in Porto', { slot: 'home' }));
  take(all, 3, said(3, 'User lives in Lisbon', { slot: 'home' }));
  expect(current(all)).toEqual(['User lives in Lisbon']);
  expect(all.get('new-3').history.map(({ content }) => content)).toEqual(['User lives in Lisbon', 'User lives in Porto']);
});

test('what was written is not taken away', () => {
  const all = consolidation([written('User lives in Lisbon')]);
  take(all, 2, said(2, 'User lives in Porto', { slot: 'home', replaces: ['written User lives in Lisbon'] }));
  expect(current(all)).toEqual(['User lives in Lisbon', 'User lives in Porto']);
});

test('what was changed by hand is not made again from the same message, though from another', () => {
  const origin = { fingerprint: fingerprintOf('User likes tea'), causeIds: new Set([message(1).id]) };
  const all = consolidation([written('User likes green tea', { origin })]);
  take(all, 1, said(1, 'User likes tea'));
  expect(current(all)).toEqual(['User likes green tea']);
  take(all, 2, said(2, 'User likes tea'));
  expect(current(all)).toEqual(['User likes green tea', 'User likes tea']);
});

test('what was said before that which is known is out of order, if it is about the same', () => {
  const outOfOrder = (content: string, slot?: string) => {
    const all = consolidation();
    take(all, 5, said(5, 'User lives in Porto', { slot: 'home' }));
    take(all, 3, said(3, content, { slot }));
    return all.isOutOfOrder;
  };
  expect(outOfOrder('User lives in Lisbon', 'home')).toBe(true);
  expect(outOfOrder('User lives in Porto', 'home')).toBe(true);
  expect(outOfOrder('User likes tea')).toBe(false);
});

test('the same as a written one adds nothing', () => {
  const all = consolidation([written('User lives in Lisbon')]);
  take(all, 1, said(1, 'User lives in Lisbon', { slot: 'home' }));
  expect(all.isUnchanged).toBe(true);
});

test('a correction needs both messages, and a withdrawal leaves nothing in the place', () => {
  const all = consolidation();
  take(all, 1, said(1, 'User meets Bob on Tuesday'));
  all.take(
    [message(2)],
    { memories: [said(2, 'User meets Bob on Thursday', { replaces: ['new-1'], restsOn: ['new-1'] })], withdrawn: [], secrets: 0 },
    'test',
  );
  expect(current(all)).toEqual(['User meets Bob on Thursday']);
  expect(all.causes.at(-1)).toEqual({ memoryId: 'new-2', causeId: 'm-002', messageIds: ['m-001', 'm-002'] });
  all.take([message(3)], { memories: [], withdrawn: [{ messageId: 'm-003', memory: 'new-2' }], secrets: 0 }, 'test');
  expect(current(all)).toEqual([]);
  expect(all.withdrawn).toEqual([{ memoryId: 'new-2', messageId: 'm-003', at: message(3).createdAt, forgotten: false }]);
});

test('within one answer a later memory takes the place of an earlier one by its name', () => {
  const all = consolidation();
  const first = said(1, 'User meets Bob on Tuesday', { ref: 'a' });
  const second = said(2, 'User meets Bob on Thursday', { ref: 'b', replaces: ['a'] });
  all.take([message(1), message(2)], { memories: [first, second], withdrawn: [], secrets: 0 }, 'test');
  expect(current(all)).toEqual(['User meets Bob on Thursday']);
});

test('of two values in one message the last one holds', () => {
  const all = consolidation();
  const home = (ref: string, content: string) => said(1, content, { ref, slot: 'home' });
  take(all, 1, home('a', 'User moved to Porto'), home('b', 'User lives in Porto'));
  expect(current(all)).toEqual(['User lives in Porto']);
});

test('what is pasted back after it ceased to hold does not hold again', () => {
  const all = consolidation();
  take(all, 1, said(1, 'User lives in Lisbon', { slot: 'home' }));
  take(all, 2, said(2, 'User lives in Porto', { slot: 'home' }));
  const pasted = message(3, 'You told me: User lives in Lisbon.');
  all.take([pasted], { memories: [said(3, 'User lives in Lisbon', { slot: 'home' })], withdrawn: [], secrets: 0 }, 'test');
  expect(current(all)).toEqual(['User lives in Porto']);
});

test('a short-lived memory ends a week after it was said last, and can then be said anew', () => {
  const all = consolidation();
  const task = (day: number) => said(day, 'User is writing a report', { kind: 'short_lived' });
  take(all, 1, task(1));
  take(all, 5, task(5));
  expect(all.all().map(({ expiresAt }) => expiresAt)).toEqual([message(12).createdAt]);
  expect(current(all, 11)).toHaveLength(1);
  expect(current(all, 13)).toEqual([]);
  take(all, 20, task(20));
  expect(all.all()).toHaveLength(2);
  expect(current(all, 21)).toHaveLength(1);
});

test('whatever the order in which statements come, the newest value of each slot holds, once', () => {
  const statement = fc.record({
    day: fc.integer({ min: 0, max: 30 }),
    slot: fc.constantFrom('a', 'b'),
    value: fc.constantFrom('x', 'y', 'z'),
  });
  fc.assert(
    fc.property(fc.uniqueArray(statement, { selector: ({ day }) => day, maxLength: 12 }), (statements) => {
      const all = consolidation();
      for (const { day, slot, value } of statements) take(all, day, said(day, `User has ${slot} of ${value}`, { slot }));
      for (const slot of ['a', 'b']) {
        const newest = statements.filter((one) => one.slot === slot).sort((one, other) => other.day - one.day)[0];
        expect(current(all).filter((content) => content.includes(`has ${slot}`))).toEqual(
          newest ? [`User has ${slot} of ${newest.value}`] : [],
        );
      }
    }),
    { numRuns: 300 },
  );
});
