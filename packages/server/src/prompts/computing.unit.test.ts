import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createPromptComputing, type PromptComputing } from './computing.ts';

function start(): PromptComputing {
  const computing = createPromptComputing(pino({ level: 'silent' }));
  onTestFinished(() => computing.close());
  return computing;
}

/** Whether this turn of the event loop ends without the answer: what the main thread computes is there before, what a thread does never is. */
async function letsOthersIn(work: Promise<unknown>): Promise<boolean> {
  // A tick that is asked for in a microtask comes after all microtasks, and before anything arrives from a thread.
  const endOfTurn = new Promise<true>((resolve) => queueMicrotask(() => process.nextTick(resolve, true)));
  return Promise.race([endOfTurn, work.then(() => false)]);
}

const named = (content: string) => ({ name: 'p', content });
const template = (content: string) => ({ type: 'text', content }) as const;
const work: [string, (computing: PromptComputing, content: string) => Promise<unknown>][] = [
  ['comparing', ({ diff }, content) => diff(named(content), named('other'))],
  ['comparing with', ({ diff }, content) => diff(named('other'), named(content))],
  ['rendering', ({ render }, content) => render(template(content), {})],
  ['finding the variables of', ({ variables }, content) => variables([template(content)])],
];

test.for(work)('%s a long content is left to a thread, and a short one is not', async ([, run]) => {
  const computing = start();
  const long = 'x'.repeat(40_000);
  const inThread = run(computing, long);
  expect(await letsOthersIn(inThread)).toBe(true);
  await inThread;
  expect(await letsOthersIn(run(computing, 'short'))).toBe(false);
});

test('a few kilobytes of many lines are compared in a thread: the work grows with the square of lines', async () => {
  const many = start().diff(named('x\n'.repeat(4_000)), named('y\n'.repeat(4_000)));
  expect(await letsOthersIn(many)).toBe(true);
  expect((await many).changes.map(({ kind }) => kind)).toEqual(['removed', 'added']);
});
