/** Runs of a person's topics, read from where something changes: some before it, and some after. */
import type { Queryable } from '../../db/database.ts';
import { join, list, raw, type Sql, sql } from '../../db/sql.ts';
import { type Assertion, comparePositions, MOST_STEPS, type Position, type Run, type RunEnd } from '../topics.ts';
import { assertionColumns, loadAssertions, parts } from './assertions.ts';

/** As far as a change reaches: what is told of it, and what that tells, past memories that were deleted by hand. */
const RUNS_AROUND = 2 * MOST_STEPS + 2;
/** Statements in one: SQLite takes 500, and each has its parameters. */
const PARTS_AT_ONCE = 60;
/** Of other topics that ended in favour of one run; what more there is keeps pointing to where that began before. */
const MOST_REPLACED = 1_000;

const runColumns = assertionColumns.with<{ runExpiresAt: string | null } & RunEnd>({
  runExpiresAt: 'time',
  endedAt: 'time',
  endedIn: 'text',
  endedBy: 'text',
  endedTopicId: 'text',
});
/** With whether it begins a run, and what that ended in favour of. */
export type StoredAssertion = Assertion & { readonly isFirst: boolean } & Pick<RunEnd, 'endedBy' | 'endedTopicId'>;
const storedColumns = assertionColumns.with<Omit<StoredAssertion, keyof Assertion>>({
  isFirst: 'boolean',
  endedBy: 'text',
  endedTopicId: 'text',
});
type RunRow = Assertion & { readonly runExpiresAt: string | null } & RunEnd;

function runOf({ runExpiresAt, endedAt, endedIn, endedBy, endedTopicId, ...first }: RunRow): Run {
  return { first, expiresAt: runExpiresAt, endedAt, endedIn, endedBy, endedTopicId };
}

const ascending = raw('order by message_id, ordinal, id');
const descending = raw('order by message_id desc, ordinal desc, id desc');

function isAt(comparison: '<' | '<=' | '>' | '>=', { messageId, ordinal, id }: Position): Sql {
  return sql`(message_id, ordinal, id) ${raw(comparison)} (${messageId}, ${ordinal}, ${id})`;
}

/** Answers to many small questions in a few statements, each row with the number of its question. */
async function askTogether<Row>(db: Queryable, questions: readonly Sql<Row>[]): Promise<Row[][]> {
  const answers: Row[][] = questions.map(() => []);
  for (let start = 0; start < questions.length; start += PARTS_AT_ONCE) {
    const parts = questions.slice(start, start + PARTS_AT_ONCE).map((question, index) => {
      const number = raw(String(index));
      return sql<Row & { question: number }>`select ${number} as question, part.* from (${question}) part`;
    });
    for (const row of await db.query(join(parts, ' union all ') as Sql<Row & { question: number }>))
      answers[start + Number(row.question)]?.push(row);
  }
  return answers;
}

/** The topics of one person. */
export class PersonTopics {
  readonly #db: Queryable;
  readonly #workspaceId: string;
  readonly #personId: string;
  /** Those that were read, by their first assertion. */
  readonly runs = new Map<string, Run>();
  /** In order, by topic: without gaps around what was asked for. */
  readonly #ofTopic = new Map<string, Run[]>();
  readonly #runIdOf = new Map<string, string | undefined>();

  constructor(db: Queryable, workspaceId: string, personId: string) {
    this.#db = db;
    this.#workspaceId = workspaceId;
    this.#personId = personId;
  }

  /** What was said right before and right after each, and not only to end something. */
  async neighbours(positions: readonly Position[]): Promise<{ before: StoredAssertion | undefined; after: StoredAssertion | undefined }[]> {
    const said = (position: Position, which: Sql) => sql<StoredAssertion>`
      select ${storedColumns} from assertions where ${this.#inTopic(position.topicId)} and content is not null and ${which} limit 1`;
    const found = await askTogether(
      this.#db,
      positions.flatMap((position) => [
        said(position, sql`${isAt('<', position)} ${descending}`),
        said(position, sql`${isAt('>', position)} ${ascending}`),
      ]),
    );
    return positions.map((_, index) => ({ before: found[2 * index]?.[0], after: found[2 * index + 1]?.[0] }));
  }

  /** For each, the first later assertion that ends what it says. */
  async endings(assertions: readonly Assertion[]): Promise<(Assertion | undefined)[]> {
    const questions = assertions.map(
      (assertion) => sql<Assertion>`
        select ${assertionColumns} from assertions where ${this.#inTopic(assertion.topicId)} and content is null
          and fingerprint_digest = ${assertion.fingerprintDigest} and ${isAt('>', assertion)} ${ascending} limit 1`,
    );
    return (await askTogether(this.#db, questions)).map(([ending]) => ending);
  }

  /** For each run, the last time that it was said. */
  async lastOf(runs: readonly Run[]): Promise<(Assertion | undefined)[]> {
    const questions = runs.map((run) => {
      const next = this.next(run);
      return sql<Assertion>`
        select ${assertionColumns} from assertions where ${this.#inTopic(run.first.topicId)} and content is not null
          ${next ? sql`and ${isAt('<', next.first)}` : sql``} ${descending} limit 1`;
    });
    return (await askTogether(this.#db, questions)).map(([last]) => last);
  }

  /** The messages that say each, newest first. */
  async saidIn(runs: readonly Run[], limit: number): Promise<Pick<Assertion, 'messageId' | 'saidAt'>[][]> {
    return askTogether(
      this.#db,
      runs.map((run) => {
        const next = this.next(run);
        return sql<Pick<Assertion, 'messageId' | 'saidAt'>>`
          select message_id as "messageId", said_at as "saidAt" from assertions
          where ${this.#inTopic(run.first.topicId)} and content is not null and ${isAt('>=', run.first)}
            ${next ? sql`and ${isAt('<', next.first)}` : sql``} ${descending} limit ${limit}`;
      }),
    );
  }

  /** Reads the runs around positions, so many before and after each. */
  async readAround(positions: readonly Position[], before = RUNS_AROUND, after = RUNS_AROUND): Promise<void> {
    const groups = [...Map.groupBy(positions, ({ topicId }) => topicId).values()].map((group) => group.toSorted(comparePositions));
    for (let left = groups; left.length > 0; ) {
      const most = (group: readonly Position[]) => 4 * group.length;
      const several = left.filter((group) => group.length > 1);
      const between = await askTogether(
        this.#db,
        several.map(
          (group) => sql<RunRow>`
            select ${runColumns} from assertions where ${this.#inTopic(topicOf(group))} and is_first
              and ${isAt('>', group[0] as Position)} and ${isAt('<=', group.at(-1) as Position)} ${ascending} limit ${most(group)}`,
        ),
      );
      // Far apart, each half has its own surroundings.
      const sparse = new Set(several.filter((group, index) => (between[index]?.length ?? 0) === most(group)));
      const dense = left.filter((group) => !sparse.has(group));
      const around = await askTogether(
        this.#db,
        dense.flatMap((group) => {
          const runs = sql`select ${runColumns} from assertions where ${this.#inTopic(topicOf(group))} and is_first`;
          return [
            sql<RunRow>`${runs} and ${isAt('<=', group[0] as Position)} ${descending} limit ${before}`,
            sql<RunRow>`${runs} and ${isAt('>', group.at(-1) as Position)} ${ascending} limit ${after}`,
          ];
        }),
      );
      for (const row of [...between, ...around].flat()) this.#add(runOf(row));
      left = [...sparse].flatMap((group) => [group.slice(0, group.length / 2), group.slice(group.length / 2)]);
    }
  }

  /** Reads the runs of some assertions. */
  async readRunsOf(assertionIds: readonly string[]): Promise<void> {
    const unknown = assertionIds.filter((id) => !this.runs.has(id) && !this.#runIdOf.has(id));
    if (unknown.length === 0) return;
    const found = (await loadAssertions(this.#db, this.#workspaceId, unknown)).filter(({ personId }) => personId === this.#personId);
    await this.readAround(found);
    // Gone, or another person's.
    for (const id of unknown) this.#runIdOf.set(id, undefined);
    for (const assertion of found) this.#runIdOf.set(assertion.id, this.at(assertion)?.first.id);
  }

  /** Reads the runs of other topics that ended in favour of these; of each the newest. Gives them. */
  async readReplacedBy(runs: readonly Run[], limit: number = MOST_REPLACED): Promise<Run[]> {
    const found = await askTogether(
      this.#db,
      runs.map((run) => {
        const { first } = run;
        const next = this.next(run)?.first;
        // Most of them by their messages; in the first and the last one it takes a look at what they ended in favour of.
        return sql<RunRow>`
          select ${runColumns.of('a')} from assertions a cross join assertions s
          where s.workspace_id = a.workspace_id and s.id = a.ended_by and a.workspace_id = ${this.#workspaceId} and a.person_id = ${this.#personId} and a.ended_topic_id = ${first.topicId}
            and a.ended_in >= ${first.messageId} ${next ? sql`and a.ended_in <= ${next.messageId}` : sql``}
            and (s.message_id, s.ordinal, s.id) >= (${first.messageId}, ${first.ordinal}, ${first.id})
            ${next ? sql`and (s.message_id, s.ordinal, s.id) < (${next.messageId}, ${next.ordinal}, ${next.id})` : sql``}
          order by a.ended_in desc, a.id desc limit ${limit}`;
      }),
    );
    return found.flatMap((rows, index) =>
      rows.map((row) => {
        const run = this.runs.get(row.id) ?? runOf(row);
        if (!this.runs.has(row.id)) this.runs.set(row.id, run);
        if (run.endedBy !== null && !this.runs.has(run.endedBy)) this.#runIdOf.set(run.endedBy, runs[index]?.first.id);
        return run;
      }),
    );
  }

  /** Reads the runs of other topics that ended in favour of these very assertions, there or not. Gives them. */
  async readEndedBy(assertionIds: readonly string[]): Promise<Run[]> {
    const found: Run[] = [];
    for (const some of parts(assertionIds)) {
      const rows = await this.#db.query(sql<RunRow>`
        select ${runColumns} from assertions
        where workspace_id = ${this.#workspaceId} and ended_by in ${list(some)} and ended_topic_id is not null and person_id = ${this.#personId}`);
      found.push(...rows.map(runOf));
    }
    for (const run of found) if (!this.runs.has(run.first.id)) this.runs.set(run.first.id, run);
    return found;
  }

  /** Of these topics, those that something of another topic ended in favour of. */
  async replacingTopics(topicIds: readonly string[]): Promise<Set<string>> {
    const found = await askTogether(
      this.#db,
      topicIds.map(
        (topicId) => sql<{ topicId: string }>`
          select ended_topic_id as "topicId" from assertions
          where workspace_id = ${this.#workspaceId} and person_id = ${this.#personId} and ended_topic_id = ${topicId} limit 1`,
      ),
    );
    return new Set(found.flat().map(({ topicId }) => topicId));
  }

  /** The run in which something is or was said, and those beside it. */
  nextTo(position: Position): Run[] {
    const after = this.#countUpTo(position);
    return this.#ofTopic.get(position.topicId)?.slice(Math.max(0, after - 2), after + 1) ?? [];
  }

  /** The run in which something was said, of those that were read. */
  at(position: Position): Run | undefined {
    return this.#ofTopic.get(position.topicId)?.[this.#countUpTo(position) - 1];
  }

  next(run: Run): Run | undefined {
    return this.#ofTopic.get(run.first.topicId)?.[this.#indexOf(run) + 1];
  }

  previous(run: Run): Run | undefined {
    return this.#ofTopic.get(run.first.topicId)?.[this.#indexOf(run) - 1];
  }

  runIdOf(assertionId: string): string | undefined {
    return this.#runIdOf.get(assertionId);
  }

  /** In place of what was read. */
  replace(run: Run): void {
    this.runs.set(run.first.id, run);
    const ofTopic = this.#ofTopic.get(run.first.topicId) as Run[];
    ofTopic[this.#indexOf(run)] = run;
  }

  #indexOf({ first }: Run): number {
    const index = this.#countUpTo(first) - 1;
    return this.#ofTopic.get(first.topicId)?.[index]?.first.id === first.id ? index : Number.NaN;
  }

  /** How many of a topic begin there or before. */
  #countUpTo(position: Position): number {
    const ofTopic = this.#ofTopic.get(position.topicId) ?? [];
    let [low, high] = [0, ofTopic.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comparePositions((ofTopic[middle] as Run).first, position) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #add(run: Run): void {
    const ofTopic = this.#ofTopic.get(run.first.topicId) ?? [];
    this.#ofTopic.set(run.first.topicId, ofTopic);
    const at = this.#countUpTo(run.first);
    if (ofTopic[at - 1]?.first.id === run.first.id) return;
    ofTopic.splice(at, 0, run);
    this.runs.set(run.first.id, run);
  }

  #inTopic(topicId: string): Sql {
    return sql`workspace_id = ${this.#workspaceId} and person_id = ${this.#personId} and topic_id = ${topicId}`;
  }
}

function topicOf(group: readonly Position[]): string {
  return (group[0] as Position).topicId;
}
