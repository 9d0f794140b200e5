import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { acceptsEventStream, EventStreams } from './event-streams.ts';

class FakeResponse extends EventEmitter {
  readonly written: string[] = [];
  writableLength = 0;
  destroyed = false;
  writableEnded = false;
  readonly socket = { setNoDelay: () => undefined };
  writeHead() {}
  flushHeaders() {}
  write(text: string) {
    this.written.push(text);
  }
  end() {
    this.writableEnded = true;
    this.emit('close');
  }
}

let revoke: () => void = () => undefined;
let streams: EventStreams;
beforeEach(() => {
  vi.useFakeTimers();
  streams = new EventStreams({ listen: (_topic, listener) => (revoke = () => listener('*')) }, pino({ level: 'silent' }));
});
afterEach(() => {
  streams.close();
  vi.useRealTimers();
});

function open(isAllowed: () => boolean | Promise<boolean> = () => true, workspaceId = 'one') {
  const response = new FakeResponse();
  const reply = { hijack: () => ({ raw: response as unknown as ServerResponse }), server: { commonHeaders: { flatFor: () => [] } } };
  const stream = streams.open({} as FastifyRequest, reply as unknown as FastifyReply, workspaceId, isAllowed);
  return { response, stream };
}

test('a comment goes to everyone who reads every 15 seconds, and not to who has not read the last', async () => {
  const [reader, slow] = [open(), open()];
  slow.response.writableLength = 300_000;
  await vi.advanceTimersByTimeAsync(45_000);
  expect(reader.response.written).toStrictEqual([': \n\n', ': \n\n', ': \n\n']);
  expect(slow.response.written).toStrictEqual([]);
});

test('whoever may no longer read is ended, when something is revoked and at the latest with the next comment', async () => {
  let isAllowed = true;
  const [kept, revoked, unsure] = [open(), open(() => isAllowed), open(async () => Promise.reject(new Error('No database')))];
  isAllowed = false;
  revoke();
  await vi.advanceTimersByTimeAsync(0);
  expect([kept, revoked, unsure].map(({ response }) => response.writableEnded)).toStrictEqual([false, true, true]);
  let isMember = true;
  const expired = open(() => isMember);
  isMember = false;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(expired.response.writableEnded).toBe(true);
  expect(streams.size).toBe(1);
});

test('a revocation while others are asked about is not missed', async () => {
  let isAllowed = true;
  let answer: (allowed: boolean) => void = () => undefined;
  open(() => new Promise((resolve) => (answer = resolve)));
  revoke();
  const later = open(() => isAllowed);
  isAllowed = false;
  revoke();
  answer(true);
  await vi.advanceTimersByTimeAsync(0);
  answer(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(later.response.writableEnded).toBe(true);
});

test('a workspace has so many and no more, and another is not kept out', () => {
  const opened = Array.from({ length: 2_000 }, () => open());
  expect(() => streams.requireRoom('one')).toThrow('Too many streams');
  expect(() => streams.requireRoom('other')).not.toThrow();
  opened[0]?.response.end();
  expect(() => streams.requireRoom('one')).not.toThrow();
});

test.each([
  ['text/event-stream', true],
  ['application/json, Text/Event-Stream;q=0.9', true],
  ['application/json', false],
  ['*/*', false],
  [undefined, false],
])('Accept: %s asks for a stream: %s', (accept, expected) => expect(acceptsEventStream(accept)).toBe(expected));
