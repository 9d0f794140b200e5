import { describe, expect, test } from 'vitest';
import { fingerprintDigestOf, topicIdOf } from './extraction/assertions.ts';
import { fingerprintOf } from './extraction/fingerprint.ts';
import { type Assertion, RunGraph, runsOf } from './topics.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const BEGIN_MS = Date.parse('2026-01-01T12:00:00.000Z');
const at = (day: number) => new Date(BEGIN_MS + day * DAY_MS).toISOString();
const idOf = (kind: string, day: number, session = 's1') => `${String(day).padStart(4, '0')}-${session}-${kind}`;

function said(day: number, content: string, more: Partial<Assertion> = {}): Assertion {
  const fingerprintDigest = fingerprintDigestOf(fingerprintOf(content));
  const slot = more.slot === undefined ? 'home' : more.slot;
  const sessionId = more.sessionId ?? 's1';
  const messageId = idOf('message', day, sessionId);
  return {
    id: idOf('memory', day, sessionId),
    sessionId,
    personId: 'p1',
    topicId: topicIdOf(slot, fingerprintDigest),
    messageId,
    ordinal: 0,
    saidAt: at(day),
    fingerprintDigest,
    kind: 'long_lived',
    content,
    slot,
    extractor: 'test',
    successorId: null,
    successorTopicId: null,
    sources: [{ sessionId, messageId }],
    expiresAt: null,
    forgotten: false,
    overridden: false,
    ...more,
  };
}

function ended(day: number, target: Assertion, successor?: Assertion): Assertion {
  const { topicId, fingerprintDigest, slot } = target;
  return {
    ...said(day, '', { slot }),
    id: idOf('ending', day),
    topicId,
    fingerprintDigest,
    kind: null,
    content: null,
    successorId: successor?.id ?? null,
    successorTopicId: successor?.topicId ?? null,
  };
}

const memories = (assertions: readonly Assertion[], kept: ReadonlySet<string> = new Set()) => {
  const runs = [...Map.groupBy(assertions, ({ topicId }) => topicId).values()].flatMap((ofTopic) => runsOf(ofTopic));
  const graph = new RunGraph(
    runs,
    () => undefined,
    (id) => kept.has(id),
  );
  return runs.flatMap((run) => graph.memoryOf(run) ?? []);
};

describe('of one topic', () => {
  const lisbon = said(1, 'User lives in Lisbon');
  const again = said(2, 'User lives in Lisbon', { sessionId: 's2' });
  const porto = said(3, 'User lives in Porto', { sessionId: 's3' });

  test('the same said again is one memory, and a newer value takes its place', () => {
    expect(memories([porto, again, lisbon])).toMatchObject([
      { id: lisbon.id, sessionId: 's1', supersededAt: at(3), supersededBy: porto.id, history: [] },
      { id: porto.id, sessionId: 's3', supersededAt: null, history: [{ id: lisbon.id, content: 'User lives in Lisbon', until: at(3) }] },
    ]);
  });

  test('without the first that said it, it is the next one’s', () => {
    expect(memories([porto, again])).toMatchObject([
      { id: again.id, sessionId: 's2', createdAt: at(2), supersededBy: porto.id },
      { id: porto.id },
    ]);
  });

  test('what was said again after another value is held anew', () => {
    const back = said(4, 'User lives in Lisbon', { sessionId: 's2' });
    expect(memories([lisbon, porto, back])).toMatchObject([
      { id: lisbon.id, supersededAt: at(3) },
      { id: porto.id, supersededBy: back.id },
      { id: back.id, supersededAt: null, history: [{ id: lisbon.id }, { id: porto.id }] },
    ]);
    expect(memories([lisbon, back])).toMatchObject([{ id: lisbon.id, supersededAt: null }]);
  });

  test('what is taken back ends, and nothing stands in its place', () => {
    expect(memories([lisbon, ended(2, lisbon)])).toMatchObject([{ id: lisbon.id, supersededAt: at(2), supersededBy: null }]);
    // It was no longer held.
    expect(memories([lisbon, porto, ended(4, lisbon)])).toMatchObject([{ id: lisbon.id }, { id: porto.id, supersededAt: null }]);
  });

  test('one in other hands makes no memory, and still ends what came before', () => {
    const overridden = { ...porto, overridden: true };
    expect(memories([lisbon, overridden], new Set([porto.id]))).toMatchObject([
      { id: lisbon.id, supersededAt: at(3), supersededBy: porto.id },
    ]);
    const madrid = said(5, 'User lives in Madrid');
    // It was deleted: what came after it is what stands there.
    expect(memories([lisbon, overridden, madrid])).toMatchObject([
      { id: lisbon.id, supersededAt: at(3), supersededBy: madrid.id },
      { id: madrid.id, history: [{ id: lisbon.id }] },
    ]);
    expect(memories([overridden, said(6, 'User lives in Porto')])).toMatchObject([{ createdAt: at(6) }]);
  });
});

test('what ends is prolonged by saying it again, and begins anew once it is over', () => {
  const plan = (day: number) => said(day, 'User is painting the fence', { slot: null, kind: 'short_lived', expiresAt: at(day + 7) });
  expect(memories([plan(0), plan(5)])).toMatchObject([{ createdAt: at(0), expiresAt: at(12) }]);
  expect(memories([plan(0), plan(8)])).toMatchObject([
    { createdAt: at(0), expiresAt: at(7), supersededAt: null },
    { createdAt: at(8), expiresAt: at(15) },
  ]);
});

test('one that lasts and one that passes are two, whatever their words', () => {
  const passing = (day: number) => said(day, 'User is painting', { slot: null, kind: 'short_lived', expiresAt: at(day + 7) });
  const lasting = (day: number) => said(day, 'User is painting', { slot: null });
  expect(memories([passing(0), lasting(2), passing(4)])).toMatchObject([
    { createdAt: at(0), supersededAt: at(2) },
    { createdAt: at(2), expiresAt: null, supersededAt: at(4) },
    { createdAt: at(4), expiresAt: at(11) },
  ]);
});

test('a history goes ten steps back', () => {
  const all = Array.from({ length: 15 }, (_, day) => said(day, `User lives in city ${day}`));
  expect(
    memories(all)
      .at(-1)
      ?.history.map(({ id }) => id),
  ).toEqual(all.slice(4, 14).map(({ id }) => id));
});

test('one thing that ends another of a different topic tells of it', () => {
  const beef = said(1, 'User eats beef', { slot: null });
  const none = said(2, 'User does not eat meat', { slot: null });
  expect(memories([beef, none, ended(2, beef, none)])).toMatchObject([
    { id: beef.id, supersededAt: at(2), supersededBy: none.id },
    { id: none.id, history: [{ id: beef.id, content: 'User eats beef', until: at(2) }] },
  ]);
});

test('in whatever order they are given, assertions come to the same', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 200; round++) {
    const cities = ['Lisbon', 'Porto', 'Madrid'];
    const all = Array.from({ length: 12 }, (_, day) => {
      const one = said(day, `User lives in ${cities[random(3)]}`, { sessionId: `s${random(4)}` });
      return random(5) === 0 ? ended(day, one) : one;
    });
    const shuffled = all.map((one) => [random(1_000), one] as const).sort(([a], [b]) => a - b);
    expect(runsOf(shuffled.map(([, one]) => one))).toEqual(runsOf(all));
    // Those that hold at a moment: one at the most, and the last one said unless that was taken back.
    for (const { saidAt } of all) {
      const held = memories(all).filter(
        ({ createdAt, supersededAt }) => createdAt <= saidAt && (supersededAt === null || supersededAt > saidAt),
      );
      expect(held.length).toBeLessThanOrEqual(1);
    }
  }
});
