/** Lines are made no faster than they are read, in the lane of whoever asked, and no longer than somebody reads. */
import { Writable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { currentLane, runInLane } from '../lanes/current-lane.ts';
import { sendLines } from './answering.ts';

/** A socket that takes a piece when it is told to. */
function newAnswer() {
  const taken: string[] = [];
  let take = () => {};
  const raw = Object.assign(
    new Writable({
      highWaterMark: 1,
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        take = () => {
          taken.push(String(chunk));
          done();
        };
      },
    }),
    { req: { method: 'GET' }, writeHead: () => {} },
  );
  const reply = { raw, hijack: () => {}, hasHeader: () => false, server: { commonHeaders: { flatFor: () => [] } } };
  const request = { headers: {}, raw: { socket: undefined, headers: {} } };
  return { raw, taken, take: () => take(), reply: reply as unknown as FastifyReply, request: request as unknown as FastifyRequest };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('no more is made than is read, and all of it in the lane of the request', async () => {
  const { raw, taken, take, reply, request } = newAnswer();
  const lanes = new Set<string>();
  let made = 0;
  async function* pieces() {
    for (; made < 50; ) {
      lanes.add(currentLane());
      yield `line ${made++}\n`;
    }
  }
  const sent = runInLane('workspace:1', () => sendLines(request, reply, 200, { filename: 'a', pieces: pieces() }));
  while (taken.length < 50) {
    for (let turns = 0; turns < 20; turns++) await turn();
    expect(made - taken.length).toBeLessThanOrEqual(5);
    take();
  }
  await sent;
  expect(raw.writableFinished).toBe(true);
  expect(taken.at(-1)).toBe('line 49\n');
  expect([...lanes]).toEqual(['workspace:1']);
});

test('the work ends when whoever asked is gone', async () => {
  const { raw, reply, request } = newAnswer();
  let isEnded = false;
  async function* pieces() {
    try {
      for (let n = 0; ; n++) yield `line ${n}\n`;
    } finally {
      isEnded = true;
    }
  }
  const sent = sendLines(request, reply, 200, { filename: 'a', pieces: pieces() });
  await turn();
  raw.destroy();
  await sent;
  await turn();
  expect(isEnded).toBe(true);
});

test('what fails on the way ends the connection, and what fails at first is a failure like any other', async () => {
  const { raw, take, reply, request } = newAnswer();
  async function* failing(after: number) {
    for (let n = 0; n < after; n++) yield `line ${n}\n`;
    throw new Error('the database is gone');
  }
  await expect(sendLines(request, reply, 200, { filename: 'a', pieces: failing(0) })).rejects.toThrow('the database is gone');
  expect(raw.destroyed).toBe(false);
  const sent = sendLines(request, reply, 200, { filename: 'a', pieces: failing(1) });
  const failed = expect(sent).rejects.toThrow('the database is gone');
  for (let turns = 0; turns < 20; turns++) {
    await turn();
    take();
  }
  await failed;
  expect([raw.destroyed, raw.writableFinished]).toEqual([true, false]);
});
