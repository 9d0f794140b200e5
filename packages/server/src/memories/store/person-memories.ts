/** The memories of people, made from what was said around a change. In a transaction that holds the people. */
import type { Transaction } from '../../db/database.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import { type Assertion, MOST_STEPS, type PersonMemory, type Run, RunGraph } from '../topics.ts';
import { deleteAssertions, findSuccessors, insertAssertions, loadAssertions, overrideAssertions } from './assertions.ts';
import { findKeptPerson, lockPeople } from './people.ts';
import { type Revision, reviseRuns } from './revising-runs.ts';
import { PersonTopics, type StoredAssertion } from './runs.ts';
import { loadStanding, SessionChanges } from './session-changes.ts';

/** A transaction that changes more would hold others up. */
export const CHANGED_AT_ONCE = 200;

export interface AssertionChange {
  readonly removed?: readonly Assertion[];
  readonly added?: readonly Assertion[];
  /** Where they are added to a copy of a session. */
  readonly copySessionId?: string;
}

/** Gives those memories that hold no longer. What belongs to a session that goes as a whole is left to those who remove it. */
export async function changeAssertions(
  tx: Transaction,
  workspaceId: string,
  { removed = [], added = [], copySessionId }: AssertionChange,
  nowMs: number,
  goneSessionId?: string,
): Promise<PersonMemory[]> {
  const orphans = await loadStanding(tx, workspaceId, removed, goneSessionId);
  const formerSuccessorIds = await findSuccessors(
    tx,
    workspaceId,
    removed.map(({ id }) => id),
  );
  for (const statement of [...deleteAssertions(workspaceId, removed), ...insertAssertions(workspaceId, added)]) await tx.run(statement);
  const changes = new SessionChanges(tx, workspaceId, nowMs, goneSessionId, copySessionId);
  const ended: PersonMemory[] = [];
  const removedOf = Map.groupBy(removed, ({ personId }) => personId);
  const addedOf = Map.groupBy(added, ({ personId }) => personId);
  for (const personId of new Set([...removedOf.keys(), ...addedOf.keys()])) {
    const topics = new PersonTopics(tx, workspaceId, personId);
    const [gone, fresh] = [removedOf.get(personId) ?? [], addedOf.get(personId) ?? []];
    const present = fresh.map((assertion): StoredAssertion => ({ ...assertion, ...newlyStored }));
    const { successorIds, ...revision } = await reviseRuns(tx, workspaceId, topics, present, gone);
    const reaching = { ...revision, successorIds: [...successorIds, ...formerSuccessorIds] };
    const changedIds = [...gone, ...fresh].map(({ id }) => id);
    ended.push(...(await makeMemories(tx, workspaceId, topics, reaching, changedIds, changes)));
  }
  await changes.removeUnlessMade(orphans);
  await changes.count();
  return ended;
}

/** The people whose memories these are, if they are anybody's but the session's. Before the lock on the session. */
export async function lockPeopleOfMemories(tx: Transaction, place: SessionPlace, memoryIds: readonly string[]): Promise<void> {
  const kept = await findKeptPerson(tx, place);
  const people = (await loadAssertions(tx, place.workspaceId, memoryIds)).map(({ personId }) => personId);
  await lockPeople(tx, place.workspaceId, [...(kept === null ? [] : [kept]), ...people]);
}

const newlyStored = { isFirst: false, endedBy: null, endedTopicId: null } as const;

/** Memories that were changed or deleted by hand: nothing that says the same makes them again, until it is said anew. */
export async function markOverridden(
  tx: Transaction,
  workspaceId: string,
  memoryIds: readonly string[],
  isDeleted: boolean,
  nowMs: number,
): Promise<void> {
  const changes = new SessionChanges(tx, workspaceId, nowMs);
  const assertions = await loadAssertions(tx, workspaceId, memoryIds);
  // Held already, unless the session became somebody's in between.
  await lockPeople(
    tx,
    workspaceId,
    assertions.map(({ personId }) => personId),
  );
  for (const assertion of assertions) {
    const before = new PersonTopics(tx, workspaceId, assertion.personId);
    await before.readAround([assertion], 1, 1);
    const run = before.at(assertion);
    if (run?.first.id !== assertion.id) continue;
    const next = before.next(run);
    await tx.run(overrideAssertions(workspaceId, assertion, next?.first, isDeleted));
    const overridden = { ...assertion, overridden: true, ...(isDeleted && { content: '', slot: null }) };
    const { endedBy, endedTopicId } = run;
    const present: StoredAssertion[] = [{ ...overridden, isFirst: true, endedBy, endedTopicId }];
    if (next) present.push({ ...next.first, isFirst: true, endedBy: next.endedBy, endedTopicId: next.endedTopicId });
    const topics = new PersonTopics(tx, workspaceId, assertion.personId);
    const revision = await reviseRuns(tx, workspaceId, topics, present, []);
    await makeMemories(tx, workspaceId, topics, revision, [], changes);
  }
  await changes.count();
}

/** Those that a change reaches, and no others. */
async function makeMemories(
  tx: Transaction,
  workspaceId: string,
  topics: PersonTopics,
  { runs: revised, merged, successorIds }: Revision,
  changedIds: readonly string[],
  changes: SessionChanges,
): Promise<PersonMemory[]> {
  const reached = new Set<string>();
  const reach = (run: Run | undefined) => run && reached.add(run.first.id);
  const bereft = await topics.readEndedBy(changedIds);
  await topics.readAround(bereft.map(({ first }) => first));
  for (const run of bereft) reach(run);
  await reachBefore(topics, revised, reach);
  await topics.readRunsOf(successorIds);
  const successors = successorIds.flatMap((id) => topics.runs.get(topics.runIdOf(id) ?? id) ?? []);
  // What comes after tells of what came before it.
  for (const run of [...revised, ...successors]) {
    reach(run);
    for (const next of following(topics, run)) reach(next);
  }
  const affected = [...reached].map((id) => topics.runs.get(id) as Run);
  await readTold(topics, affected);
  await readStanding(topics, affected);
  const overridden = [...topics.runs.values()].map(({ first }) => first).filter((first) => first.overridden);
  const kept = new Set((await loadStanding(tx, workspaceId, overridden)).map(({ id }) => id));
  const graph = new RunGraph(
    topics.runs.values(),
    (id) => topics.runIdOf(id),
    (id) => kept.has(id),
  );
  const before = await loadStanding(tx, workspaceId, [...affected.map(({ first }) => first), ...merged]);
  return changes.write(
    before,
    affected.flatMap((run) => graph.memoryOf(run) ?? []),
  );
}

/** What points to these, and past those that were deleted by hand to what is behind them. */
async function reachBefore(topics: PersonTopics, runs: readonly Run[], reach: (run: Run) => void): Promise<void> {
  for (let latest = runs, steps = 0; latest.length > 0 && steps < MOST_STEPS; steps++) {
    const elsewhere = await replacedElsewhere(topics, latest);
    await topics.readAround(elsewhere.map(({ first }) => first));
    const pointing = [...latest.flatMap((run) => replacedInTopic(topics, run) ?? []), ...elsewhere];
    for (const run of pointing) reach(run);
    latest = pointing.filter(({ first }) => first.overridden);
  }
}

/** What the histories of these tell of. */
async function readTold(topics: PersonTopics, runs: readonly Run[]): Promise<void> {
  const chain = new Map<string, Run>();
  for (const run of runs) {
    let current: Run | undefined = run;
    for (let steps = 0; current && steps < MOST_STEPS; steps++) {
      chain.set(current.first.id, current);
      current = replacedInTopic(topics, current);
    }
  }
  await replacedElsewhere(topics, [...chain.values()], MOST_STEPS);
}

/** What stands in the place of these, past those that were deleted by hand. */
async function readStanding(topics: PersonTopics, runs: readonly Run[]): Promise<void> {
  for (let latest = runs, steps = 0; latest.length > 0 && steps <= MOST_STEPS; steps++) {
    const successorIds = latest.flatMap(({ endedBy }) => endedBy ?? []);
    await topics.readRunsOf(successorIds);
    const successors = successorIds.flatMap((id) => topics.runs.get(topics.runIdOf(id) ?? id) ?? []);
    latest = successors.filter(({ first }) => first.overridden);
  }
}

async function replacedElsewhere(topics: PersonTopics, runs: readonly Run[], limit?: number): Promise<Run[]> {
  const topicIds = [...new Set(runs.map(({ first }) => first.topicId))];
  const replacing = await topics.replacingTopics(topicIds);
  return topics.readReplacedBy(
    runs.filter(({ first }) => replacing.has(first.topicId)),
    limit,
  );
}

function replacedInTopic(topics: PersonTopics, run: Run): Run | undefined {
  const previous = topics.previous(run);
  return previous?.endedBy === run.first.id ? previous : undefined;
}

function following(topics: PersonTopics, run: Run): Run[] {
  const found: Run[] = [];
  for (let current = run; found.length < MOST_STEPS; ) {
    const next = topics.next(current);
    if (!next || current.endedBy !== next.first.id) break;
    found.push(next);
    current = next;
  }
  return found;
}
