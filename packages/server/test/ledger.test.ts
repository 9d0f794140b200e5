import { expect, test } from 'vitest';
import { Ledger } from '../../../bench/faults/ledger.ts';

/** Sent by these writers, one line each, with what is acknowledged in between. */
function newLedger() {
  const ledger = new Ledger();
  const send = (writer: string, ...contents: string[]) =>
    ledger.send(
      writer,
      contents.map((content) => ({ content, word: content })),
    );
  const acknowledge = (entry: ReturnType<typeof send>) =>
    ledger.acknowledge(
      entry,
      entry.lines.map(({ content }) => content),
    );
  const judge = (...contents: string[]) =>
    ledger.judge(
      'here',
      contents.map((content) => ({ id: content, content })),
    );
  return { send, acknowledge, judge };
}

test('what is sent after another writer’s was acknowledged has to stand after it', () => {
  const { send, acknowledge, judge } = newLedger();
  acknowledge(send('one', 'a'));
  acknowledge(send('two', 'b'));
  expect(judge('a', 'b').disordered).toEqual([]);
  expect(judge('b', 'a').disordered).toEqual([expect.stringContaining('‘b’ stands before')]);
});

test('what was under way together may stand in either order, but the lines of one request in theirs', () => {
  const { send, acknowledge, judge } = newLedger();
  const [first, second] = [send('one', 'a', 'b'), send('two', 'c')];
  acknowledge(second);
  acknowledge(first);
  for (const found of [
    ['a', 'b', 'c'],
    ['c', 'a', 'b'],
    ['a', 'c', 'b'],
  ])
    expect(judge(...found)).toMatchObject({ disordered: [], lost: [] });
  expect(judge('b', 'a', 'c').disordered).toEqual([expect.stringContaining('‘b’ stands before')]);
});
