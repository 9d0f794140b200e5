/** Which ready jobs a claim takes: lanes in turn, an equal share of the claim for each, the oldest jobs of each lane. */
import { timestamp } from '../clock.ts';
import { join, perEngine, raw, type Sql, sql } from '../db/sql.ts';

/** Before every lane, and after every one but the service's own, which is this. */
const FIRST_LANE = '00000000-0000-0000-0000-000000000000';
export const SERVICE_JOBS_LANE = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const MOST_LANES_LOOKED_AT = 1_000;

/** PostgreSQL can't tell the types of parameters in a list of values; SQLite would take these names for numbers. */
const asUuid = perEngine({ sqlite: '', postgres: '::uuid' });
const asTime = perEngine({ sqlite: '', postgres: '::timestamptz' });

/** Rows that another claim holds are left to it. */
export const skipLocked = perEngine({ sqlite: '', postgres: ' for update of waiting skip locked' });

/** The ids that a query gives, found first and once: neither engine may take the whole table to look for them. */
export function idIn(ids: Sql): Sql {
  return sql`id ${perEngine({ sqlite: 'in (', postgres: '= any(array(' })}${ids}${perEngine({ sqlite: ')', postgres: '))' })}`;
}

/** Where `waiting` has no running job with its key ahead of it. */
const NOTHING_AHEAD = `(waiting.key is null or not exists (
  select 1 from jobs ahead where ahead.state = 'running' and ahead.kind = waiting.kind and ahead.key = waiting.key))`;
export const nothingAhead = raw(NOTHING_AHEAD);

export interface ClaimedKind {
  readonly kind: string;
  readonly leaseMs: number;
  /** Jobs of this kind at most; the whole claim's limit where it is left out. */
  readonly limit?: number | undefined;
  /** The lane that had the last turn; the one after it comes first. */
  readonly afterLane?: string | undefined;
}

/** When the lease of a row of one of these kinds ends. */
export function leaseUntil(kinds: readonly ClaimedKind[], nowMs: number): Sql {
  const cases = kinds.map(({ kind, leaseMs }) => sql`when ${kind} then ${timestamp(nowMs + leaseMs)}${asTime}`);
  return sql`case kind ${join(cases, ' ')} end`;
}

/**
 * The ids of the jobs to take. Only the first entries of the lanes that get a turn are read, so the cost
 * depends on the limit and on the number of kinds, not on how many jobs wait. It is less than the limit at times though more wait: ask again.
 */
export function pickedIds(kinds: readonly ClaimedKind[], limit: number): Sql {
  const asked = kinds.map(
    ({ kind, limit: most = limit, afterLane = FIRST_LANE }, place) =>
      sql`(${kind}, cast(${place} as integer), cast(${Math.min(most, limit)} as integer), ${afterLane}${asUuid})`,
  );
  return sql`
    with recursive
    asked (kind, place, most, after_lane) as (values ${join(asked, ', ')}),
    -- From the lane that had the last turn to the end, then from the beginning to that lane.
    span (kind, part, after_lane, last_lane) as (
      select kind, 0, after_lane, ${SERVICE_JOBS_LANE}${asUuid} from asked
      union all
      select kind, 1, ${FIRST_LANE}${asUuid}, after_lane from asked
    ),
    -- From lane to lane by the index, past all the jobs in between.
    walk (kind, part, lane, last_lane, step) as (
      select kind, part, ${nextLane('span', 'after_lane')}, last_lane, 1 from span
      union all
      select kind, part, ${nextLane('walk', 'lane')}, last_lane, step + 1 from walk
      where lane is not null and step < cast(${limit} as integer)
    ),
    turns (kind, lane, turn) as (
      select kind, lane, row_number() over (partition by kind order by part, step) from walk where lane is not null
    ),
    -- The first lane of each kind, then the second of each, and so on.
    lanes (kind, lane, most) as (
      select turns.kind, turns.lane, asked.most from turns join asked on asked.kind = turns.kind
      where turns.turn <= asked.most order by turns.turn, asked.place limit cast(${limit} as integer)
    ),
    counted (kind, lane, of_kind, of_all) as (
      select kind, lane, most / count(*) over (partition by kind), cast(${limit} as integer) / count(*) over () from lanes
    ),
    shares (kind, lane, share) as (
      select kind, lane, case when of_kind < of_all then of_kind else of_all end from counted
    ),
    picked (id) as (${oldestOfEach(limit)})
    select id from picked`;
}

/** When the oldest ready job of these kinds was due. From lane to lane as well: an index by time alone would mislead the claim's planner. */
export function oldestReady(kinds: readonly string[]): Sql {
  if (kinds.length === 0) return raw('null');
  const spans = kinds.map((kind) => sql`(${kind}, ${FIRST_LANE}${asUuid}, ${SERVICE_JOBS_LANE}${asUuid})`);
  return sql`(
    with recursive
    span (kind, after_lane, last_lane) as (values ${join(spans, ', ')}),
    walk (kind, lane, last_lane, step) as (
      select kind, ${nextLane('span', 'after_lane')}, last_lane, 1 from span
      union all
      select kind, ${nextLane('walk', 'lane')}, last_lane, step + 1 from walk where lane is not null and step < ${raw(String(MOST_LANES_LOOKED_AT))}
    ),
    firsts (run_at) as (
      select (select jobs.run_at from jobs where jobs.state = 'ready' and jobs.kind = walk.kind and jobs.lane = walk.lane
        order by jobs.run_at, jobs.id limit 1)
      from walk where lane is not null
    )
    select min(run_at) from firsts)`;
}

function nextLane(from: string, after: string): Sql {
  return raw(`(select jobs.lane from jobs where jobs.state = 'ready' and jobs.kind = ${from}.kind
    and jobs.lane > ${from}.${after} and jobs.lane <= ${from}.last_lane order by jobs.lane limit 1)`);
}

const READY_OF_LANE = `
  from jobs waiting where waiting.state = 'ready' and waiting.kind = shares.kind and waiting.lane = shares.lane and ${NOTHING_AHEAD}
  order by waiting.run_at, waiting.id`;

/**
 * SQLite knows no lateral join, and no limit that differs by lane. PostgreSQL locks what it picks and nothing else, as it reads no further than
 * the outer limit; the inner one, a number in the text, tells its planner that the rows are few (else it compiles the query, for 100 ms).
 */
function oldestOfEach(limit: number): Sql {
  const most = Math.trunc(limit);
  const sqlite = `
    select jobs.id from shares join jobs on jobs.id in (
      select oldest.id from (
        select id, row_number() over (order by run_at, id) as place from (select waiting.id, waiting.run_at ${READY_OF_LANE} limit ${most})
      ) as oldest where oldest.place <= shares.share)`;
  const postgres = `
    select oldest.id from shares cross join lateral (
      select few.id from (select waiting.id ${READY_OF_LANE} limit ${most} for update of waiting skip locked) as few limit shares.share
    ) as oldest`;
  return perEngine({ sqlite, postgres });
}
