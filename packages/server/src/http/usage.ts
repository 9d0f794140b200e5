/** Counts calls and searches for each workspace, in memory first: a request never waits for its own counting. */
import type { Logger } from 'pino';
import type { Caller } from '../auth/callers.ts';
import { type Clock, timestamp } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { list, perEngine, rows, type Sql, sql } from '../db/sql.ts';
import { HOUR_MS, type HourlyValue, hourOf, writeValues } from '../roll-ups/hourly-values.ts';
import { bucketOf } from '../roll-ups/latencies.ts';

const FLUSH_EVERY_MS = 5_000;
const WORKSPACES_IN_ONE_WRITE = 100;
/** Of a workspace, in an hour: whatever keys it makes, its rows are so many. */
const MOST_KEYS_IN_AN_HOUR = 30;
/** What could not be written is tried again with the next, unless it has become too much. */
const MOST_KEPT = 100_000;

/** The calls of users, with whatever key or cookie, and those of keys beyond the first of an hour. */
export const CALLS_OF_USERS = 'users';
export const CALLS_OF_OTHER_KEYS = 'other';

type CountedMetric = 'calls' | 'searchLatency';
type Counted = Omit<HourlyValue, 'metric' | 'value'> & { readonly metric: CountedMetric; value: number };
type Counts = Map<string, Map<string, Counted>>;

export class UsageCounter {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #flushing: NodeJS.Timeout;
  /** By workspace, and in there by hour, metric and part. */
  #counts: Counts = new Map();
  #writing: Promise<void> = Promise.resolve();

  constructor(db: Database, clock: Clock, log: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#flushing = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  countCall(workspaceId: string, caller: Caller): void {
    this.#count(workspaceId, 'calls', caller.type === 'user' ? CALLS_OF_USERS : caller.credentialId);
  }

  countSearch(workspaceId: string, ms: number): void {
    this.#count(workspaceId, 'searchLatency', bucketOf(ms));
  }

  /** Calls that were counted here and are not yet written. */
  pending(workspaceId: string): number {
    let calls = 0;
    for (const { metric, value } of this.#counts.get(workspaceId)?.values() ?? []) if (metric === 'calls') calls += value;
    return calls;
  }

  month(): string {
    return monthOf(this.#clock.nowMs());
  }

  /** Writes what was counted until now, after what is being written already. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#flushing);
    await this.flush();
  }

  #count(workspaceId: string, metric: CountedMetric, part: string, value = 1, hour = hourOf(this.#clock.nowMs())): void {
    let counts = this.#counts.get(workspaceId);
    if (!counts) {
      counts = new Map();
      this.#counts.set(workspaceId, counts);
    }
    const key = `${hour} ${metric} ${part}`;
    const counted = counts.get(key);
    if (counted) counted.value += value;
    else counts.set(key, { workspaceId, metric, hour, part, value });
  }

  async #write(): Promise<void> {
    // In one order everywhere, so that two nodes never wait for each other.
    const counted = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#counts = new Map();
    for (let start = 0; start < counted.length; start += WORKSPACES_IN_ONE_WRITE)
      await this.#writeSome(counted.slice(start, start + WORKSPACES_IN_ONE_WRITE).map(([, counts]) => [...counts.values()]));
  }

  async #writeSome(byWorkspace: readonly (readonly Counted[])[]): Promise<void> {
    const values = byWorkspace.flat();
    try {
      const bounded = await boundKeys(this.#db, values);
      await this.#db.batch([...addCalls(values), ...writeValues(bounded, 'add')]);
    } catch (error) {
      // A machine that is down keeps the counts of its own workspaces only.
      if (this.#db.isDistributed && byWorkspace.length > 1) for (const own of byWorkspace) await this.#writeSome([own]);
      else this.#keep(values, error);
    }
  }

  #keep(values: readonly Counted[], error: unknown): void {
    let kept = 0;
    for (const counts of this.#counts.values()) kept += counts.size;
    if (kept + values.length > MOST_KEPT) {
      this.#log.warn({ err: error }, 'some calls were not counted');
      return;
    }
    this.#log.warn({ err: error }, 'some calls could not be counted yet');
    for (const { workspaceId, metric, part, value, hour } of values) this.#count(workspaceId, metric, part, value, hour);
  }
}

function monthOf(ms: number): string {
  return timestamp(ms).slice(0, 7);
}

/** The calls of keys beyond the most that an hour has rows for, as those of others. */
async function boundKeys(db: Database, values: readonly HourlyValue[]): Promise<HourlyValue[]> {
  const calls = values.filter(({ metric }) => metric === 'calls');
  if (calls.length === 0) return [...values];
  const unique = <T>(items: readonly T[]) => [...new Set(items)];
  const known = await db.query(sql<{ workspaceId: string; hour: number; part: string }>`
    select workspace_id as "workspaceId", hour, part from hourly_values
    where metric = 'calls' and workspace_id in ${list(unique(calls.map(({ workspaceId }) => workspaceId)))}
      and hour in ${list(unique(calls.map(({ hour }) => hour)))}`);
  const keysOf = new Map<string, Set<string>>();
  const keysIn = ({ workspaceId, hour }: { workspaceId: string; hour: number }) => {
    const place = `${workspaceId} ${hour}`;
    const keys = keysOf.get(place) ?? new Set<string>();
    keysOf.set(place, keys);
    return keys;
  };
  const isKey = (part: string) => part !== CALLS_OF_USERS && part !== CALLS_OF_OTHER_KEYS;
  for (const row of known) if (isKey(row.part)) keysIn(row).add(row.part);
  const others = new Map<string, HourlyValue>();
  const bounded = values.filter((value) => {
    if (value.metric !== 'calls' || !isKey(value.part)) return true;
    const keys = keysIn(value);
    if (keys.has(value.part) || keys.size < MOST_KEYS_IN_AN_HOUR) {
      keys.add(value.part);
      return true;
    }
    const place = `${value.workspaceId} ${value.hour}`;
    others.set(place, { ...value, part: CALLS_OF_OTHER_KEYS, value: value.value + (others.get(place)?.value ?? 0) });
    return false;
  });
  return [...bounded, ...others.values()];
}

const workspaceOfCalls = perEngine({ sqlite: 'w.id = v.column1', postgres: 'w.id = v.column1::uuid' });
const callColumns = perEngine({ sqlite: 'w.id, v.column2, v.column3', postgres: 'w.id, v.column2, v.column3::bigint' });
// Keeps a workspace until its calls are in, so that deleting it finds them.
const holdWorkspaces = perEngine({ sqlite: '', postgres: ' for share of w' });

/** Of each workspace by month. */
function addCalls(values: readonly HourlyValue[]): Sql[] {
  const sums = new Map<string, [string, string, number]>();
  for (const { workspaceId, metric, hour, value } of values) {
    if (metric !== 'calls') continue;
    const month = monthOf(hour * HOUR_MS);
    const key = `${workspaceId} ${month}`;
    sums.set(key, [workspaceId, month, value + (sums.get(key)?.[2] ?? 0)]);
  }
  if (sums.size === 0) return [];
  return [
    sql`
      insert into usage_counters (workspace_id, month, calls)
      select ${callColumns} from (values ${rows([...sums.values()])}) v join workspaces w on ${workspaceOfCalls}
      where 1 = 1 order by 1, 2${holdWorkspaces}
      on conflict (workspace_id, month) do update set calls = usage_counters.calls + excluded.calls`,
  ];
}
