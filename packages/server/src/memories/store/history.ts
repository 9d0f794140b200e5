import type { MemoryEvent } from '@commonplace/contract/memories';
import { countFitting, takeFitting } from '../../answer-size.ts';
import { timestamp } from '../../clock.ts';
import type { Queryable } from '../../db/database.ts';
import { shape } from '../../db/shape.ts';
import { list, raw, type Sql, sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import type { Run } from '../topics.ts';
import { loadAssertions } from './assertions.ts';
import { requireMemory } from './memories.ts';
import { PersonTopics } from './runs.ts';

/** Of what came before it, and of what happened to it. */
const MOST_FORMER = 100;
const MOST_EVENTS = 200;
const RUNS_AT_ONCE = 10;

interface Version {
  readonly id: string;
  readonly bytes: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly supersededAt: string | null;
  readonly supersededBy: string | null;
}
const version = shape<Omit<Version, 'bytes'>>({
  id: 'text',
  createdAt: 'time',
  expiresAt: 'time',
  supersededAt: 'time',
  supersededBy: 'text',
});

interface Cause {
  readonly memoryId: string;
  readonly causeId: string;
  readonly saidAt: string;
}

interface StoredEvent {
  readonly memoryId: string;
  readonly event: 'edited' | 'withdrawn';
  readonly messageId: string | null;
  readonly forgotten: boolean;
  readonly id: string;
  readonly bytes: number;
  readonly createdAt: string;
}
const storedEvent = shape<Omit<StoredEvent, 'bytes'>>({
  id: 'text',
  memoryId: 'text',
  event: 'text',
  messageId: 'text',
  forgotten: 'boolean',
  createdAt: 'time',
});
/** Contents are read once it is known which of them make an answer. */
const bytes = raw(`coalesce(octet_length(content), 0) as bytes`);

/** A memory with all that led to it. */
interface Past {
  readonly versions: readonly Version[];
  /** Where they lie; those of a person lie in several. */
  readonly sessionIds: readonly string[];
  /** The first message that says it. */
  readonly firstCauses: ReadonlyMap<string, string>;
  /** All of them, or the newest. */
  readonly causes: readonly Cause[];
  /** The message that ended it, where neither its successor nor an event tells. */
  readonly endings: ReadonlyMap<string, string>;
  /** Those that the user asked to forget; of a person, where no event tells. */
  readonly forgotten: ReadonlySet<string>;
}

/** What happened to a memory and to those that it took the place of, and which messages caused it. Oldest first. */
export async function memoryHistory(db: Queryable, place: SessionPlace, memoryId: string, nowMs: number): Promise<MemoryEvent[]> {
  await requireMemory(db, place, memoryId);
  const past = (await pastOfPerson(db, place, memoryId)) ?? (await pastOfSession(db, place, memoryId));
  const { versions, causes, firstCauses, endings, forgotten } = past;
  const ids = versions.map(({ id }) => id);
  const events = await db.query(sql<StoredEvent>`
    select ${storedEvent}, ${bytes} from memory_events
    where workspace_id = ${place.workspaceId} and session_id in ${list(past.sessionIds)} and memory_id in ${list(ids)}
    order by id desc limit ${MOST_EVENTS}`);
  const contents = await contentsOf(db, place.workspaceId, past, events);
  const causesOf = Map.groupBy(causes, (cause) => cause.memoryId);
  const firstCause = (id: string) => firstCauses.get(id) ?? null;
  const history = versions.flatMap((one) => [
    event('created', one.createdAt, one.id, { messageId: firstCause(one.id), content: contents.get(one.id) ?? null }),
    ...(causesOf.get(one.id) ?? []).flatMap(({ causeId, saidAt }) =>
      causeId === firstCause(one.id) ? [] : [event('repeated', saidAt, one.id, { messageId: causeId })],
    ),
    ...endsOf(one, firstCause, endings.get(one.id), forgotten.has(one.id), nowMs),
  ]);
  for (const { id, event: what, createdAt, memoryId: of, messageId, forgotten: asked } of events) {
    history.push(event(what, createdAt, of, { messageId, content: contents.get(id) ?? null, reason: asked ? 'forgotten' : null }));
  }
  return history.sort((a, b) => compare(a.at, b.at) || compare(a.memoryId, b.memoryId) || order.indexOf(a.event) - order.indexOf(b.event));
}

async function pastOfSession(db: Queryable, place: SessionPlace, memoryId: string): Promise<Past> {
  const versions = await versionsUpTo(db, place, memoryId);
  // Deleted in between.
  if (versions.length === 0) throw notFound('Memory');
  const ids = versions.map(({ id }) => id);
  const successors = versions.flatMap(({ supersededBy }) => supersededBy ?? []);
  const said = sql`
    from memory_sources s join messages m on m.workspace_id = s.workspace_id and m.session_id = s.session_id and m.id = s.cause_id
    where s.workspace_id = ${place.workspaceId} and s.session_id = ${place.sessionId}`;
  const [firstCauses, causes] = await Promise.all([
    db.query(sql<{ memoryId: string; causeId: string }>`
      select s.memory_id as "memoryId", min(cast(s.cause_id as text)) as "causeId" ${said} and s.memory_id in ${list([...ids, ...successors])}
      group by s.memory_id`),
    db.query(sql<Cause>`
      select distinct s.memory_id as "memoryId", s.cause_id as "causeId", m.created_at as "saidAt" ${said} and s.memory_id in ${list(ids)}
      order by s.cause_id desc limit ${MOST_EVENTS}`),
  ]);
  const first = new Map(firstCauses.map((cause) => [cause.memoryId, cause.causeId]));
  return { versions, sessionIds: [place.sessionId], firstCauses: first, causes, endings: new Map(), forgotten: new Set() };
}

/** Undefined where it is the session's own. */
async function pastOfPerson(db: Queryable, { workspaceId }: SessionPlace, memoryId: string): Promise<Past | undefined> {
  const [assertion] = await loadAssertions(db, workspaceId, [memoryId]);
  if (!assertion) return undefined;
  const topics = new PersonTopics(db, workspaceId, assertion.personId);
  await topics.readAround([assertion], MOST_FORMER, 1);
  const run = topics.at(assertion);
  if (run?.first.id !== memoryId) return undefined;
  const runs = await runsUpTo(topics, run);
  const sessionIds = [...new Set(runs.map(({ first }) => first.sessionId))];
  const versions = await db.query(sql<Version>`
    select ${version}, ${bytes} from memories
    where workspace_id = ${workspaceId} and session_id in ${list(sessionIds)} and id in ${list(runs.map(({ first }) => first.id))}`);
  if (versions.length === 0) return undefined;
  const causes: Cause[] = [];
  for (let start = 0; start < runs.length && causes.length < MOST_EVENTS; start += RUNS_AT_ONCE) {
    const some = runs.slice(start, start + RUNS_AT_ONCE);
    const said = await topics.saidIn(some, MOST_EVENTS);
    for (const [index, { first }] of some.entries())
      causes.push(...(said[index] ?? []).map(({ messageId, saidAt }) => ({ memoryId: first.id, causeId: messageId, saidAt })));
  }
  return {
    versions,
    sessionIds,
    firstCauses: new Map(runs.map(({ first }) => [first.id, first.messageId])),
    causes: causes.sort((a, b) => compare(b.causeId, a.causeId)).slice(0, MOST_EVENTS),
    forgotten: await forgottenOf(topics, runs),
    endings: new Map(runs.flatMap(({ first, endedIn }) => (endedIn === null ? [] : [[first.id, endedIn] as const]))),
  };
}

async function forgottenOf(topics: PersonTopics, runs: readonly Run[]): Promise<Set<string>> {
  const withdrawn = runs.filter(({ endedIn, endedBy }) => endedIn !== null && endedBy === null);
  const endings = await topics.endings(withdrawn.map(({ first }) => first));
  return new Set(withdrawn.flatMap(({ first }, index) => (endings[index]?.forgotten ? [first.id] : [])));
}

/** One with those that led to it, newest first: topic by topic, each as far as one took the place of another. */
async function runsUpTo(topics: PersonTopics, last: Run): Promise<Run[]> {
  const runs = new Map<string, Run>();
  for (let latest: Run[] = [last]; latest.length > 0 && runs.size < MOST_FORMER; ) {
    const chain: Run[] = [];
    for (const end of latest) {
      for (let run: Run | undefined = end; run && !runs.has(run.first.id) && runs.size < MOST_FORMER; ) {
        runs.set(run.first.id, run);
        chain.push(run);
        const previous = topics.previous(run);
        run = previous?.endedBy === run.first.id ? previous : undefined;
      }
    }
    const elsewhere = await topics.readReplacedBy(chain, MOST_FORMER);
    await topics.readAround(
      elsewhere.map(({ first }) => first),
      MOST_FORMER,
      1,
    );
    latest = elsewhere;
  }
  return [...runs.values()];
}

/** Of one memory at one time. */
const order: readonly MemoryEvent['event'][] = ['created', 'repeated', 'edited', 'superseded', 'withdrawn', 'expired'];

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By the id of the version or event: the newest, as many as make an answer. The first text of one that was edited since is not kept. */
async function contentsOf(
  db: Queryable,
  workspaceId: string,
  { versions, sessionIds }: Past,
  events: readonly StoredEvent[],
): Promise<Map<string, string>> {
  const edits = events.filter(({ event: what }) => what === 'edited');
  const edited = new Set(edits.map(({ memoryId }) => memoryId));
  const told = [...versions.filter(({ id }) => !edited.has(id)), ...edits].sort((a, b) => compare(b.createdAt, a.createdAt));
  const ids = told.slice(0, countFitting(told.map((one) => Number(one.bytes)))).map(({ id }) => id);
  const own = sql`workspace_id = ${workspaceId} and session_id in ${list(sessionIds)}`;
  const read = (statement: Sql) => db.query(sql<{ id: string; content: string }>`select id, content ${statement}`);
  const found = await Promise.all([
    read(sql`from memories where ${own} and id in ${list(ids)}`),
    edits.length === 0 ? [] : read(sql`from memory_events where ${own} and memory_id in ${list([...edited])} and id in ${list(ids)}`),
  ]);
  const rank = new Map(ids.map((id, index) => [id, index]));
  const newestFirst = found.flat().sort((a, b) => Number(rank.get(a.id)) - Number(rank.get(b.id)));
  return new Map(takeFitting(newestFirst).map(({ id, content }) => [id, content]));
}

function endsOf(
  { id, supersededAt, supersededBy, expiresAt }: Version,
  firstCause: (id: string) => string | null,
  endedIn: string | undefined,
  forgotten: boolean,
  nowMs: number,
): MemoryEvent[] {
  if (supersededAt !== null && supersededBy !== null)
    return [event('superseded', supersededAt, id, { messageId: endedIn ?? firstCause(supersededBy), supersededBy })];
  if (supersededAt !== null && endedIn !== undefined)
    return [event('withdrawn', supersededAt, id, { messageId: endedIn, reason: forgotten ? 'forgotten' : null })];
  return supersededAt === null && expiresAt !== null && expiresAt <= timestamp(nowMs) ? [event('expired', expiresAt, id)] : [];
}

function event(
  what: MemoryEvent['event'],
  at: string,
  memoryId: string,
  more: Partial<Pick<MemoryEvent, 'messageId' | 'content' | 'supersededBy' | 'reason'>> = {},
): MemoryEvent {
  return { event: what, at, memoryId, messageId: null, content: null, supersededBy: null, reason: null, ...more };
}

/** The memory and all that led to it, by steps from each to those that it took the place of. */
async function versionsUpTo(db: Queryable, { workspaceId, sessionId }: SessionPlace, memoryId: string): Promise<Version[]> {
  const own = sql`workspace_id = ${workspaceId} and session_id = ${sessionId}`;
  const versions = await db.query(sql<Version>`select ${version}, ${bytes} from memories where ${own} and id = ${memoryId}`);
  const seen = new Set([memoryId]);
  for (let latest = [memoryId]; latest.length > 0 && versions.length < MOST_FORMER; ) {
    const former = await db.query(sql<Version>`
      select ${version}, ${bytes} from memories where ${own} and superseded_by in ${list(latest)} order by id desc limit ${MOST_FORMER}`);
    const fresh = former.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    versions.push(...fresh);
    latest = fresh.map(({ id }) => id);
  }
  return versions;
}
