import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { json, never, type Scripted, StubStream, streamed, stubFetch } from '../test/stub-fetch.ts';
import { Commonplace } from './commonplace.ts';
import type { FollowOptions } from './resources/events.ts';

function eventsOn(...script: Scripted[]) {
  const { fetch, sent } = stubFetch(...script);
  const lines: string[] = [];
  const logger = { warn: (line: string) => lines.push(line) };
  const client = new Commonplace({ baseUrl: 'http://service.test', accessKey: 'key', workspaceId: 'w', fetch, logger });
  return { events: client.events, sent, lines };
}

/** Follows until so many came. */
async function take(events: Commonplace['events'], count: number, options: FollowOptions = {}): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of events.follow(options)) {
    ids.push(id);
    if (ids.length === count) break;
  }
  return ids;
}

const lastIds = (sent: readonly { headers: Readonly<Record<string, string>> }[]) => sent.map(({ headers }) => headers['last-event-id']);

/** Without any time passing. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  // Whatever happens, nothing is left behind.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('events', () => {
  test('are asked for as a stream, by type, session and the last that is known', async () => {
    const stream = new StubStream();
    const { events, sent } = eventsOn(stream.answer);
    const taken = take(events, 1, { types: ['message.created', 'memory.created'], sessionId: 's', after: '7' });
    await until(() => stream.isOpen);
    stream.write(streamed('8'));
    expect(await taken).toEqual(['8']);
    const [request] = sent;
    expect(request?.url.pathname).toBe('/api/v1/workspaces/w/events');
    expect(Object.fromEntries(request?.url.searchParams ?? [])).toEqual({
      types: 'message.created,memory.created',
      sessionId: 's',
      after: '7',
    });
    expect(request?.headers).toMatchObject({ accept: 'text/event-stream', 'x-access-key': 'key' });
    expect(sent).toHaveLength(1);
    expect(stream.isCancelled || !stream.isOpen).toBe(true);
  });

  test('come in order and once, over connections that end, break and are refused', async () => {
    const streams = [new StubStream(), new StubStream(), new StubStream()] as const;
    const { events, sent, lines } = eventsOn(
      streams[0].answer,
      new TypeError('fetch failed'),
      json({ errorMessage: 'Busy' }, 503, { 'retry-after': '7' }),
      streams[1].answer,
      streams[2].answer,
    );
    const taken = take(events, 5);
    await until(() => streams[0].isOpen);
    streams[0].write(`retry: 1000\nid: 0\n\n${streamed('1')}${streamed('2')}`);
    // Cut in the middle of one: that one was not given.
    streams[0].write(streamed('3').slice(0, -1)).end();
    await until(() => lines.length === 1);
    await vi.advanceTimersByTimeAsync(1_125);
    expect(sent).toHaveLength(2);
    // Twice as much jitter, and the service's own wish before it.
    await vi.advanceTimersByTimeAsync(1_250);
    expect(sent).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(7_000 + 499);
    expect(sent).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    await until(() => streams[1].isOpen);
    streams[1].write(streamed('3'));
    await until(() => streams[1].pulls > 1);
    streams[1].break();
    await until(() => lines.length === 4);
    await vi.advanceTimersByTimeAsync(1_125);
    await until(() => streams[2].isOpen);
    streams[2].write(streamed('4') + streamed('5'));
    expect(await taken).toEqual(['1', '2', '3', '4', '5']);
    expect(lastIds(sent)).toEqual([undefined, '2', '2', '2', '3']);
    expect(lines[0]).toBe('GET /workspaces/{workspaceId}/events: The stream ended; again in 1125 ms');
    expect(lines[3]).toContain('The stream broke: terminated');
  });

  test('are not missed where the connection breaks before the first of them', async () => {
    const [first, second] = [new StubStream(), new StubStream()];
    const { events, sent } = eventsOn(first.answer, second.answer);
    const taken = take(events, 1);
    await until(() => first.isOpen);
    first.write('retry: 0\nid: 41\n\n').end();
    await until(() => vi.getTimerCount() === 1);
    await vi.advanceTimersByTimeAsync(200);
    await until(() => second.isOpen);
    second.write(streamed('42'));
    expect(await taken).toEqual(['42']);
    expect(lastIds(sent)).toEqual([undefined, '41']);
  });

  test('are waited for as long as the service is heard, and no longer', async () => {
    const [silent, next] = [new StubStream(), new StubStream()];
    const { events, sent, lines } = eventsOn(silent.answer, next.answer);
    const taken = take(events, 1);
    await until(() => silent.isOpen);
    for (let beat = 0; beat < 10; beat++) {
      await vi.advanceTimersByTimeAsync(30_000);
      silent.write(': \n\n');
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(44_999);
    expect(lines).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    await until(() => next.isOpen);
    expect(silent.isOpen).toBe(false);
    expect(lines).toEqual(['GET /workspaces/{workspaceId}/events: Nothing was heard of the service; again in 125 ms']);
    next.write(streamed('1'));
    expect(await taken).toEqual(['1']);
  });

  test('are asked for again where no answer begins', async () => {
    const stream = new StubStream();
    const { events, sent } = eventsOn(never, stream.answer);
    const taken = take(events, 1);
    await until(() => sent.length === 1);
    await vi.advanceTimersByTimeAsync(45_000);
    await vi.advanceTimersByTimeAsync(200);
    await until(() => stream.isOpen);
    stream.write(streamed('1'));
    expect(await taken).toEqual(['1']);
  });

  test('are asked for less and less often while nobody answers', async () => {
    const { events, sent } = eventsOn(new TypeError('fetch failed'));
    const following = events.follow();
    const next = following.next();
    for (const ms of [125, 250, 500, 1_000, 2_000, 4_000, 4_000]) {
      const { length } = sent;
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(sent.length).toBe(length === 0 ? 1 : length);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(sent).toHaveLength(8);
    await following.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('are not read before they are asked for', async () => {
    const stream = new StubStream();
    const { events } = eventsOn(stream.answer);
    const following = events.follow();
    const first = following.next();
    await until(() => stream.isOpen);
    stream.write(streamed('1'));
    expect((await first).value?.id).toBe('1');
    for (let id = 2; id < 100; id++) stream.write(streamed(String(id)));
    const { pulls } = stream;
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    // Nor is a silence counted that is the reader's own.
    await vi.advanceTimersByTimeAsync(120_000);
    expect(stream.pulls).toBe(pulls);
    expect((await following.next()).value?.id).toBe('2');
    await following.return?.();
  });
});

describe('it ends', () => {
  test.for([
    [400, Commonplace.BadRequestError],
    [401, Commonplace.AuthenticationError],
    [403, Commonplace.PermissionDeniedError],
    [404, Commonplace.NotFoundError],
  ] as const)('with an error where waiting does not help: %i', async ([status, ErrorClass]) => {
    const { events, sent } = eventsOn(json({ errorMessage: 'No' }, status));
    await expect(take(events, 1)).rejects.toBeInstanceOf(ErrorClass);
    expect(sent).toHaveLength(1);
  });

  test.for([
    ['JSON', json({ events: [] }), 'no stream of events'],
    ['nothing', new Response(null, { status: 204 }), 'The answer was 204'],
    ['elsewhere', new Response(null, { status: 302, headers: { location: 'http://other.test' } }), 'redirects'],
    ['a stream of something else', new Response('data: x\n\n', { headers: { 'content-type': 'text/event-stream' } }), 'no JSON'],
  ] as const)('with an error where the answer is %s', async ([, answer, message]) => {
    await expect(take(eventsOn(answer).events, 1)).rejects.toThrow(message);
  });

  test('with an error after the key was taken away', async () => {
    const stream = new StubStream();
    const { events } = eventsOn(stream.answer, json({ errorMessage: 'Invalid access key.' }, 401));
    const taken = expect(take(events, 1)).rejects.toBeInstanceOf(Commonplace.AuthenticationError);
    await until(() => stream.isOpen);
    stream.write('retry: 10\n\n').end();
    await until(() => vi.getTimerCount() === 1);
    await vi.advanceTimersByTimeAsync(200);
    await taken;
  });

  test('with the error of who is told that it is connected', async () => {
    const onConnect = () => {
      throw new Error('Not now');
    };
    await expect(take(eventsOn(new StubStream().answer).events, 1, { onConnect })).rejects.toThrow('Not now');
  });

  test('quietly by its signal: before, while connecting, reading and waiting', async () => {
    const before = eventsOn(never);
    expect(await take(before.events, 1, { signal: AbortSignal.abort() })).toEqual([]);
    expect(before.sent).toEqual([]);

    const reading = new StubStream();
    for (const answer of [never, reading.answer, new TypeError('fetch failed')]) {
      const { events, sent } = eventsOn(answer);
      const controller = new AbortController();
      const taken = take(events, 1, { signal: controller.signal });
      await until(() => sent.length === 1);
      await vi.advanceTimersByTimeAsync(0);
      controller.abort();
      expect(await taken).toEqual([]);
    }
    expect(reading.isOpen).toBe(false);
  });

  test('quietly by its signal between two events that came together', async () => {
    const stream = new StubStream();
    const { events } = eventsOn(stream.answer);
    const controller = new AbortController();
    const ids: string[] = [];
    const all = (async () => {
      for await (const { id } of events.follow({ signal: controller.signal })) {
        ids.push(id);
        controller.abort();
      }
    })();
    await until(() => stream.isOpen);
    stream.write(streamed('1') + streamed('2'));
    await all;
    expect(ids).toEqual(['1']);
  });

  test('where the fetch that is given knows of no signal', async () => {
    const stream = new StubStream();
    const { events } = eventsOn((request) => stream.answer(request));
    const following = events.follow();
    const next = following.next();
    await until(() => stream.isOpen);
    await following.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(stream.isCancelled).toBe(true);
  });
});
