import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { json, type SentRequest, StubStream, streamed } from '../test/stub-fetch.ts';
import { Commonplace } from './commonplace.ts';
import type { ClientOptions } from './settings.ts';

/** A service with one prompt, and streams of what happens to it. */
class Stage {
  version = 1;
  /** What becomes of reads, where it is not the prompt. */
  failure: (() => Response | Promise<Response>) | undefined;
  refusal: Response | undefined;
  readonly streams: StubStream[] = [];
  readonly reads: string[] = [];
  readonly opened: SentRequest[] = [];
  readonly lines: string[] = [];

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = { method: 'GET', url: new URL(String(input)), headers: init?.headers as Record<string, string>, body: undefined };
    if (request.url.pathname.endsWith('/events')) return this.#follow(request, init?.signal as AbortSignal);
    const etag = `"${this.version}"`;
    this.reads.push(`${request.url.pathname.split('/')[4]} ${request.headers['if-none-match'] ?? 'anew'}`);
    if (this.failure) return this.failure();
    if (request.headers['if-none-match'] === etag) return new Response(null, { status: 304, headers: { etag } });
    return json({ handle: 'support', type: 'text', content: `Version ${this.version}`, version: this.version }, 200, { etag });
  };

  client(options: ClientOptions = {}): Commonplace {
    const logger = { warn: (line: string) => this.lines.push(line) };
    const base = { baseUrl: 'http://service.test', accessKey: 'key', workspaceId: 'w', maxRetries: 0, livePrompts: true };
    return new Commonplace({ ...base, fetch: this.fetch, logger, ...options });
  }

  /** The last stream that was opened. */
  get stream(): StubStream {
    return this.streams.at(-1) as StubStream;
  }

  async promote(): Promise<void> {
    this.version++;
    this.stream.write(streamed(`event-${this.version}`, 'prompt.promoted'));
    await settled();
  }

  #follow(request: SentRequest, signal: AbortSignal): Response {
    this.opened.push(request);
    if (this.refusal) return this.refusal.clone();
    const stream = new StubStream();
    this.streams.push(stream);
    return stream.answer(request, signal);
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const contentOf = async (client: Pick<Commonplace, 'prompts'>) => (await client.prompts.get('support', { version: 'production' })).content;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('live prompts', () => {
  test('are in use as soon as the service told of them, by one request', async () => {
    const stage = new Stage();
    const client = stage.client();
    expect(await contentOf(client)).toBe('Version 1');
    await settled();
    // The stream began after it was read: it is asked once whether it still holds.
    for (const _ of [1, 2, 3]) expect(await contentOf(client)).toBe('Version 1');
    expect(stage.reads).toEqual(['w anew', 'w "1"']);
    await stage.promote();
    for (const _ of [1, 2, 3]) expect(await contentOf(client)).toBe('Version 2');
    expect(stage.reads.slice(2)).toEqual(['w "1"']);
    expect(stage.opened.map(({ url }) => url.searchParams.get('types'))).toEqual([
      'prompt.created,prompt.updated,prompt.promoted,prompt.deleted,prompt_version.created,prompt_version.updated,prompt_version.deleted',
    ]);
    client.close();
    await settled();
  });

  test('share one stream for a workspace, and one request', async () => {
    const stage = new Stage();
    const client = stage.client();
    await Promise.all(Array.from({ length: 20 }, () => contentOf(client)));
    await Promise.all([contentOf(client.workspace('other')), contentOf(client.workspace('other'))]);
    expect(stage.opened.map(({ url }) => url.pathname.split('/')[4])).toEqual(['w', 'other']);
    await settled();
    stage.reads.splice(0);
    stage.streams[0]?.write(streamed('1', 'prompt.promoted'));
    await settled();
    await Promise.all(Array.from({ length: 20 }, () => contentOf(client)));
    expect(stage.reads).toEqual(['w "1"']);
    client.close();
    await settled();
    expect(stage.streams.map(({ isOpen }) => isOpen)).toEqual([false, false]);
  });

  test('are not those of a request that was under way when they changed', async () => {
    const stage = new Stage();
    const client = stage.client();
    await contentOf(client);
    await settled();
    const { promise, resolve } = Promise.withResolvers<Response>();
    stage.failure = () => promise;
    const before = contentOf(client);
    await settled();
    stage.failure = undefined;
    await stage.promote();
    const after = contentOf(client);
    resolve(new Response(null, { status: 304 }));
    expect([await before, await after]).toEqual(['Version 1', 'Version 2']);
    client.close();
    await settled();
  });

  test('stay in use where the service can’t be reached, and rest; the next event asks again', async () => {
    const stage = new Stage();
    const client = stage.client();
    await contentOf(client);
    await settled();
    stage.reads.splice(0);
    stage.failure = () => json({ errorMessage: 'Down' }, 503);
    await stage.promote();
    for (const _ of [1, 2, 3]) expect(await contentOf(client)).toBe('Version 1');
    expect(stage.reads).toHaveLength(1);
    stage.failure = undefined;
    await stage.promote();
    expect(await contentOf(client)).toBe('Version 3');
    client.close();
    await settled();
  });

  test('are waited for two seconds at most, once', async () => {
    const stage = new Stage();
    const client = stage.client();
    await contentOf(client);
    await settled();
    const { promise, resolve } = Promise.withResolvers<Response>();
    stage.failure = () => promise;
    await stage.promote();
    const slow = contentOf(client);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await slow).toBe('Version 1');
    expect(await contentOf(client)).toBe('Version 1');
    resolve(json({ handle: 'support', type: 'text', content: 'Version 2', version: 2 }, 200, { etag: '"2"' }));
    await settled();
    expect(await contentOf(client)).toBe('Version 2');
    client.close();
    await settled();
  });

  test('that were deleted are used no more', async () => {
    const stage = new Stage();
    const client = stage.client();
    await contentOf(client);
    await settled();
    stage.failure = () => json({ errorMessage: 'Prompt not found' }, 404);
    await stage.promote();
    await expect(contentOf(client)).rejects.toBeInstanceOf(Commonplace.NotFoundError);
    client.close();
    await settled();
  });

  test('while the stream is not connected, are those of the cache; and asked for once it is again', async () => {
    const stage = new Stage();
    const client = stage.client();
    await contentOf(client);
    await settled();
    await contentOf(client);
    stage.reads.splice(0);
    stage.stream.write('retry: 10000\nid: 7\n\n');
    await settled();
    stage.stream.break();
    await settled();
    stage.version = 2;
    expect(await contentOf(client)).toBe('Version 1');
    expect(stage.reads).toEqual([]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(stage.opened.at(-1)?.headers['last-event-id']).toBe('7');
    await settled();
    expect(await contentOf(client)).toBe('Version 2');
    expect(stage.reads).toEqual(['w "1"']);
    // And by age, as ever.
    stage.version = 3;
    for (const _ of [1, 2]) {
      await vi.advanceTimersByTimeAsync(30_000);
      stage.stream.write(': \n\n');
      await settled();
    }
    expect(await contentOf(client)).toBe('Version 2');
    await settled();
    expect(await contentOf(client)).toBe('Version 3');
    client.close();
    await settled();
  });

  test('of a key that may not read events are those of the cache, and one warning', async () => {
    const stage = new Stage();
    stage.refusal = json({ errorMessage: 'Missing permission' }, 403);
    const client = stage.client();
    for (const _ of [1, 2, 3]) {
      expect(await contentOf(client)).toBe('Version 1');
      await settled();
    }
    expect(stage.reads).toHaveLength(1);
    expect(stage.opened).toHaveLength(1);
    expect(stage.lines).toEqual(['Prompts are not told of changes, and read again after maxAgeMs only: Missing permission']);
  });

  test('open nothing unless asked to, nor after they were closed', async () => {
    const stage = new Stage();
    const plain = stage.client({ livePrompts: false });
    await contentOf(plain);
    plain.close();
    const closed = stage.client();
    closed.close();
    expect(await contentOf(closed)).toBe('Version 1');
    expect(stage.opened).toEqual([]);
  });
});
