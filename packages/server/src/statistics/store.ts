import { DocumentStatus } from '@commonplace/contract/documents';
import { MemoryKind } from '@commonplace/contract/memories';
import type { Series, SeriesGroup, SeriesQuery } from '@commonplace/contract/statistics';
import type { Queryable } from '../db/database.ts';
import { list, raw, type Sql, sql } from '../db/sql.ts';
import { CALLS_OF_OTHER_KEYS, CALLS_OF_USERS } from '../http/usage.ts';
import type { StoredMetric } from '../roll-ups/hourly-values.ts';
import {
  addPoints,
  gaugePoints,
  type HourSample,
  type PartValue,
  percentilePoints,
  resolveRange,
  type SeriesRange,
  sumPoints,
  unitAndKind,
} from './rules.ts';

/** Those with the most calls; the others together are one more. */
const MOST_KEYS = 30;

type PointsAndGroups = Pick<Series, 'points' | 'groups'>;

export interface SeriesReader {
  readonly nowMs: number;
  /** Whether each access key is shown for itself. */
  readonly seesKeys: boolean;
}

export async function readSeries(db: Queryable, workspaceId: string, query: SeriesQuery, reader: SeriesReader): Promise<Series> {
  const { metric } = query;
  const { nowMs } = reader;
  const range = resolveRange(query, nowMs);
  const { since, until, step } = range;
  return { metric, ...unitAndKind[metric], since, until, step, ...(await readPoints(db, { workspaceId, range, ...reader }, metric)) };
}

interface Reading extends SeriesReader {
  readonly workspaceId: string;
  readonly range: SeriesRange;
}

async function readPoints(db: Queryable, reading: Reading, metric: SeriesQuery['metric']): Promise<PointsAndGroups> {
  const { range } = reading;
  switch (metric) {
    case 'messages':
      return { points: sumPoints(range, await readSums(db, reading, 'messages')), groups: [] };
    case 'memories': {
      const sums = await readSums(db, reading, 'memories');
      return { points: sumPoints(range, sums), groups: MemoryKind.options.map((kind) => summedGroup(range, sums, kind, kind)) };
    }
    case 'searches':
      // Every search is in a bucket of the histogram of their times.
      return { points: sumPoints(range, await readSums(db, reading, 'searchLatency')), groups: [] };
    case 'searchLatency': {
      const sums = await readSums(db, reading, 'searchLatency');
      const [p50, p95] = [percentilePoints(range, sums, 0.5), percentilePoints(range, sums, 0.95)];
      return {
        points: p50,
        groups: [
          { id: 'p50', name: 'p50', points: p50 },
          { id: 'p95', name: 'p95', points: p95 },
        ],
      };
    }
    case 'documents': {
      const samples = await readSamples(db, reading, 'documents');
      const groups = DocumentStatus.options.map((status) => {
        const ofStatus = samples.filter(({ part }) => part === status);
        return { id: status, name: status, points: gaugePoints(range, ofStatus, 'last', reading.nowMs) };
      });
      return { points: addPoints(groups.map(({ points }) => points)), groups };
    }
    case 'jobsWaiting':
      return { points: gaugePoints(range, await readSamples(db, reading, 'jobsWaiting'), 'highest', reading.nowMs), groups: [] };
    case 'calls':
      return readCalls(db, reading);
  }
}

/** Each hour is read once: what each key called in a step, and of that who called the most. */
async function readCalls(db: Queryable, reading: Reading): Promise<PointsAndGroups> {
  const { workspaceId, range, seesKeys } = reading;
  const isKey = sql`part not in (${CALLS_OF_USERS}, ${CALLS_OF_OTHER_KEYS})`;
  const sums = await db.query(sql<PartValue>`
    with calls as materialized (
      select hour / ${raw(String(range.stepHours))} as step, part, sum(value) as value ${valuesIn(reading, 'calls')} group by 1, 2),
    busiest as (select part from calls where ${isKey} group by part order by sum(value) desc, part limit ${seesKeys ? MOST_KEYS : 0})
    select step, case when part = ${CALLS_OF_USERS} or part in (select part from busiest) then part else ${CALLS_OF_OTHER_KEYS} end as part,
      sum(value) as value
    from calls group by 1, 2`);
  const totals = new Map<string, number>();
  for (const { part, value } of sums) totals.set(part, (totals.get(part) ?? 0) + value);
  const keyIds = [...totals.keys()]
    .filter((part) => part !== CALLS_OF_USERS && part !== CALLS_OF_OTHER_KEYS)
    .sort((one, other) => (totals.get(other) ?? 0) - (totals.get(one) ?? 0) || (one < other ? -1 : 1));
  const keys = keyIds.length
    ? await db.query(sql<{ id: string; name: string }>`
        select id, name from access_keys where workspace_id = ${workspaceId} and id in ${list(keyIds)}`)
    : [];
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const groups = [
    ...(totals.has(CALLS_OF_USERS) ? [summedGroup(range, sums, CALLS_OF_USERS, 'Users')] : []),
    ...keyIds.map((id) => summedGroup(range, sums, id, names.get(id) ?? null)),
    ...(totals.has(CALLS_OF_OTHER_KEYS)
      ? [summedGroup(range, sums, CALLS_OF_OTHER_KEYS, seesKeys ? 'Other access keys' : 'Access keys')]
      : []),
  ];
  return { points: sumPoints(range, sums), groups };
}

function summedGroup(range: SeriesRange, sums: readonly PartValue[], id: string, name: string | null): SeriesGroup {
  return {
    id,
    name,
    points: sumPoints(
      range,
      sums.filter(({ part }) => part === id),
    ),
  };
}

/** Added up by step and part where they are stored: a year of hours never leaves the database. */
async function readSums(db: Queryable, reading: Reading, metric: StoredMetric): Promise<PartValue[]> {
  return db.query(sql<PartValue>`
    select hour / ${raw(String(reading.range.stepHours))} as step, part, sum(value) as value ${valuesIn(reading, metric)} group by 1, 2`);
}

function valuesIn({ workspaceId, range }: Reading, metric: StoredMetric): Sql {
  const { firstStep, stepCount, stepHours } = range;
  return sql`
    from hourly_values where workspace_id = ${workspaceId} and metric = ${metric}
      and hour >= ${firstStep * stepHours} and hour < ${(firstStep + stepCount) * stepHours}`;
}

/** Those of the range and the last ones before it, in the order of time. Parts are always sampled together. */
async function readSamples(db: Queryable, reading: Reading, metric: StoredMetric): Promise<(HourSample & { part: string })[]> {
  const { workspaceId, range } = reading;
  const { firstStep, stepCount, stepHours } = range;
  const ofMetric = sql`workspace_id = ${workspaceId} and metric = ${metric}`;
  const before = await db.maybeOne(sql<{ hour: number }>`
    select hour from hourly_values where ${ofMetric} and hour < ${firstStep * stepHours} order by hour desc limit 1`);
  const first = before?.hour ?? firstStep * stepHours;
  return db.query(sql<HourSample & { part: string }>`
    select hour, part, value from hourly_values where ${ofMetric} and hour >= ${first} and hour < ${(firstStep + stepCount) * stepHours}
    order by hour`);
}

/** Tokens that a language model read and wrote for a workspace in a day. */
export async function countLlmTokens(db: Queryable, workspaceId: string, day: string): Promise<number> {
  const row = await db.maybeOne(sql<{ tokens: number }>`
    select tokens from llm_usage where workspace_id = ${workspaceId} and day = ${day}`);
  return row?.tokens ?? 0;
}
