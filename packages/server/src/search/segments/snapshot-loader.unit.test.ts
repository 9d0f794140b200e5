import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Database } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import type { SearchIndexes } from '../indexes.ts';
import type { Request } from '../protocol.ts';
import type { ScopeSource } from '../scope-source.ts';
import { SnapshotLoader, sizeWithTail } from './snapshot-loader.ts';

const SEGMENTS = ['a', 'b', 'c', 'd'];

test('segments are read one at a time, each while the index takes in the one before it, and before its thread has started', async () => {
  const log: string[] = [];
  let reading = 0;
  const manifest = JSON.stringify({ segments: SEGMENTS.map((id) => ({ id, items: 1, bytes: 1 })), threads: [] });
  const db = {
    query: async (statement: Sql) => {
      if (!statement.text('sqlite').includes('search_pages')) return [{ workspaceId: 'w', scope: 's', number: 1, manifest }];
      reading++;
      expect(reading).toBe(1);
      log.push('read');
      await turn();
      reading--;
      return [];
    },
  };
  const opened = Promise.withResolvers<void>();
  const indexes = {
    ask: async ({ op }: Request) => {
      log.push(op);
      if (count(log, 'read') >= 2) opened.resolve();
      await opened.promise;
      if (op !== 'append') return undefined;
      // The index takes a while.
      for (let turns = 0; turns < 5; turns++) await turn();
      log.push('appended');
      return { size: 1, bytes: 1 };
    },
    limits: { scopeBytes: 1_000_000, tailBytes: 1_000_000 },
  };
  const loader = new SnapshotLoader(db as unknown as Database, indexes as unknown as SearchIndexes, pino({ level: 'silent' }));
  const source = { key: 's', workspaceId: 'w', profile: 'chunks', model: 'm', kept: { kind: 'chunk' } } as unknown as ScopeSource;
  expect(await loader.load(source, 's#1', async () => undefined, false)).toBeDefined();
  expect(count(log, 'append')).toBe(SEGMENTS.length);
  // By each moment: the next is read before the last is taken in, and no third one.
  const underWay = log.map((_, at) => count(log.slice(0, at + 1), 'read') - count(log.slice(0, at + 1), 'appended'));
  expect(Math.max(...underWay)).toBe(2);
});

const count = (log: readonly string[], what: string) => log.filter((one) => one === what).length;

test('a segment that can not be read fails the loading, and nothing is left unheard while the thread starts', async () => {
  const refused = new Error('refused');
  const manifest = JSON.stringify({ segments: [{ id: 'a', items: 1, bytes: 1 }], threads: [] });
  const db = {
    query: async (statement: Sql) => {
      if (statement.text('sqlite').includes('search_pages')) throw refused;
      return [{ workspaceId: 'w', scope: 's', number: 1, manifest }];
    },
  };
  // Its thread never starts.
  const indexes = { ask: () => new Promise(() => undefined), limits: { scopeBytes: 1_000_000, tailBytes: 1_000_000 } };
  const loader = new SnapshotLoader(db as unknown as Database, indexes as unknown as SearchIndexes, pino({ level: 'silent' }));
  const source = { key: 's', workspaceId: 'w', model: 'm' } as unknown as ScopeSource;
  await expect(loader.load(source, 's#1', async () => undefined, false)).rejects.toBe(refused);
});

test('a scope that was loaded has room for more, however much of it is in memory whole', () => {
  const limits = { scopeBytes: 1_000, tailBytes: 750, tailItems: 100 };
  for (const [size, pagedItems] of [
    [1_000, 1_000],
    [1_000, 950],
    [1_000, 10],
    [0, 0],
  ] as const) {
    const most = sizeWithTail({ size, bytes: 5_000 }, pagedItems, limits);
    expect(most.size).toBeGreaterThanOrEqual(size + 50);
    expect(most.bytes).toBe(5_750);
  }
});
