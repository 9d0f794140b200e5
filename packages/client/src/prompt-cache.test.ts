import { describe, expect, test } from 'vitest';
import { json, never, type Scripted, stubFetch } from '../test/stub-fetch.ts';
import { Commonplace } from './commonplace.ts';
import { PromptCache, type PromptReader } from './prompt-cache.ts';
import type { PromptVersion } from './types.ts';

const versionOf = (content: string) => ({ handle: 'support', type: 'text', content, version: 1 }) as PromptVersion;
const answer = (content: string, etag: string) => json(versionOf(content), 200, { etag });
const down = () => json({ errorMessage: 'Down' }, 503);
const reset = new TypeError('fetch failed');

function promptsOn(...script: Scripted[]) {
  const { fetch, sent } = stubFetch(...script);
  const { prompts } = new Commonplace({ baseUrl: 'http://service.test', accessKey: 'key', workspaceId: 'w', fetch, maxRetries: 0 });
  return { prompts, sent };
}

/** What was started in the background comes to its end. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a prompt', () => {
  test('is read once while it is fresh', async () => {
    const { prompts, sent } = promptsOn(answer('Hello {{name}}', '"1"'));
    for (const _ of [1, 2, 3]) expect((await prompts.get('support')).render({ name: 'Ada' })).toBe('Hello Ada');
    expect(sent.map(({ url }) => url.pathname)).toEqual(['/api/v1/workspaces/w/promptsByName/support']);
  });

  test('is read once by all who ask at the same time', async () => {
    const { prompts, sent } = promptsOn(answer('Hello', '"1"'));
    await Promise.all(Array.from({ length: 20 }, () => prompts.get('support')));
    expect(sent).toHaveLength(1);
  });

  test('is another one by another version', async () => {
    const { prompts, sent } = promptsOn(answer('Hello', '"1"'));
    for (const version of [undefined, 'latest', 'LATEST', 'production', 3, '3'])
      await prompts.get('support', version === undefined ? {} : { version });
    expect(sent.map(({ url }) => url.search)).toEqual(['', '?version=production', '?version=3']);
  });

  test('that is stale is served at once, and read again by its tag', async () => {
    const { prompts, sent } = promptsOn(answer('One', '"1"'), new Response(null, { status: 304 }), answer('Two', '"2"'));
    const get = async () => (await prompts.get('support', { maxAgeMs: 0 })).content;
    expect(await get()).toBe('One');
    expect(await get()).toBe('One');
    await settled();
    expect(await get()).toBe('One');
    await settled();
    expect(await get()).toBe('Two');
    expect(sent.slice(0, 3).map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"', '"1"']);
  });

  test('that is stale stays in use while the service is down', async () => {
    const { prompts, sent } = promptsOn(answer('One', '"1"'), reset);
    for (const _ of [1, 2, 3]) {
      expect((await prompts.get('support', { maxAgeMs: 0 })).content).toBe('One');
      await settled();
    }
    // After a failure it rests.
    expect(sent).toHaveLength(2);
  });

  test('that was deleted is used no more', async () => {
    const { prompts } = promptsOn(answer('One', '"1"'), json({ errorMessage: 'Prompt not found' }, 404));
    await prompts.get('support', { maxAgeMs: 0 });
    await prompts.get('support', { maxAgeMs: 0 });
    await settled();
    await expect(prompts.get('support', { fallback: 'x' })).rejects.toBeInstanceOf(Commonplace.NotFoundError);
  });

  test('is waited for no longer than the signal of one lets, and the others get it', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const { prompts } = promptsOn(() => promise);
    const controller = new AbortController();
    const impatient = prompts.get('support', { signal: controller.signal });
    const patient = prompts.get('support');
    controller.abort();
    await expect(impatient).rejects.toBeInstanceOf(Commonplace.APIUserAbortError);
    resolve(answer('One', '"1"'));
    expect((await patient).content).toBe('One');
  });
});

describe('a fallback', () => {
  test.for([
    ['connection', reset],
    ['503', down()],
  ] as const)('is used when the service is down (%s), at once the next time', async ([, failure]) => {
    const { prompts, sent } = promptsOn(failure);
    for (const _ of [1, 2, 3]) {
      const prompt = await prompts.get('support', { fallback: 'You are helpful.' });
      expect([prompt.isFallback, prompt.render({ name: 'Ada' })]).toEqual([true, 'You are helpful.']);
      await settled();
    }
    expect(sent).toHaveLength(1);
  });

  test('is not waited for, whatever it is that gets no answer', async () => {
    const silent = new Commonplace({ baseUrl: 'http://service.test', accessKey: 'key', fetch: stubFetch(never).fetch });
    const prompt = await silent.prompts.get('support', { fallback: 'You are helpful.', timeoutMs: 1 });
    expect(prompt.isFallback).toBe(true);
  });

  test('gives way to the prompt once that is there', async () => {
    let isDown = true;
    const { prompts } = promptsOn(() => (isDown ? down() : answer('Hello', '"1"')));
    expect((await prompts.get('support', { fallback: 'x' })).isFallback).toBe(true);
    isDown = false;
    expect((await prompts.get('support')).content).toBe('Hello');
    expect((await prompts.get('support', { fallback: 'x' })).content).toBe('Hello');
  });

  test.for([400, 401, 403, 404])('does not hide a mistake: %i', async (status) => {
    const { prompts } = promptsOn(json({ errorMessage: 'No' }, status));
    await expect(prompts.get('support', { fallback: 'x' })).rejects.toMatchObject({ status });
  });

  test('may be a chat', async () => {
    const { prompts } = promptsOn(down());
    const prompt = await prompts.get('support', { fallback: [{ role: 'system', content: 'Help {{name}}.' }] });
    expect(prompt.renderMessages({ name: 'Ada' })).toEqual([{ role: 'system', content: 'Help Ada.' }]);
    expect(() => prompt.render({ name: 'Ada' })).toThrow('support is a chat prompt: use renderMessages');
  });

  test('that lacks a value says so', async () => {
    const { prompts } = promptsOn(down());
    const prompt = await prompts.get('support', { fallback: 'Help {{name}}.' });
    expect(() => prompt.render()).toThrow('missing: name');
  });
});

describe('the cache', () => {
  const reader = (content: string, reads: string[] = []): PromptReader => ({
    scope: 'w',
    maxAgeMs: 60_000,
    waitMs: 2_000,
    hasFallback: false,
    isDown: () => true,
    read: async (etag) => {
      reads.push(etag ?? 'none');
      return { version: versionOf(content), etag: '"1"' };
    },
  });

  test('keeps the 500 that were used last', async () => {
    const cache = new PromptCache();
    const reads: string[] = [];
    for (let index = 0; index < 500; index++) await cache.get(String(index), reader('x', reads), undefined);
    await cache.get('0', reader('x', reads), undefined);
    await cache.get('500', reader('x', reads), undefined);
    expect([cache.size, reads.length]).toEqual([500, 501]);
    await cache.get('0', reader('x', reads), undefined);
    expect(reads).toHaveLength(501);
    await cache.get('1', reader('x', reads), undefined);
    expect(reads).toHaveLength(502);
  });

  test('keeps no more than 8,000,000 characters', async () => {
    const cache = new PromptCache();
    for (let index = 0; index < 20; index++) await cache.get(String(index), reader('x'.repeat(1_000_000)), undefined);
    expect(cache.size).toBe(8);
    for (let index = 0; index < 100; index++) await cache.get(`small ${index}`, reader('x'), undefined);
    expect(cache.size).toBe(107);
  });
});
