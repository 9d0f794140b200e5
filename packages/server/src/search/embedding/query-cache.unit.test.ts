import { expect, test } from 'vitest';
import { type Embedder, type EmbedOptions, RefusedText } from './embedder.ts';
import { QueryCache } from './query-cache.ts';

/** Remembers what it was asked; the vector of a text is its length. */
class CountingEmbedder implements Embedder {
  readonly model = 'counting';
  readonly dimensions = 1;
  readonly asked: string[][] = [];
  closed = false;
  async embed(texts: readonly string[], _options?: EmbedOptions): Promise<(Float32Array | RefusedText)[]> {
    this.asked.push([...texts]);
    return texts.map((text) => (text === 'bad' ? new RefusedText('no') : Float32Array.of(text.length)));
  }
  async ready(): Promise<void> {}
  gauges(): Record<string, number> {
    return { inner: 1 };
  }
  async close(): Promise<void> {
    this.closed = true;
  }
}

const query = { priority: 'query' } as const;

test('a query is computed once, and again once it was pushed out', async () => {
  const inner = new CountingEmbedder();
  const cache = new QueryCache(inner, 2);
  await cache.embed(['a'], query);
  await cache.embed(['bb'], query);
  await cache.embed(['a'], query);
  expect(inner.asked).toEqual([['a'], ['bb']]);
  await cache.embed(['ccc'], query); // pushes out "bb", which was used least recently
  await cache.embed(['a'], query);
  await cache.embed(['bb'], query);
  expect(inner.asked).toEqual([['a'], ['bb'], ['ccc'], ['bb']]);
  expect(cache.gauges()).toEqual({ inner: 1, cached_queries: 2, cache_hits_total: 2, cache_misses_total: 4 });
});

test('a call of known, unknown and repeated texts asks for each unknown one once and keeps the order', async () => {
  const inner = new CountingEmbedder();
  const cache = new QueryCache(inner);
  await cache.embed(['a'], query);
  const vectors = (await cache.embed(['ccc', 'a', 'bb', 'ccc'], query)) as Float32Array[];
  expect(vectors.map(([length]) => length)).toEqual([3, 1, 2, 3]);
  expect(inner.asked).toEqual([['a'], ['ccc', 'bb']]);
});

test('background texts and very long ones are not kept', async () => {
  const inner = new CountingEmbedder();
  const cache = new QueryCache(inner);
  await cache.embed(['a']);
  await cache.embed(['x'.repeat(2_001)], query);
  expect(cache.gauges()).toMatchObject({ cached_queries: 0 });
});

test('a refusal is passed on and not kept', async () => {
  const inner = new CountingEmbedder();
  const cache = new QueryCache(inner);
  expect(await cache.embed(['bad', 'a'], query)).toEqual([new RefusedText('no'), Float32Array.of(1)]);
  await cache.embed(['bad', 'a'], query);
  expect(inner.asked).toEqual([['bad', 'a'], ['bad']]);
});

test('what a caller does to a vector is its own affair', async () => {
  const cache = new QueryCache(new CountingEmbedder());
  for (const spoiler of [1, 2]) {
    const [vector] = (await cache.embed(['abc'], query)) as Float32Array[];
    expect([spoiler, vector?.[0]]).toEqual([spoiler, 3]);
    vector?.fill(99);
  }
});

test('an aborted query is not answered from the cache, and closing closes what is inside', async () => {
  const inner = new CountingEmbedder();
  const cache = new QueryCache(inner);
  await cache.embed(['a'], query);
  await expect(cache.embed(['a'], { ...query, signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
  await cache.close();
  expect(inner.closed).toBe(true);
  expect(cache.gauges()).toMatchObject({ cached_queries: 0 });
});
