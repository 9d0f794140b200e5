/** Where background work is written down, each kind in its own way. */
import type { Job, JobKind, JobStatus } from '@commonplace/contract/jobs';
import type { Actor } from '../auth/callers.ts';
import type { Queryable, Transactable } from '../db/database.ts';
import { asId, raw, type Sql, sql } from '../db/sql.ts';
import { isOldestFirst } from './rules.ts';
import type { RunningWork } from './running.ts';

export interface WorkPlace {
  readonly workspaceId: string;
  /** The model whose vectors are wanted. */
  readonly model: string;
}

export interface Work extends WorkPlace {
  readonly running: RunningWork;
}

/** Some of the subjects, in the order of their status. */
export interface Span {
  readonly after: string | undefined;
  /** Begins with `after` itself. */
  readonly isIncluded: boolean;
  readonly limit: number;
}

export type DescribedJob = Omit<Job, 'id' | 'kind' | 'status'>;

export interface WorkSource {
  readonly kind: JobKind;
  /** The ids of the subjects that have such work in a status; each subject is in one. Undefined where there is none. */
  ids(work: Work, status: JobStatus, span: Span): Sql<{ id: string }> | undefined;
  /** Those of the subjects that still have it. */
  describe(db: Queryable, work: Work, status: JobStatus, ids: readonly string[]): Promise<DescribedJob[]>;
  /** What failed waits again. Throws where nothing did. */
  retry(db: Transactable, by: Actor, place: WorkPlace, subject: Job['subject'], nowMs: number): Promise<unknown>;
}

/** Where a column is in the span. */
export function isWithin(column: string, status: JobStatus, { after, isIncluded }: Span): Sql {
  if (after === undefined) return raw('1 = 1');
  return sql`${raw(`${column} ${operatorOf(status)}${isIncluded ? '=' : ''}`)} ${asId(after)}`;
}

export function orderOf(status: JobStatus): Sql {
  return raw(isOldestFirst(status) ? 'asc' : 'desc');
}

function operatorOf(status: JobStatus): string {
  return isOldestFirst(status) ? '>' : '<';
}

/** Beyond what an offset passes over, for those that are not meant. */
const MOST_STEPS = 20_000;

interface QueueRows {
  /** `table q` */
  readonly table: Sql;
  /** Of the session; the first of the index that the condition leaves open. */
  readonly column: string;
  readonly condition: Sql;
  /** Which of the sessions, as `w.id`; all where it is left out. */
  readonly isMeant?: Sql;
}

/** Steps from session to session by an index, past all of the rows of each: the cost depends on the number of sessions. */
export function stepThrough({ table, column, condition, isMeant }: QueueRows, status: JobStatus, span: Span): Sql<{ id: string }> {
  const name = raw(`q.${column}`);
  const next = (isNext: Sql) =>
    sql`select ${name} as id from ${table} where ${condition} and ${isNext} order by ${name} ${orderOf(status)} limit 1`;
  return sql<{ id: string }>`
    with recursive w (id, step) as (
      select first.id, 1 from (${next(isWithin(`q.${column}`, status, span))}) first
      union all
      select (${next(sql`${name} ${raw(operatorOf(status))} w.id`)}), w.step + 1 from w where w.id is not null and w.step < ${raw(String(MOST_STEPS))})
    select w.id from w where w.id is not null ${isMeant ? sql`and ${isMeant}` : sql``} limit ${span.limit}`;
}

/** Written so that PostgreSQL looks it up for each row, and never reads the other table whole. */
export function isNone(rows: Sql): Sql {
  return sql`(select 1 ${rows} limit 1) is null`;
}
