import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../test/database.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { WorkerUnavailable } from '../db/errors.ts';
import { newId } from '../db/ids.ts';
import { readMigrations } from '../db/migrate.ts';
import { openPostgres } from '../db/postgres/engine.ts';
import { type Sql, sql } from '../db/sql.ts';
import { openSqlite } from '../db/sqlite/engine.ts';
import { retryDelayMs } from './backoff.ts';
import { countJobs } from './counting.ts';
import { every, JobCancelled, type JobHandler, JobInterrupted, JobUnfinished } from './job-handler.ts';
import { JobRunner, type JobRunnerOptions } from './job-runner.ts';
import { extendLeases, takeBackLapsed } from './leases.ts';
import { claim, dropFailedJobs, enqueue, type Job, messageOf, type NewJob, PERIODIC_KEY } from './queue.ts';
import { complete, fail, release } from './settling.ts';

/** Stands still until it is moved. */
class StillClock implements Clock {
  #nowMs = Date.parse('2026-11-15T12:00:00.000Z');
  nowMs(): number {
    return this.#nowMs;
  }
  monotonicMs(): number {
    return this.#nowMs;
  }
  advance(ms: number): void {
    this.#nowMs += ms;
  }
}

interface StoredJob {
  id: string;
  state: string;
  attempts: number;
  runAt: string;
  lastError: string | null;
  failedAt: string | null;
}

const log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
const MINUTE_MS = 60_000;
let db: Database;
let cleanUp: () => Promise<void>;
let clock: StillClock;

beforeAll(async () => {
  const [foundation] = await readMigrations(inject('engine'));
  const script = foundation?.script ?? '';
  if (inject('engine') === 'sqlite') {
    const dataDir = await mkdtemp(join(tmpdir(), 'commonplace-jobs-'));
    const sqlite = await openSqlite({ dataDir });
    await sqlite.migrate(script, sql`select 1`);
    db = sqlite;
    cleanUp = () => rm(dataDir, { recursive: true });
  } else {
    const { url, drop } = await createTestDatabase();
    const postgres = await openPostgres({ url, poolSize: 12 });
    await postgres.exclusively(() => postgres.migrate(script, sql`select 1`));
    db = postgres;
    cleanUp = drop;
  }
});

afterAll(async () => {
  await db?.close();
  await cleanUp?.();
});

beforeEach(async () => {
  clock = new StillClock();
  await db.run(sql`delete from jobs`);
});

const putAll = (jobs: readonly Partial<NewJob>[]) =>
  db.batch(jobs.map((job) => enqueue({ kind: 'work', workspaceId: null, payload: {}, ...job }, clock.nowMs())));

const put = (job: Partial<NewJob> = {}, ...more: Partial<NewJob>[]) => putAll([job, ...more]);

const take = (limit = 100, leaseMs = MINUTE_MS, kinds: readonly string[] = ['work']) =>
  claim(db, { kinds: kinds.map((kind) => ({ kind, leaseMs })), owner: newId(), limit, nowMs: clock.nowMs() });

async function takeOne(): Promise<Job> {
  const jobs = await take();
  expect(jobs).toHaveLength(1);
  return jobs[0] as Job;
}

const stored = (): Promise<StoredJob[]> =>
  db.query(sql<StoredJob>`
    select id, state, attempts, run_at as "runAt", last_error as "lastError", failed_at as "failedAt" from jobs order by created_at, id`);

const takeBack = (maxAttempts = 3) => takeBackLapsed(db, { maxAttempts: { work: maxAttempts }, nowMs: clock.nowMs() });

const rules = { maxAttempts: 3, backoff: { firstMs: 1_000, mostMs: 10_000 } };

const handler = (run: JobHandler['run'], options: Partial<JobHandler> = {}): JobHandler => ({
  run,
  maxAttempts: 3,
  leaseMs: MINUTE_MS,
  backoff: rules.backoff,
  ...options,
});

function newRunner(handlers: Record<string, JobHandler>, options: Partial<JobRunnerOptions> = {}): JobRunner {
  const runner = new JobRunner({ db, clock, log, handlers, graceMs: 0, abortGraceMs: 0, ...options });
  onTestFinished(() => runner.stop());
  return runner;
}

/** A handler that says when it has begun, and goes on until it is told to end. */
function heldHandler() {
  const begun = Promise.withResolvers<AbortSignal>();
  const end = Promise.withResolvers<void>();
  const run: JobHandler['run'] = async (_job, signal) => {
    begun.resolve(signal);
    await end.promise;
  };
  return { run, begun: begun.promise, end: () => end.resolve(), failWith: (error: Error) => end.reject(error) };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('enqueue', () => {
  test('a job comes out as it went in', async () => {
    const workspaceId = newId();
    await put({ workspaceId, payload: { documentId: 'd1', pages: [1, 2] }, key: 'd1' });
    expect(await takeOne()).toMatchObject({
      kind: 'work',
      key: 'd1',
      workspaceId,
      payload: { documentId: 'd1', pages: [1, 2] },
      attempts: 0,
    });
  });

  test('nothing is enqueued when the change that causes it is undone', async () => {
    const refused = () => new Error('refused');
    const change: Sql = sql`delete from users where id = ${newId()}`.orElse(refused);
    await expect(db.batch([enqueue({ kind: 'work', workspaceId: null, payload: {} }, clock.nowMs()), change])).rejects.toThrow('refused');
    expect(await stored()).toStrictEqual([]);
  });

  test('a delayed job waits for its time', async () => {
    await put({ delayMs: 5_000 });
    clock.advance(4_999);
    expect(await take()).toHaveLength(0);
    clock.advance(1);
    expect(await take()).toHaveLength(1);
  });

  test('jobs of other kinds are left alone', async () => {
    await put({ kind: 'other' });
    expect(await take()).toHaveLength(0);
  });

  test('at most one job of a kind and key waits, while those without a key all count', async () => {
    await put({ key: 'a', payload: 1 }, { key: 'a', payload: 2 }, { key: 'b' }, { kind: 'other', key: 'a' }, {}, {});
    const jobs = await take();
    expect(jobs.filter(({ key }) => key === 'a').map(({ payload }) => payload)).toStrictEqual([1]);
    expect(jobs).toHaveLength(4);
  });

  test('while a keyed job runs one more waits behind it, and starts when it is done', async () => {
    await put({ key: 'a', payload: 'first' });
    const first = await takeOne();
    await put({ key: 'a', payload: 'second' }, { key: 'a', payload: 'third' });
    expect(await stored()).toHaveLength(2);
    expect(await take()).toHaveLength(0);
    await complete(db, first);
    expect((await takeOne()).payload).toBe('second');
  });

  test('jobs that wait behind their key hold up nobody else', async () => {
    const busy = Array.from({ length: 5 }, () => newId()).sort();
    await putAll(busy.map((workspaceId) => ({ workspaceId, key: workspaceId })));
    expect(await take()).toHaveLength(5);
    await putAll([...busy.map((workspaceId) => ({ workspaceId, key: workspaceId })), { workspaceId: null }]);
    expect((await take(1)).map(({ workspaceId }) => workspaceId)).toStrictEqual([null]);
  });

  test('a debounced job is put off by each enqueue, up to its bound', async () => {
    const again = () => put({ key: 'a', debounceMs: 1_000, debounceAtMostMs: 2_500 });
    const runsAfterMs = async () => Date.parse((await stored())[0]?.runAt ?? '') - startMs;
    const startMs = clock.nowMs();
    await again();
    expect(await runsAfterMs()).toBe(1_000);
    clock.advance(900);
    await again();
    expect(await runsAfterMs()).toBe(1_900);
    clock.advance(900);
    await again();
    expect(await runsAfterMs()).toBe(2_500);
    clock.advance(600);
    await again();
    expect(await runsAfterMs()).toBe(2_500);
    expect(await take()).toHaveLength(0);
    clock.advance(100);
    expect(await take()).toHaveLength(1);
  });

  test('enqueueing plainly leaves the time of a debounced job', async () => {
    await put({ key: 'a', debounceMs: 1_000 });
    clock.advance(500);
    await put({ key: 'a' });
    const [job] = await stored();
    expect(Date.parse(job?.runAt ?? '')).toBe(clock.nowMs() + 500);
  });

  test('a debounced job that waits for its retry keeps the time of the retry', async () => {
    await put({ key: 'a', debounceMs: 100 });
    clock.advance(100);
    await fail(db, await takeOne(), new Error('no'), rules, clock.nowMs());
    const [before] = await stored();
    await put({ key: 'a', debounceMs: 5_000 });
    expect((await stored())[0]?.runAt).toBe(before?.runAt);
  });

  test('a job without a key can not be debounced', () => {
    expect(() => enqueue({ kind: 'work', workspaceId: null, payload: {}, debounceMs: 1 }, 0)).toThrow(TypeError);
  });
});

describe('claim', () => {
  test('ten workers at once take each of 500 jobs exactly once', async () => {
    const workspaces = Array.from({ length: 7 }, () => newId());
    await putAll(Array.from({ length: 500 }, (_, n) => ({ workspaceId: workspaces[n % 7] as string, payload: n })));
    const runs: unknown[] = [];
    const run: JobHandler['run'] = async ({ payload }) => void runs.push(payload);
    const workers = Array.from({ length: 10 }, () => newRunner({ work: handler(run) }));
    const counts = await Promise.all(workers.map((runner) => runner.drain()));
    expect(runs.sort((a, b) => Number(a) - Number(b))).toStrictEqual(Array.from({ length: 500 }, (_, n) => n));
    expect(counts.reduce((a, b) => a + b)).toBe(500);
    expect(await stored()).toStrictEqual([]);
  });

  test('a claim takes no more than its limit, and no more of a kind than the limit of the kind', async () => {
    await putAll(Array.from({ length: 20 }, (_, n) => ({ kind: n % 2 ? 'odd' : 'even', workspaceId: newId() })));
    const kinds = [
      { kind: 'odd', leaseMs: MINUTE_MS, limit: 2 },
      { kind: 'even', leaseMs: MINUTE_MS },
    ];
    const jobs = await claim(db, { kinds, owner: newId(), limit: 7, nowMs: clock.nowMs() });
    expect(jobs.length).toBeLessThanOrEqual(7);
    expect(jobs.filter(({ kind }) => kind === 'odd')).toHaveLength(2);
    expect(jobs.filter(({ kind }) => kind === 'even').length).toBeGreaterThanOrEqual(4);
  });

  test('the limits hold for workspaces with many jobs too, and each has its share', async () => {
    const workspaces = [newId(), newId()];
    for (const workspaceId of workspaces) await putAll(Array.from({ length: 10 }, () => ({ workspaceId })));
    const claimed = async (limit: number, limitOfKind?: number) => {
      const kinds = [{ kind: 'work', leaseMs: MINUTE_MS, limit: limitOfKind }];
      const jobs = await claim(db, { kinds, owner: newId(), limit, nowMs: clock.nowMs() });
      return workspaces.map((id) => jobs.filter(({ workspaceId }) => workspaceId === id).length);
    };
    expect(await claimed(8, 5)).toStrictEqual([2, 2]);
    expect(await claimed(8)).toStrictEqual([4, 4]);
  });

  test('the oldest of a workspace comes first', async () => {
    const workspaceId = newId();
    await put({ workspaceId, payload: 'late', delayMs: 2_000 }, { workspaceId, payload: 'early', delayMs: 1_000 });
    clock.advance(3_000);
    expect((await take(1)).map(({ payload }) => payload)).toStrictEqual(['early']);
  });

  test('one job of a workspace is not held up by 10,000 that another enqueued before', async () => {
    const [flooding, other] = [newId(), newId()];
    for (let n = 0; n < 10; n++) await putAll(Array.from({ length: 1_000 }, () => ({ workspaceId: flooding })));
    clock.advance(1_000);
    await put({ workspaceId: other });
    const order: unknown[] = [];
    const enough = new JobCancelled();
    const runner = newRunner(
      {
        work: handler(async ({ workspaceId }) => {
          order.push(workspaceId);
          if (order.length >= 10) void runner.stop();
          throw enough;
        }),
      },
      { concurrency: 1 },
    );
    await runner.drain();
    expect(order.indexOf(other)).toBeGreaterThanOrEqual(0);
    expect(order.indexOf(other)).toBeLessThan(3);
    expect(order).toContain(flooding);
  });

  test('workspaces take turns, the service as one of them', async () => {
    const workspaces = [newId(), newId(), null];
    await putAll(workspaces.flatMap((workspaceId) => [{ workspaceId }, { workspaceId }, { workspaceId }]));
    const order: unknown[] = [];
    await newRunner({ work: handler(async ({ workspaceId }) => void order.push(workspaceId)) }, { concurrency: 1 }).drain();
    for (const round of [order.slice(0, 3), order.slice(3, 6), order.slice(6)]) expect(new Set(round)).toStrictEqual(new Set(workspaces));
  });

  test('kinds take turns', async () => {
    await putAll(Array.from({ length: 4 }, () => ({ kind: 'first' })));
    clock.advance(1_000);
    await putAll(Array.from({ length: 4 }, () => ({ kind: 'second' })));
    const order: string[] = [];
    const note = handler(async ({ kind }) => void order.push(kind));
    await newRunner({ first: note, second: note }, { concurrency: 1 }).drain();
    expect(new Set(order.slice(0, 2))).toStrictEqual(new Set(['first', 'second']));
    expect(new Set(order.slice(2, 4))).toStrictEqual(new Set(['first', 'second']));
  });
});

describe('leases', () => {
  test('a job whose lease has run out is taken up again, and the attempt counts', async () => {
    await put({ payload: 'x' });
    const first = await takeOne();
    clock.advance(MINUTE_MS - 1);
    expect(await takeBack()).toStrictEqual([]);
    clock.advance(1);
    expect(await takeBack()).toMatchObject([{ outcome: 'retried' }]);
    const second = await takeOne();
    expect(second).toMatchObject({ id: first.id, attempts: 1 });
    expect(await complete(db, first)).toBe(false);
    expect(await complete(db, second)).toBe(true);
  });

  test('a job that ends its process each time is given up at last', async () => {
    await put();
    for (let attempt = 1; attempt <= 2; attempt++) {
      await takeOne();
      clock.advance(MINUTE_MS);
      await takeBack(2);
    }
    const [job] = await stored();
    expect(job).toMatchObject({ state: 'failed', attempts: 2 });
    expect(job?.lastError).toContain('lease');
    expect(job?.failedAt).not.toBeNull();
  });

  test('a lease that is extended does not run out', async () => {
    await put();
    const job = await takeOne();
    clock.advance(MINUTE_MS - 1);
    expect(await extendLeases(db, [{ job, leaseMs: MINUTE_MS }], clock.nowMs())).toEqual([true]);
    clock.advance(MINUTE_MS - 1);
    expect(await takeBack()).toStrictEqual([]);
    expect(await complete(db, job)).toBe(true);
    expect(await extendLeases(db, [{ job, leaseMs: MINUTE_MS }], clock.nowMs())).toEqual([false]);
  });

  test('of a job taken back while another with its key waits, one remains, with the attempts of both', async () => {
    await put({ key: 'a', payload: 'first' });
    await takeOne();
    await put({ key: 'a', payload: 'second' });
    clock.advance(MINUTE_MS);
    await takeBack();
    expect(await stored()).toHaveLength(1);
    expect(await takeOne()).toMatchObject({ payload: 'second', attempts: 1 });
  });

  test('a runner takes up what a crashed one left', async () => {
    await put({ payload: 'left' });
    await takeOne();
    const runs: unknown[] = [];
    const runner = newRunner({ work: handler(async ({ payload }) => void runs.push(payload)) });
    expect(await runner.drain()).toBe(0);
    clock.advance(MINUTE_MS);
    expect(await runner.drain()).toBe(1);
    expect(runs).toStrictEqual(['left']);
  });

  test('a heartbeat keeps the lease of a running job', async () => {
    await put();
    const held = heldHandler();
    const runner = newRunner({ work: handler(held.run) }, { concurrency: 1 });
    const drained = runner.drain();
    const signal = await held.begun;
    clock.advance(MINUTE_MS - 1);
    await runner.heartbeat();
    clock.advance(MINUTE_MS - 1);
    expect(await takeBack()).toStrictEqual([]);
    expect(signal.aborted).toBe(false);
    held.end();
    expect(await drained).toBe(1);
    expect(await stored()).toStrictEqual([]);
  });

  test('a job that lost its lease is told so, and settles nothing', async () => {
    await put();
    const reasons: unknown[] = [];
    const begun = Promise.withResolvers<void>();
    const run: JobHandler['run'] = async (_job, signal) => {
      begun.resolve();
      await untilAborted(signal).catch((reason) => reasons.push(reason));
      throw new Error('too late');
    };
    // With room for one it does not look for others meanwhile.
    const runner = newRunner({ work: handler(run) }, { concurrency: 1 });
    const drained = runner.drain();
    await begun.promise;
    clock.advance(MINUTE_MS);
    await takeBack();
    const other = await takeOne();
    await runner.heartbeat();
    await drained;
    expect(reasons).toMatchObject([{ why: 'lease lost' }]);
    expect(await stored()).toMatchObject([{ state: 'running', attempts: 1 }]);
    expect(await complete(db, other)).toBe(true);
  });
});

describe('failures', () => {
  test('a failed job is tried again after a while, and kept with its error when its attempts are used up', async () => {
    await put();
    let runs = 0;
    const runner = newRunner({
      work: handler(async () => {
        throw new Error(`failure ${++runs}`);
      }),
    });
    await runner.drain();
    expect(await stored()).toMatchObject([{ state: 'scheduled', attempts: 1, lastError: 'failure 1', failedAt: null }]);
    clock.advance(499);
    expect(await runner.drain()).toBe(0);
    clock.advance(501);
    expect(await runner.drain()).toBe(1);
    clock.advance(2_000);
    expect(await runner.drain()).toBe(1);
    const failedAt = new Date(clock.nowMs()).toISOString();
    expect(await stored()).toMatchObject([{ state: 'failed', attempts: 3, lastError: 'failure 3', failedAt }]);
    clock.advance(24 * 60 * MINUTE_MS);
    expect(await runner.drain()).toBe(0);
    expect(runs).toBe(3);
  });

  test('a job whose worker of Citus is down waits for it, and none of its attempts is used up', async () => {
    await put();
    let isDown = true;
    const runner = newRunner({
      work: handler(async () => {
        if (isDown) throw new WorkerUnavailable('down');
      }),
    });
    for (let runs = 0; runs < 5; runs++) {
      expect(await runner.drain()).toBe(1);
      expect(await stored()).toMatchObject([{ state: 'scheduled', attempts: 0, lastError: 'down', failedAt: null }]);
      expect(await runner.drain()).toBe(0);
      clock.advance(30_000);
    }
    isDown = false;
    expect(await runner.drain()).toBe(1);
    expect(await stored()).toEqual([]);
  });

  test('a job that succeeds at its second attempt is gone', async () => {
    await put();
    let runs = 0;
    const runner = newRunner({
      work: handler(async () => {
        if (++runs === 1) throw new Error('not yet');
      }),
    });
    await runner.drain();
    clock.advance(1_000);
    await runner.drain();
    expect(runs).toBe(2);
    expect(await stored()).toStrictEqual([]);
  });

  test('of a failed job and another with its key that waits, one remains, and waits as long as the retry', async () => {
    await put({ key: 'a', payload: 'first' });
    const first = await takeOne();
    await put({ key: 'a', payload: 'second' });
    expect(await fail(db, first, new Error('no'), rules, clock.nowMs())).toBe('retried');
    expect(await stored()).toMatchObject([{ state: 'scheduled', attempts: 1, lastError: 'no' }]);
    expect(await take()).toHaveLength(0);
    clock.advance(1_000);
    expect(await takeOne()).toMatchObject({ payload: 'second', attempts: 1 });
  });

  test('a job that failed for good leaves the one with its key that waits as it is', async () => {
    await put({ key: 'a', payload: 'first' });
    const first = await takeOne();
    await put({ key: 'a', payload: 'second' });
    expect(await fail(db, first, new Error('no'), { maxAttempts: 1 }, clock.nowMs())).toBe('failed');
    expect((await stored()).map(({ state }) => state).sort()).toStrictEqual(['failed', 'scheduled']);
    expect(await takeOne()).toMatchObject({ payload: 'second', attempts: 0 });
  });

  test('whoever enqueues while a job with the key fails, one is left to wait', async () => {
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    await putAll(keys.map((key) => ({ key })));
    const jobs = await take();
    expect(jobs).toHaveLength(20);
    await Promise.all(
      jobs.flatMap((job) => [
        fail(db, job, new Error('no'), rules, clock.nowMs()),
        db.run(enqueue({ kind: 'work', workspaceId: null, payload: {}, key: job.key ?? '' }, clock.nowMs())),
      ]),
    );
    expect((await stored()).map(({ state }) => state)).not.toContain('running');
    expect(await stored()).toHaveLength(20);
  });

  test('a lost job can not be failed', async () => {
    await put();
    const job = await takeOne();
    await complete(db, job);
    expect(await fail(db, job, new Error('no'), rules, clock.nowMs())).toBe('lost');
    expect(await fail(db, job, new Error('no'), { maxAttempts: 1 }, clock.nowMs())).toBe('lost');
  });

  test('a cancelled job is done and not tried again', async () => {
    await put();
    const runner = newRunner({
      work: handler(async () => {
        throw new JobCancelled('the document is gone');
      }),
    });
    expect(await runner.drain()).toBe(1);
    expect(await stored()).toStrictEqual([]);
  });

  test('an unfinished job goes on after the turns of the other workspaces, and its attempts count anew', async () => {
    const [long, other] = [newId(), newId()];
    await put({ workspaceId: long, key: 'long', payload: { name: 'long' } }, { workspaceId: long, payload: { name: 'behind' } });
    await fail(db, (await take(1))[0] as Job, new Error('no'), rules, clock.nowMs());
    clock.advance(10_000);
    await put({ workspaceId: other, payload: { name: 'other 1' } }, { workspaceId: other, payload: { name: 'other 2' } });
    const order: string[] = [];
    const attempts: number[] = [];
    let parts = 0;
    const work = handler(async (job) => {
      const { name } = job.payload as { name: string };
      order.push(name);
      if (name !== 'long') return;
      attempts.push(job.attempts);
      if (++parts < 3) throw new JobUnfinished();
    });
    const runner = newRunner({ work }, { concurrency: 1 });
    expect(await runner.drain()).toBe(6);
    expect(order.filter((name) => name === 'long')).toHaveLength(3);
    // Never twice in a row while another workspace waits.
    const others = order.map((name) => name.startsWith('other'));
    expect(others.slice(0, 4).filter(Boolean)).toHaveLength(2);
    expect(attempts).toEqual([1, 0, 0]);
    expect(await stored()).toStrictEqual([]);
  });

  test('failed jobs are dropped when they are old', async () => {
    await put({ payload: 'old' });
    await fail(db, await takeOne(), new Error('no'), { maxAttempts: 1 }, clock.nowMs());
    expect(await dropFailedJobs(db, clock.nowMs())).toBe(0);
    expect(await dropFailedJobs(db, clock.nowMs() + 1)).toBe(1);
    expect(await stored()).toStrictEqual([]);
  });

  test('of an error its message is kept, and not too much of it', async () => {
    await put();
    await fail(db, await takeOne(), new Error(`bad \0 ${'é'.repeat(3_000)}`, { cause: 'secret' }), rules, clock.nowMs());
    const [job] = await stored();
    expect(job?.lastError).toBe(`bad  ${'é'.repeat(1_995)}`);
    expect(messageOf({ password: 'x' })).not.toContain('x:');
    expect(messageOf('text')).toBe('text');
  });

  test('retries are twice as far apart each time, up to a bound, and scattered', () => {
    const backoff = { firstMs: 1_000, mostMs: 6_000 };
    expect([1, 2, 3, 4, 50].map((attempts) => retryDelayMs(attempts, backoff, () => 1))).toStrictEqual([1_000, 2_000, 4_000, 6_000, 6_000]);
    expect([1, 2].map((attempts) => retryDelayMs(attempts, backoff, () => 0))).toStrictEqual([500, 1_000]);
  });
});

describe('runner', () => {
  test('drain runs what is due and what those jobs enqueue, and leaves the rest', async () => {
    await put({ payload: 3 }, { payload: 99, delayMs: 1 });
    const runs: unknown[] = [];
    const runner = newRunner({
      work: handler(async ({ payload }) => {
        runs.push(payload);
        if (Number(payload) > 0) await put({ payload: Number(payload) - 1 });
      }),
    });
    expect(await runner.drain()).toBe(4);
    expect(runs).toStrictEqual([3, 2, 1, 0]);
    expect(await stored()).toMatchObject([{ state: 'scheduled' }]);
  });

  test('no more jobs run at a time than the runner and the kind allow', async () => {
    await putAll(Array.from({ length: 12 }, (_, n) => ({ kind: n % 2 ? 'narrow' : 'wide' })));
    const full = Promise.withResolvers<void>();
    const now = { narrow: 0, wide: 0 };
    const most = { narrow: 0, wide: 0, both: 0 };
    const run: JobHandler['run'] = async ({ kind }) => {
      const name = kind as 'narrow' | 'wide';
      now[name]++;
      most[name] = Math.max(most[name], now[name]);
      most.both = Math.max(most.both, now.narrow + now.wide);
      if (now.narrow + now.wide === 4) full.resolve();
      await full.promise;
      await db.ping();
      now[name]--;
    };
    const runner = newRunner({ narrow: handler(run, { concurrency: 1 }), wide: handler(run) }, { concurrency: 4 });
    expect(await runner.drain()).toBe(12);
    expect(most.narrow).toBe(1);
    expect(most.both).toBe(4);
  });

  test('a started runner runs what is enqueued when it is woken', async () => {
    const ran = Promise.withResolvers<unknown>();
    const runner = newRunner({ work: handler(async ({ payload }) => ran.resolve(payload)) }, { pollMs: 3_600_000 });
    runner.start();
    await put({ payload: 'now' });
    runner.wake();
    expect(await ran.promise).toBe('now');
  });

  test('stop lets a running job finish', async () => {
    await put();
    const held = heldHandler();
    const runner = newRunner({ work: handler(held.run) }, { graceMs: 10_000 });
    runner.start();
    const signal = await held.begun;
    const stopped = runner.stop();
    held.end();
    await stopped;
    expect(signal.aborted).toBe(false);
    expect(await stored()).toStrictEqual([]);
  });

  test('stop interrupts what does not finish, and gives it back without counting an attempt', async () => {
    await put({ payload: 'x' });
    const begun = Promise.withResolvers<void>();
    const reasons: unknown[] = [];
    const runner = newRunner(
      {
        work: handler(async (_job, signal) => {
          begun.resolve();
          await untilAborted(signal).catch((reason) => {
            reasons.push(reason);
            throw reason;
          });
        }),
      },
      { abortGraceMs: 10_000 },
    );
    runner.start();
    await begun.promise;
    await runner.stop();
    expect(reasons[0]).toBeInstanceOf(JobInterrupted);
    expect(reasons).toMatchObject([{ why: 'stopping' }]);
    expect(await takeOne()).toMatchObject({ payload: 'x', attempts: 0 });
  });

  test('stop gives back even a job that does not listen, and what that comes to later changes nothing', async () => {
    await put();
    const held = heldHandler();
    const runner = newRunner({ work: handler(held.run) });
    runner.start();
    await held.begun;
    await runner.stop();
    const again = await takeOne();
    held.failWith(new Error('long after'));
    await put({ kind: 'fence' });
    expect(await stored()).toMatchObject([{ id: again.id, state: 'running', attempts: 0, lastError: null }, { state: 'ready' }]);
  });

  test('a stopped runner takes nothing more', async () => {
    const runner = newRunner({ work: handler(async () => undefined) });
    await runner.stop();
    await put();
    runner.start();
    expect(await runner.drain()).toBe(0);
    expect(await stored()).toHaveLength(1);
  });

  test('a released job and one with its key that waits become one', async () => {
    await put({ key: 'a' });
    const first = await takeOne();
    await put({ key: 'a' });
    expect(await release(db, first, clock.nowMs())).toBe(true);
    expect(await stored()).toHaveLength(1);
    expect(await takeOne()).toMatchObject({ attempts: 0 });
  });
});

describe('periodic jobs', () => {
  const HOUR_MS = 60 * MINUTE_MS;

  test('run at once, and again a period after each run, however many nodes ask for them', async () => {
    let runs = 0;
    const run = async () => void runs++;
    const workers = [newRunner({ sweep: every(HOUR_MS, run) }), newRunner({ sweep: every(HOUR_MS, run) })];
    const drainAll = async () => {
      for (const runner of workers) await runner.schedulePeriodic();
      return Promise.all(workers.map((runner) => runner.drain()));
    };
    await drainAll();
    expect(runs).toBe(1);
    clock.advance(HOUR_MS - 1);
    await drainAll();
    expect(runs).toBe(1);
    clock.advance(1);
    await drainAll();
    expect(runs).toBe(2);
    expect(await stored()).toHaveLength(1);
  });

  test('are enqueued by start', async () => {
    const ran = Promise.withResolvers<void>();
    newRunner({ sweep: every(HOUR_MS, async () => ran.resolve()) }).start();
    await ran.promise;
  });

  test('are not enqueued a second time while they run', async () => {
    const held = heldHandler();
    const runner = newRunner({ sweep: every(HOUR_MS, held.run) });
    await runner.schedulePeriodic();
    const drained = runner.drain();
    await held.begun;
    await runner.schedulePeriodic();
    expect(await stored()).toHaveLength(1);
    held.end();
    expect(await drained).toBe(1);
  });

  test('come sooner when the period was made shorter', async () => {
    const run = async () => undefined;
    const runner = newRunner({ sweep: every(HOUR_MS, run) });
    await runner.schedulePeriodic();
    await runner.drain();
    await newRunner({ sweep: every(MINUTE_MS, run) }).schedulePeriodic();
    clock.advance(MINUTE_MS);
    expect(await runner.drain()).toBe(1);
  });

  test('are never given up: after the last attempt they wait for their next time, with the error', async () => {
    const failing = handler(
      async () => {
        throw new Error('no disk');
      },
      { everyMs: HOUR_MS, maxAttempts: 2 },
    );
    const runner = newRunner({ sweep: failing });
    await runner.schedulePeriodic();
    await runner.drain();
    clock.advance(1_000);
    await runner.drain();
    const runAt = new Date(clock.nowMs() + HOUR_MS).toISOString();
    expect(await stored()).toMatchObject([{ state: 'scheduled', attempts: 0, lastError: 'no disk', runAt }]);
  });

  test('run sooner when they are enqueued by hand, once', async () => {
    let runs = 0;
    const runner = newRunner({
      sweep: every(HOUR_MS, async () => {
        if (++runs === 1) await put({ kind: 'sweep', key: PERIODIC_KEY });
      }),
    });
    await runner.schedulePeriodic();
    expect(await runner.drain()).toBe(2);
    expect(await stored()).toMatchObject([{ state: 'scheduled', runAt: new Date(clock.nowMs() + HOUR_MS).toISOString() }]);
  });
});

describe('gauges', () => {
  test('count what waits, is due, runs and failed, and the age of the oldest that is due', async () => {
    await put({ payload: 'fails' });
    await fail(db, await takeOne(), new Error('no'), { maxAttempts: 1 }, clock.nowMs());
    await put({ payload: 'runs' });
    await takeOne();
    await put({ workspaceId: newId(), delayMs: 3_000 }, { delayMs: 60_000 });
    clock.advance(5_000);
    await put({ workspaceId: newId() }, { kind: 'other' });
    clock.advance(1_000);
    const counts = { waiting: 4, due: 3, running: 1, failed: 1, oldestDueAgeMs: 3_000 };
    expect(await countJobs(db, ['work', 'other'], clock.nowMs())).toStrictEqual(counts);
    await claim(db, { kinds: [{ kind: 'none', leaseMs: 1 }], owner: newId(), limit: 1, nowMs: clock.nowMs() });
    expect(await countJobs(db, ['work', 'other'], clock.nowMs())).toStrictEqual(counts);
  });

  test('are read once in a few seconds', async () => {
    const runner = newRunner({ work: handler(async () => undefined) });
    expect(await runner.gauges()).toStrictEqual({ waiting: 0, due: 0, running: 0, failed: 0, oldest_due_age_seconds: 0 });
    await put();
    clock.advance(4_999);
    expect(await runner.gauges()).toMatchObject({ waiting: 0 });
    clock.advance(1);
    expect(await runner.gauges()).toMatchObject({ waiting: 1, oldest_due_age_seconds: 5 });
  });
});
