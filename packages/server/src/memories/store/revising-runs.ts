/** Where something was added, removed or changed: which assertions begin a run there, and how the runs end. */
import type { Transaction } from '../../db/database.ts';
import { join, list, perEngine, type Sql, sql } from '../../db/sql.ts';
import { type Assertion, comparePositions, endOfRun, isContinuation, type Run } from '../topics.ts';
import { parts } from './assertions.ts';
import type { PersonTopics, StoredAssertion } from './runs.ts';

const WRITTEN_AT_ONCE = 200;

export interface Revision {
  /** Those that begin, end or are said otherwise than before, and their neighbours. */
  readonly runs: readonly Run[];
  /** They no longer begin a run, and so no longer are a memory. */
  readonly merged: readonly Assertion[];
  /** Of other topics: what runs ended in favour of, before or now. */
  readonly successorIds: readonly string[];
}

/** `present` are there, as they are stored now; `removed` no longer. All of one person. */
export async function reviseRuns(
  tx: Transaction,
  workspaceId: string,
  topics: PersonTopics,
  present: readonly StoredAssertion[],
  removed: readonly Assertion[],
): Promise<Revision> {
  const merged = await reviseBeginnings(tx, workspaceId, topics, present, removed);
  const formerSuccessorIds = merged.flatMap(({ endedBy, endedTopicId }) => (endedBy === null || endedTopicId === null ? [] : [endedBy]));
  const positions = [...removed, ...present];
  await topics.readAround(positions);
  const nearby = [...new Map(positions.flatMap((position) => topics.nextTo(position)).map((run) => [run.first.id, run])).values()];
  const successorIds = await reviseEnds(tx, workspaceId, topics, nearby);
  const runs = nearby.map(({ first }) => topics.runs.get(first.id) as Run);
  const named = positions.flatMap(({ successorId }) => successorId ?? []);
  return { runs, merged, successorIds: [...formerSuccessorIds, ...successorIds, ...named] };
}

/** Gives those that begin no run any more. */
async function reviseBeginnings(
  tx: Transaction,
  workspaceId: string,
  topics: PersonTopics,
  present: readonly StoredAssertion[],
  removed: readonly Assertion[],
): Promise<StoredAssertion[]> {
  const positions = [...removed, ...present];
  const neighbours = await topics.neighbours(positions);
  // Those that are there come last: what was removed may have been put in again at the same place.
  const pairs = new Map<string, { previous: Assertion | undefined; next: StoredAssertion }>();
  for (const [index, { before, after }] of neighbours.entries()) {
    const one = present[index - removed.length];
    const own = one && one.content !== null ? one : undefined;
    if (own) pairs.set(own.id, { previous: before, next: own });
    if (after) pairs.set(after.id, { previous: own ?? before, next: after });
  }
  const continued = [...pairs.values()].flatMap(({ previous, next }) =>
    previous && isContinuation(previous, next) ? [{ previous, next }] : [],
  );
  const endings = await topics.endings(continued.map(({ previous }) => previous));
  const isWithin = new Set<string>();
  for (const [index, { next }] of continued.entries()) {
    const ending = endings[index];
    if (!ending || comparePositions(ending, next) > 0) isWithin.add(next.id);
  }
  const all = [...pairs.values()].map(({ next }) => next);
  const begin = all.filter(({ id, isFirst }) => !isFirst && !isWithin.has(id));
  const merged = all.filter(({ id, isFirst }) => isFirst && isWithin.has(id));
  for (const some of parts(begin.map(({ id }) => id)))
    await tx.run(sql`update assertions set is_first = ${true} where workspace_id = ${workspaceId} and id in ${list(some)}`);
  for (const some of parts(merged.map(({ id }) => id)))
    await tx.run(sql`
      update assertions set is_first = ${false}, run_expires_at = null, ended_at = null, ended_in = null, ended_by = null, ended_topic_id = null
      where workspace_id = ${workspaceId} and id in ${list(some)}`);
  return merged;
}

/** Gives what runs ended in favour of in other topics, before and now: it tells of them. */
async function reviseEnds(tx: Transaction, workspaceId: string, topics: PersonTopics, runs: readonly Run[]): Promise<string[]> {
  const endings = await topics.endings(runs.map(({ first }) => first));
  const expiring = runs.filter(({ first }) => first.expiresAt !== null);
  const last = await topics.lastOf(expiring);
  const expiries = new Map(expiring.map(({ first }, index) => [first.id, last[index]?.expiresAt ?? null]));
  const successorIds: string[] = [];
  const changed: Run[] = [];
  for (const [index, run] of runs.entries()) {
    const next = topics.next(run)?.first;
    const ending = endings[index];
    const expiresAt = expiries.get(run.first.id) ?? null;
    const end = endOfRun(expiresAt, ending && (!next || comparePositions(ending, next) < 0) ? ending : undefined, next);
    const revised = { first: run.first, expiresAt, ...end };
    for (const { endedBy, endedTopicId } of [run, revised]) if (endedBy !== null && endedTopicId !== null) successorIds.push(endedBy);
    if (isSameEnd(revised, run)) continue;
    topics.replace(revised);
    changed.push(revised);
  }
  for (let start = 0; start < changed.length; start += WRITTEN_AT_ONCE)
    await tx.run(storeEnds(workspaceId, changed.slice(start, start + WRITTEN_AT_ONCE)));
  return successorIds;
}

function storeEnds(workspaceId: string, runs: readonly Run[]): Sql {
  const values = runs.map(
    ({ first, expiresAt, endedAt, endedIn, endedBy, endedTopicId }) => sql`
      (${first.id}${asUuid}, ${expiresAt}${asTime}, ${endedAt}${asTime}, ${endedIn}${asUuid}, ${endedBy}${asUuid}, ${endedTopicId}${asUuid})`,
  );
  return sql`
    update assertions set run_expires_at = changed.column2, ended_at = changed.column3, ended_in = changed.column4,
      ended_by = changed.column5, ended_topic_id = changed.column6
    from (values ${join(values, ', ')}) changed where workspace_id = ${workspaceId} and id = changed.column1`;
}

// Values of a list have no type of their own in PostgreSQL. Given here, and not where they are used: Citus refuses to read a time there.
const asUuid = perEngine({ sqlite: '', postgres: '::uuid' });
const asTime = perEngine({ sqlite: '', postgres: '::timestamptz' });

function isSameEnd(a: Run, b: Run): boolean {
  return (
    a.expiresAt === b.expiresAt &&
    a.endedAt === b.endedAt &&
    a.endedIn === b.endedIn &&
    a.endedBy === b.endedBy &&
    a.endedTopicId === b.endedTopicId
  );
}
