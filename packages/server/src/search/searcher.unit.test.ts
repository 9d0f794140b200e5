/** The index of a scope and its source, held against each other while the source changes. */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { type Embedder, RefusedText } from './embedding/embedder.ts';
import { SearchIndexes } from './indexes.ts';
import type { VersionedItem } from './protocol.ts';
import { type ItemPage, type ItemPlace, PAGE_ITEMS, type ScopeSource } from './scope-source.ts';
import { Searcher } from './searcher.ts';

const log = pino({ level: 'silent' });

/** Vectors of letters: alike where the texts are. Texts that hold a word of `held` wait until it is let go. */
class FakeEmbedder implements Embedder {
  readonly model = 'fake';
  readonly dimensions = 32;
  readonly capacity = { texts: 8, calls: 1, isLocal: true };
  readonly embedded: string[] = [];
  isDown = false;
  /** Texts with this word are not taken. */
  refuses: string | undefined;
  readonly #held = new Map<string, { asked: () => void; released: Promise<void> }>();

  /** Resolves when a text with this word is asked for; `release` lets it go on. */
  hold(word: string): { asked: Promise<void>; release: () => void } {
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.#held.set(word, { asked: asked.resolve, released: released.promise });
    const release = () => {
      this.#held.delete(word);
      released.resolve();
    };
    return { asked: asked.promise, release };
  }

  async embed(texts: readonly string[]): Promise<(Float32Array | RefusedText)[]> {
    if (this.isDown) throw new Error('down');
    for (const [word, { asked, released }] of this.#held) {
      if (!texts.some((text) => text.includes(word))) continue;
      asked();
      await released;
    }
    this.embedded.push(...texts);
    return texts.map((text) => {
      if (this.refuses && text.includes(this.refuses)) return new RefusedText('no');
      const vector = new Float32Array(this.dimensions).fill(0.01);
      for (const character of text.toLowerCase()) {
        const at = character.charCodeAt(0) % this.dimensions;
        vector[at] = (vector[at] as number) + 1;
      }
      const length = Math.hypot(...vector);
      return vector.map((value) => value / length);
    });
  }
  async ready(): Promise<void> {}
  gauges(): Record<string, number> {
    return {};
  }
  async close(): Promise<void> {}
}

interface Row {
  id: string;
  thread: string;
  text: string;
  version: number;
  vector?: Uint8Array;
}

/** Rows of sessions as the database would give them. */
class FakeSource implements ScopeSource {
  readonly key: string;
  readonly workspaceId: string;
  readonly profile = 'memories';
  readonly model = 'fake';
  readonly rows = new Map<string, Row>();
  readonly edits = new Map<string, number>();
  /** By thread and number of its edits, where it tells what changed. */
  readonly changes = new Map<string, string>();
  tellsChanges = false;
  readonly tags = new Map<string, string>();
  readonly asked = { marker: 0, threads: 0, listing: 0, itemsAfter: 0, items: 0, textsToEmbed: 0, changed: 0, vectors: 0 };
  /** Characters of a page. */
  pageSize = Number.POSITIVE_INFINITY;
  /** Runs once, after the next answer to this question. */
  afterNext: { of: keyof FakeSource['asked']; run: () => void } | undefined;
  /** Nothing is read beyond it. */
  gate: Promise<void> | undefined;
  #marker = 0;

  constructor(key: string, workspaceId = 'w') {
    this.key = key;
    this.workspaceId = workspaceId;
  }

  put(id: string, text: string, thread = 's'): void {
    const before = this.rows.get(id);
    if (before) this.#edit(thread, id);
    this.rows.set(id, { id, thread, text, version: (before?.version ?? 0) + 1 });
    this.#marker++;
  }
  delete(id: string): void {
    const { thread } = this.rows.get(id) as Row;
    this.rows.delete(id);
    this.#edit(thread, id);
    this.#marker++;
  }
  #edit(thread: string, id: string): void {
    const edits = (this.edits.get(thread) ?? 0) + 1;
    this.edits.set(thread, edits);
    this.changes.set(`${thread} ${edits}`, id);
  }
  /** As the background stores a vector: nothing else moves. */
  setVector(id: string, vector: Uint8Array): void {
    (this.rows.get(id) as Row).vector = vector;
  }
  tag(thread: string, tag: string): void {
    this.tags.set(thread, tag);
    this.#marker++;
  }

  async missingVectors(): Promise<number> {
    return [...this.rows.values()].filter(({ vector }) => !vector).length;
  }
  async marker(): Promise<string> {
    return this.#answer('marker', String(this.#marker));
  }
  async threads() {
    const threads = Map.groupBy(this.rows.values(), ({ thread }) => thread);
    const states = [...threads].map(([thread, rows]) => ({
      thread,
      count: rows.length,
      edits: String(this.edits.get(thread) ?? 0),
      shared: this.tags.get(thread) ?? '',
    }));
    return this.#answer('threads', states);
  }
  async listing(thread: string) {
    return this.#answer(
      'listing',
      this.#of([thread]).map(({ id, version }) => ({ id, version })),
    );
  }
  async versions(thread: string, ids: readonly string[]) {
    return this.#of([thread]).filter(({ id }) => ids.includes(id));
  }
  async itemsAfter(threads: readonly string[], after: ItemPlace | undefined) {
    await this.gate;
    const later = this.#of(threads).filter(
      ({ thread, id }) => !after || thread > after.thread || (thread === after.thread && id > after.id),
    );
    return this.#answer('itemsAfter', this.#page(later));
  }
  async changed(thread: string, after: string, upTo: string) {
    const ids: string[] = [];
    for (let edits = Number(after) + 1; edits <= Number(upTo); edits++) ids.push(this.changes.get(`${thread} ${edits}`) as string);
    return this.#answer('changed', this.tellsChanges ? ids : undefined);
  }
  async items(thread: string, ids: readonly string[]) {
    return this.#answer('items', this.#page(this.#of([thread]).filter(({ id }) => ids.includes(id))));
  }
  async vectors(places: readonly ItemPlace[]) {
    const found = places.flatMap(({ id }) => {
      const vector = this.rows.get(id)?.vector;
      return vector ? [[id, vector] as const] : [];
    });
    return this.#answer('vectors', found);
  }
  async textsToEmbed(thread: string, ids: readonly string[]) {
    return this.#answer(
      'textsToEmbed',
      this.#of([thread]).filter(({ id }) => ids.includes(id)),
    );
  }

  #page(all: VersionedItem[]): ItemPage {
    let size = 0;
    const fitting = all.filter(({ text }) => {
      size += text.length;
      return size - text.length < this.pageSize;
    });
    const items = fitting.slice(0, PAGE_ITEMS);
    return { items, isLast: items.length === all.length };
  }
  #of(threads: readonly string[]): VersionedItem[] {
    return [...this.rows.values()]
      .filter(({ thread }) => threads.includes(thread))
      .sort((a, b) => (a.thread < b.thread || (a.thread === b.thread && a.id < b.id) ? -1 : 1))
      .map(({ vector, ...row }) => ({
        ...row,
        order: row.id,
        tags: [`tag:${this.tags.get(row.thread) ?? ''}`],
        ...(vector && { vector }),
      }));
  }
  #answer<T>(of: keyof FakeSource['asked'], answer: T): T {
    this.asked[of]++;
    if (this.afterNext?.of === of) {
      const { run } = this.afterNext;
      this.afterNext = undefined;
      run();
    }
    return answer;
  }
}

function setUp({ memoryBytes = 64 * 1024 * 1024 } = {}) {
  const embedder = new FakeEmbedder();
  const indexes = new SearchIndexes(log, { memoryBytes, threads: 1 });
  const searcher = new Searcher(embedder, indexes, log);
  onTestFinished(() => searcher.close());
  const found = async (source: ScopeSource, text: string, more: object = {}) =>
    (await searcher.searchSource(source, { text, limit: 100, ...more })).map(({ id }) => id);
  /** By its own words. */
  const foundByWords = async (source: ScopeSource, text: string) => {
    const hits = await searcher.searchSource(source, { text, limit: 100, explain: true });
    return hits.filter(({ explain }) => (explain?.lexical ?? 0) > 0).map(({ id }) => id);
  };
  return { embedder, indexes, searcher, found, foundByWords };
}

test('nothing changed: one look at the marker, and no row is read', async () => {
  const { found } = setUp();
  const source = new FakeSource('a');
  source.put('1', 'kettle');
  await found(source, 'kettle');
  const before = { ...source.asked };
  expect(await found(source, 'kettle')).toEqual(['1']);
  expect(source.asked).toEqual({ ...before, marker: before.marker + 1 });
});

test('searches that come at once look at the marker once more together, and each finds what was there before it', async () => {
  const { found } = setUp();
  const source = new FakeSource('a');
  source.put('1', 'kettle');
  await found(source, 'kettle');
  const before = { ...source.asked };
  // While the first of them looks, another item comes, and then the others.
  let others: Promise<string[][]> | undefined;
  source.afterNext = {
    of: 'marker',
    run: () => {
      source.put('2', 'kettle');
      others = Promise.all(Array.from({ length: 7 }, () => found(source, 'kettle')));
    },
  };
  expect(await found(source, 'kettle')).toContain('1');
  for (const hits of (await others) ?? []) expect(hits.toSorted()).toEqual(['1', '2']);
  expect(await others).toHaveLength(7);
  // The first; those that came meanwhile; and once more, since something was added.
  expect(source.asked.marker - before.marker).toBeLessThanOrEqual(3);
  expect(source.asked.itemsAfter - before.itemsAfter).toBe(1);
});

test('a failure of a look that several wait for fails one of them, and the others look again', async () => {
  const { found } = setUp();
  const source = new FakeSource('a');
  source.put('1', 'kettle');
  await found(source, 'kettle');
  source.afterNext = {
    of: 'marker',
    run: () => {
      throw new Error('the database is gone');
    },
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => found(source, 'kettle')));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') expect(outcome.value).toEqual(['1']);
});

test('what was added is read from where the last search stopped; an edit or deletion is compared', async () => {
  const { found, foundByWords } = setUp();
  const source = new FakeSource('a');
  source.put('1', 'kettle');
  await found(source, 'kettle');
  source.put('2', 'samovar');
  expect(await foundByWords(source, 'samovar')).toEqual(['2']);
  expect(source.asked).toMatchObject({ itemsAfter: 2, listing: 0 });
  source.put('1', 'teapot');
  expect(await foundByWords(source, 'kettle')).toEqual([]);
  expect(await foundByWords(source, 'teapot')).toEqual(['1']);
  expect(source.asked).toMatchObject({ itemsAfter: 2, listing: 1 });
  source.delete('2');
  expect(await foundByWords(source, 'samovar')).toEqual([]);
  // Put before those that are known, as an imported history is.
  source.put('0', 'urn');
  expect(await foundByWords(source, 'urn')).toEqual(['0']);
});

test('where the source tells what changed, nothing else is read, and no list', async () => {
  const { foundByWords } = setUp();
  const source = new FakeSource('a');
  source.tellsChanges = true;
  for (let n = 0; n < 20; n++) source.put(String(100 + n), `kettle k${n}x`);
  expect(await foundByWords(source, 'kettle')).toHaveLength(20);
  source.put('103', 'samovar');
  source.delete('104');
  source.put('120', 'kettle late');
  expect(await foundByWords(source, 'samovar')).toEqual(['103']);
  expect(await foundByWords(source, 'kettle')).toHaveLength(19);
  expect(source.asked).toMatchObject({ listing: 0, items: 1 });
  // One that was put between the known is found all the same.
  source.put('1005', 'kettle k5past');
  source.put('105', 'teapot');
  expect(await foundByWords(source, 'k5past')).toEqual(['1005']);
  expect(await foundByWords(source, 'teapot')).toEqual(['105']);
  expect(source.asked.listing).toBe(1);
});

test.for([false, true])(
  'what comes while a scope is read is there at the next search, whether changes are told or not (%s)',
  async (tellsChanges) => {
    const { found, foundByWords } = setUp();
    for (const read of ['marker', 'threads', 'itemsAfter', 'listing', 'items', 'changed'] as const) {
      if (read === 'listing' && tellsChanges) continue;
      for (const change of ['add', 'add before', 'edit', 'delete'] as const) {
        const source = new FakeSource(`${change} after ${read}`);
        source.tellsChanges = tellsChanges;
        source.put('10', 'kettle');
        source.put('20', 'samovar');
        const changed = () => {
          if (change === 'add') source.put('30', 'urn');
          if (change === 'add before') source.put('05', 'urn');
          if (change === 'edit') source.put('10', 'urn');
          if (change === 'delete') source.delete('10');
        };
        if (read === 'itemsAfter' || read === 'listing' || read === 'items' || read === 'changed') {
          await found(source, 'kettle');
          source.put('25', 'pot');
          if (read !== 'itemsAfter') source.put('20', 'can');
        }
        source.afterNext = { of: read, run: changed };
        await found(source, 'kettle');
        expect(source.afterNext, `${read} was asked`).toBeUndefined();
        const expected = [...source.rows.values()];
        for (const { id, text } of expected) expect(await foundByWords(source, text), `${change} after ${read}: ${text}`).toEqual([id]);
        if (change !== 'add' && change !== 'add before')
          expect(await foundByWords(source, 'kettle'), `${change} after ${read}`).toEqual([]);
      }
    }
  },
);

test('two that come at once, one of them between the known: both are found by the search after their acknowledgement', async () => {
  const { found, foundByWords } = setUp();
  const source = new FakeSource('a');
  source.put('10', 'kettle');
  await found(source, 'kettle');
  source.put('05', 'urn');
  source.put('20', 'samovar');
  // The count says three; the third that is read is another one, which came meanwhile.
  source.afterNext = { of: 'threads', run: () => source.put('30', 'pot') };
  expect(await foundByWords(source, 'urn')).toEqual(['05']);
});

test('a vector that is late neither brings back a deleted text nor an old one', async () => {
  const { embedder, found, foundByWords } = setUp();
  const source = new FakeSource('a');
  for (const id of ['1', '2', '3', '4']) source.put(id, `slow${id} text`);
  const held = embedder.hold('slow1');
  const slow = found(source, 'something');
  await held.asked;
  source.put('1', 'edited');
  source.delete('2');
  expect(await foundByWords(source, 'edited')).toEqual(['1']);
  held.release();
  await slow;
  expect(await foundByWords(source, 'slow1')).toEqual([]);
  expect(await foundByWords(source, 'edited')).toEqual(['1']);
  expect((await found(source, 'slow2 text')).includes('2')).toBe(false);
  expect(await foundByWords(source, 'slow3')).toEqual(['3']);
});

test('what all items of a session share, and changed, is found by the new and not by the old', async () => {
  const { found } = setUp();
  const source = new FakeSource('a');
  source.tag('s', 'red');
  source.tag('t', 'red');
  for (let index = 0; index < 5; index++) {
    source.put(`1${index}`, 'kettle', 's');
    source.put(`2${index}`, 'kettle', 't');
  }
  const tagged = async (tag: string) => (await found(source, 'kettle', { filter: { allOf: [`tag:${tag}`] } })).length;
  expect([await tagged('red'), await tagged('blue')]).toEqual([10, 0]);
  source.tag('s', 'blue');
  expect([await tagged('red'), await tagged('blue')]).toEqual([5, 5]);
  source.put('16', 'kettle', 's');
  expect([await tagged('red'), await tagged('blue')]).toEqual([5, 6]);
});

test('of many texts without a vector the newest are embedded first, and the rest is found by words until the background comes to it', async () => {
  const { embedder, searcher } = setUp();
  const source = new FakeSource('a');
  for (let index = 0; index < 1_500; index++) source.put(String(index).padStart(5, '0'), `text${index}`);
  const withVector = async () => {
    const hits = await searcher.searchSource(source, { text: 'question', limit: 2_000, explain: true });
    return hits.filter(({ explain }) => (explain?.vector ?? 0) > 0).length;
  };
  await withVector();
  expect(embedder.embedded.filter((text) => text.startsWith('text')).toSorted()).toEqual(
    Array.from({ length: 64 }, (_, index) => `text${1_436 + index}`).toSorted(),
  );
  // The background embeds all of them, the oldest first; one search brings them in.
  const vector = new Uint8Array(4 + embedder.dimensions).fill(1);
  new DataView(vector.buffer).setFloat32(0, 1 / 127, true);
  for (const { id } of source.rows.values()) source.setVector(id, vector);
  const asked = embedder.embedded.length;
  await withVector();
  const before = { ...source.asked };
  await withVector();
  expect(source.asked.textsToEmbed, 'nothing is left without a vector').toBe(before.textsToEmbed);
  expect(embedder.embedded.slice(asked).filter((text) => text.startsWith('text'))).toEqual([]);
});

test('without a model the search goes by words, and says so', async () => {
  const { embedder, searcher, found } = setUp();
  const source = new FakeSource('a');
  source.put('1', 'kettle');
  source.put('2', 'samovar');
  embedder.isDown = true;
  expect(await found(source, 'kettle')).toEqual(['1']);
  expect(searcher.isWordsOnly).toBe(true);
  expect(await searcher.gauges()).toMatchObject({ words_only_total: 1 });
  embedder.isDown = false;
  const [hit] = await searcher.searchSource(source, { text: 'kettle', limit: 1, explain: true });
  expect(hit?.explain?.vector).toBeGreaterThan(0);
  expect(searcher.isWordsOnly).toBe(false);
});

const WORDS = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');

test('scopes that do not fit together make room for each other, and every answer stays complete', async () => {
  const { indexes, found } = setUp({ memoryBytes: 1024 * 1024 });
  const sources = Array.from({ length: 6 }, (_, scope) => {
    const source = new FakeSource(`scope ${scope}`);
    for (let index = 0; index < 50; index++) source.put(String(index).padStart(3, '0'), `own${scope} ${WORDS} ${index}`);
    return source;
  });
  for (let round = 0; round < 2; round++) {
    for (const source of sources) expect((await found(source, 'word7')).length, source.key).toBe(50);
  }
  const { scopes, bytes } = await indexes.gauges();
  expect(scopes).toBeLessThan(sources.length);
  expect(bytes).toBeLessThan(2 * 1024 * 1024);
  // At once, they push each other out while they are being loaded.
  const answers = await Promise.all([...sources, ...sources].map((source) => found(source, 'word7')));
  expect(answers.map(({ length }) => length)).toEqual(answers.map(() => 50));
});

test('a scope larger than all of the memory is still searched, alone and beside others', async () => {
  const { found } = setUp({ memoryBytes: 10_000 });
  const sources = Array.from({ length: 4 }, (_, scope) => {
    const source = new FakeSource(`scope ${scope}`);
    for (let index = 0; index < 20; index++) source.put(String(index).padStart(3, '0'), `${WORDS} ${index}`);
    return source;
  });
  const answers = await Promise.all(sources.map((source) => found(source, 'word7')));
  expect(answers.map(({ length }) => length)).toEqual([20, 20, 20, 20]);
});

test('a search that is overtaken by another loading of its scope does not answer from half of it', async () => {
  const { embedder, found } = setUp({ memoryBytes: 10_000 });
  const [source, other] = [new FakeSource('a'), new FakeSource('b')];
  for (let index = 0; index < 2_500; index++) source.put(String(index).padStart(5, '0'), 'kettle');
  other.put('1', 'kettle');
  const held = embedder.hold('waiting');
  const overtaken = found(source, 'waiting kettle', { limit: 5_000 });
  await held.asked;
  await found(other, 'kettle');
  const gate = Promise.withResolvers<void>();
  const halfway = new Promise<void>((resolve) => {
    const run = () => {
      source.gate = gate.promise;
      resolve();
    };
    source.afterNext = { of: 'itemsAfter', run };
  });
  const overtaking = found(source, 'kettle', { limit: 5_000 });
  await halfway;
  held.release();
  setTimeout(gate.resolve, 200);
  expect((await overtaken).length).toBe(2_500);
  expect((await overtaking).length).toBe(2_500);
});

test('a failure of the source fails that search, and the next one is whole', async () => {
  const { found } = setUp();
  const source = new FakeSource('a');
  source.put('1', 'kettle');
  source.afterNext = {
    of: 'itemsAfter',
    run: () => {
      throw new Error('the database is gone');
    },
  };
  await expect(found(source, 'kettle')).rejects.toThrow('the database is gone');
  expect(await found(source, 'kettle')).toEqual(['1']);
});

test('a thread of indexes that ended is started anew, and the scope is loaded again', async () => {
  const { found } = setUp();
  const source = new FakeSource('a');
  source.put('1', 'kettle');
  const started = once(process, 'worker');
  expect(await found(source, 'kettle')).toEqual(['1']);
  await ((await started)[0] as Worker).terminate();
  expect(await found(source, 'kettle')).toEqual(['1']);
  expect(source.asked.itemsAfter).toBe(2);
});

test('items are read in pages by size, each once, whatever the threads', async () => {
  const { found } = setUp();
  const source = new FakeSource('a');
  for (let index = 0; index < 60; index++) source.put(String(index).padStart(3, '0'), `kettle ${'x'.repeat(100)}`, `s${index % 7}`);
  source.pageSize = 250;
  expect(await found(source, 'kettle')).toHaveLength(60);
  expect(source.asked.itemsAfter).toBeGreaterThanOrEqual(20);
  for (const id of ['003', '010', '017', '024']) source.put(id, `samovar ${'y'.repeat(200)}`, 's3');
  const before = source.asked.items;
  expect((await found(source, 'samovar')).toSorted()).toEqual(expect.arrayContaining(['003', '010', '017', '024']));
  expect(source.asked.items - before).toBeGreaterThanOrEqual(2);
});

test('one workspace searches so much at a time and no more; another does not wait for it', async () => {
  const { embedder, searcher, found } = setUp();
  const [source, other] = [new FakeSource('a', 'busy'), new FakeSource('b', 'calm')];
  source.put('1', 'kettle');
  other.put('1', 'samovar');
  await found(source, 'kettle');
  const held = embedder.hold('waiting');
  const outcomes = Array.from({ length: 250 }, (_, index) => found(source, `waiting kettle ${index}`).catch((error: unknown) => error));
  await held.asked;
  expect(await found(other, 'samovar')).toEqual(['1']);
  const refused = (await Promise.all(outcomes.slice(208))) as unknown[];
  for (const error of refused) expect(error).toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 1 });
  expect((await searcher.gauges()).waiting_searches).toBe(200);
  held.release();
  for (const answer of await Promise.all(outcomes.slice(0, 208))) expect(answer).toEqual(['1']);
});

test('the thread of the indexes answers one workspace while it takes in what another has loaded, and each in its own order', async () => {
  const { indexes } = setUp({ memoryBytes: 512 * 1024 * 1024 });
  const items = (text: string, count: number) =>
    Array.from({ length: count }, (_, index): VersionedItem => {
      const id = String(index).padStart(6, '0');
      return { id, order: id, thread: 't', version: 1, text: `${text} own${index}`, tags: [] };
    });
  for (const [scope, workspaceId] of [
    ['large', 'one'],
    ['small', 'two'],
  ] as const) {
    await indexes.ask<'open'>({ op: 'open', scope, workspaceId, profile: 'memories' });
  }
  await indexes.ask<'upsert'>({ op: 'upsert', scope: 'small', items: items('kettle', 1) });
  const answered: string[] = [];
  const search = async (scope: string, text: string) => {
    const answer = await indexes.ask<'search'>({ op: 'search', scope, query: { text, limit: 1 } });
    answered.push(scope);
    return answer && 'hits' in answer ? answer.hits : [];
  };
  const upserting = indexes
    .ask<'upsert'>({ op: 'upsert', scope: 'large', items: items(WORDS, 1_500) })
    .then(() => answered.push('taken in'));
  const [, inLarge, inSmall] = await Promise.all([upserting, search('large', 'own1499'), search('small', 'kettle')]);
  expect(answered).toEqual(['small', 'taken in', 'large']);
  expect([inLarge?.[0]?.id, inSmall?.[0]?.id]).toEqual(['001499', '000000']);
});

test('a text that the model does not take is asked for once, and found by its words', async () => {
  const { embedder, found, foundByWords } = setUp();
  const source = new FakeSource('a');
  source.put('1', 'refused kettle');
  source.put('2', 'samovar');
  embedder.refuses = 'refused';
  expect(await foundByWords(source, 'kettle')).toEqual(['1']);
  await found(source, 'samovar');
  await found(source, 'something else');
  expect(embedder.embedded.filter((text) => text.startsWith('refused'))).toEqual(['refused kettle']);
  // Edited, it has another chance.
  source.put('1', 'a good kettle');
  await found(source, 'kettle');
  expect(embedder.embedded).toContain('a good kettle');
});

test('a thread that takes the place of another is there before the other goes: a search beside it finds one of them', async () => {
  const { embedder, found } = setUp();
  const source = new FakeSource('a');
  source.put('1', 'kettle', 'former');
  await found(source, 'kettle');
  const { asked, release } = embedder.hold('samovar');
  const beside = found(source, 'kettle samovar');
  await asked;
  source.delete('1');
  source.put('2', 'kettle', 'latter');
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const read = source.itemsAfter.bind(source);
  source.itemsAfter = async (...places) => {
    reached.resolve();
    await gate.promise;
    return read(...places);
  };
  const later = found(source, 'kettle');
  await reached.promise;
  release();
  expect(await beside).toEqual(['1']);
  gate.resolve();
  expect(await later).toEqual(['2']);
});

test('what is moved to another thread between counting and reading is found by the search that counted it', async () => {
  const { found } = setUp();
  const moveAfterCounting = (source: FakeSource) => {
    const run = () => {
      source.delete('1');
      source.put('2', 'kettle', 'latter');
    };
    source.afterNext = { of: 'threads', run };
  };
  const fresh = new FakeSource('fresh');
  fresh.put('1', 'kettle', 'former');
  moveAfterCounting(fresh);
  expect(await found(fresh, 'kettle')).toEqual(['2']);

  const known = new FakeSource('known');
  known.put('1', 'kettle', 'former');
  await found(known, 'kettle');
  known.put('1', 'kettle anew', 'former');
  moveAfterCounting(known);
  expect(await found(known, 'kettle')).toEqual(['2']);
});
