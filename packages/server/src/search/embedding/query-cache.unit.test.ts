import { expect, test } from 'vitest';
import { type Embedder, type EmbedOptions, RefusedText } from './embedder.ts';
import { QueryCache } from './query-cache.ts';

/** Remembers what it was asked; the vector of a text is its length. */
class CountingEmbedder implements Embedder {
  readonly model = 'counting';
  readonly dimensions = 1;
  readonly capacity = { texts: 8, calls: 1, isLocal: true };
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
  const cache = new QueryCache(inner, { entries: 2 });
  await cache.embed(['a'], query);
  await cache.embed(['bb'], query);
  await cache.embed(['a'], query);
  expect(inner.asked).toEqual([['a'], ['bb']]);
  await cache.embed(['ccc'], query); // pushes out "bb", which was used least recently
  await cache.embed(['a'], query);
  await cache.embed(['bb'], query);
  expect(inner.asked).toEqual([['a'], ['bb'], ['ccc'], ['bb']]);
  expect(cache.gauges()).toEqual({ inner: 1, cached_queries: 2, cached_query_bytes: 14, cache_hits_total: 2, cache_misses_total: 4 });
});

test('what is kept stays within its bytes, tokens and all, and nothing larger than that is kept', async () => {
  const inner: Embedder = Object.assign(new CountingEmbedder(), {
    embedWithTokens: async (texts: readonly string[]) =>
      texts.map((text) => ({
        vector: Float32Array.of(text.length),
        questionTokens: { words: [], starts: [], components: new Int8Array(text === 'page' ? 1_000 : 300) },
      })),
  });
  const cache = new QueryCache(inner, { bytes: 1_000 });
  const kept = async (text: string) => {
    await cache.embedWithTokens([text], query);
    const { cached_queries: count, cached_query_bytes: bytes } = cache.gauges();
    return [count, bytes];
  };
  expect([await kept('a'), await kept('b'), await kept('a'), await kept('c')]).toEqual([
    [1, 306],
    [2, 612],
    [2, 612],
    [3, 918],
  ]);
  expect(await kept('d')).toEqual([3, 918]);
  expect(await kept('page')).toEqual([0, 0]);
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

test('a query that is asked for while it is computed is computed once, in its own lane', async () => {
  const inner = new CountingEmbedder();
  const cache = new QueryCache(inner);
  const inLane = (lane: string) => cache.embed(['abc'], { ...query, lane }) as Promise<Float32Array[]>;
  const [one, other] = await Promise.all([inLane('one'), inLane('one'), inLane('another')]);
  expect(inner.asked).toEqual([['abc'], ['abc']]);
  expect(cache.gauges()).toMatchObject({ cache_hits_total: 1, cache_misses_total: 2 });
  one?.[0]?.fill(99);
  expect(other?.[0]?.[0]).toBe(3);
});

test('whoever waited for a query that failed asks for itself, and one that can be called back never waits for another', async () => {
  const inner = new CountingEmbedder();
  const failing = Promise.withResolvers<never>();
  const cache = new QueryCache(inner);
  const embed = inner.embed.bind(inner);
  inner.embed = async (texts) => {
    inner.asked.push([...texts]);
    inner.embed = embed;
    return failing.promise;
  };
  const first = cache.embed(['a'], query);
  const waiting = cache.embed(['a'], query);
  const { signal } = new AbortController();
  expect(await cache.embed(['a'], { ...query, signal })).toEqual([Float32Array.of(1)]);
  failing.reject(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  expect(await waiting).toEqual([Float32Array.of(1)]);
  expect(inner.asked).toEqual([['a'], ['a'], ['a']]);
});
