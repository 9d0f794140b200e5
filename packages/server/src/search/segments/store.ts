/** Snapshots at rest. */
import { timestamp } from '../../clock.ts';
import type { Queryable, Transactable } from '../../db/database.ts';
import { list, perEngine, raw, rows, type Sql, sql } from '../../db/sql.ts';
import type { ScopeSource } from '../scope-source.ts';
import { countGoneSince, reopenChanges, threadsGoneSince } from './changed-items.ts';
import { SEGMENT_FORMAT } from './pages.ts';
import { deleteSegment, SavedMeanwhile, type SnapshotPlace } from './segment-store.ts';

export type ItemKind = 'message' | 'memory' | 'chunk';

/** What was known of a session or document: of the items that are in the segments. */
export interface StoredThread {
  readonly thread: string;
  readonly count: number;
  readonly edits: string;
  readonly shared?: string | undefined;
  readonly lastId?: string | undefined;
}

/** Its pages change only when items are erased from it: with as many items it is as it was. */
export interface StoredSegment {
  readonly id: string;
  readonly items: number;
  readonly bytes: number;
  /** Local slots of items that are there no more, or in another segment by now. */
  readonly gone?: readonly number[] | undefined;
}

export interface Manifest {
  readonly segments: readonly StoredSegment[];
  readonly threads: readonly StoredThread[];
}

export interface SnapshotFacts extends SnapshotPlace {
  readonly kind: ItemKind;
  readonly model: string;
  readonly sessionId: string | null;
  readonly agentId: string | null;
}

/** By kind: what an index was made of. */
export type KeptSources = Readonly<Record<ItemKind, (facts: SnapshotFacts) => ScopeSource>>;

export interface Snapshot extends SnapshotFacts {
  readonly number: number;
  readonly usedAt: string;
  readonly manifest: Manifest;
}

type SnapshotRow = Omit<Snapshot, 'manifest'> & { readonly manifest: string };

const snapshotColumns = sql`workspace_id as "workspaceId", scope, number, kind, model, session_id as "sessionId", agent_id as "agentId",
  used_at as "usedAt", manifest`;

const ofRow = (row: SnapshotRow): Snapshot => ({ ...row, manifest: parseManifest(row.manifest) });

function parseManifest(text: string): Manifest {
  try {
    const { segments, threads } = JSON.parse(text) as Manifest;
    if (Array.isArray(segments) && Array.isArray(threads)) return { segments, threads };
  } catch {
    // Not what this program wrote: there is nothing in it.
  }
  return { segments: [], threads: [] };
}

const OF_FORMAT = `${SEGMENT_FORMAT} `;

/** Where the scope with a key is kept: nodes of two formats run beside each other for a while, each with snapshots of its own. */
export function placeOf({ workspaceId, key }: { readonly workspaceId: string; readonly key: string }): SnapshotPlace {
  return { workspaceId, scope: `${OF_FORMAT}${key}` };
}

/** Whether this program wrote it, or one that writes the same. */
export function isReadable({ scope }: SnapshotPlace): boolean {
  return scope.startsWith(OF_FORMAT);
}

/** Another program wrote it, an earlier or a later one. */
export const isOfAnotherFormat = sql`substr(scope, 1, ${OF_FORMAT.length}) <> ${OF_FORMAT}`;

const isPlace = ({ workspaceId, scope }: SnapshotPlace) => sql`workspace_id = ${workspaceId} and scope = ${scope}`;

export async function readSnapshotNumber(db: Queryable, place: SnapshotPlace): Promise<number | undefined> {
  const [row] = await db.query(sql<{ number: number }>`select number from search_snapshots where ${isPlace(place)}`);
  return row?.number;
}

/** Of a snapshot, if there is one. */
export async function countItems(db: Queryable, place: SnapshotPlace): Promise<number | undefined> {
  const [row] = await db.query(sql<{ items: number }>`select items from search_snapshots where ${isPlace(place)}`);
  return row?.items;
}

export async function readSnapshot(db: Queryable, place: SnapshotPlace): Promise<Snapshot | undefined> {
  const [row] = await db.query(sql<SnapshotRow>`select ${snapshotColumns} from search_snapshots where ${isPlace(place)}`);
  return row && ofRow(row);
}

/** Those of a kind, without what they consist of. */
export async function placesOf(db: Queryable, workspaceId: string, kind: ItemKind): Promise<SnapshotPlace[]> {
  return db.query(sql<SnapshotPlace>`
    select workspace_id as "workspaceId", scope from search_snapshots where workspace_id = ${workspaceId} and kind = ${kind}`);
}

/** All of a workspace with their manifests, for tests. */
export async function snapshotsOf(db: Queryable, workspaceId: string): Promise<Snapshot[]> {
  const found = await db.query(sql<SnapshotRow>`select ${snapshotColumns} from search_snapshots where workspace_id = ${workspaceId}`);
  return found.map(ofRow);
}

/** Those used last of the ones that can be read, without what they consist of. */
export async function lastUsed(db: Queryable, limit: number): Promise<(SnapshotFacts & { items: number; bytes: number })[]> {
  return db.query(sql<SnapshotFacts & { items: number; bytes: number }>`
    select workspace_id as "workspaceId", scope, kind, model, session_id as "sessionId", agent_id as "agentId", items, bytes
    from search_snapshots where substr(scope, 1, ${OF_FORMAT.length}) = ${OF_FORMAT} order by used_at desc limit ${limit}`);
}

/** Nodes may disagree about the time. */
const CLOCK_SKEW_MS = 10 * 60_000;

/** When the state was taken that is saved, and when it is saved. */
export interface SaveTimes {
  readonly begunMs: number;
  readonly nowMs: number;
}

/**
 * In place of the one with the number `before`, or as the first one where that is 0. Throws `SavedMeanwhile`, also where what it is about is
 * gone, or a session that it tells of. Gives its number. What changed since the state was taken is looked at once more: it may have been cleared from the snapshot before this one.
 */
export async function commitSnapshot(
  db: Queryable,
  facts: SnapshotFacts,
  before: number,
  manifest: Manifest,
  { begunMs, nowMs }: SaveTimes,
): Promise<number> {
  const now = timestamp(nowMs);
  const { workspaceId, scope, kind, model, sessionId, agentId } = facts;
  const items = manifest.segments.reduce((sum, segment) => sum + segment.items, 0);
  const bytes = manifest.segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const text = JSON.stringify(manifest);
  const saved =
    before === 0
      ? sql`insert into search_snapshots (workspace_id, scope, number, kind, model, session_id, agent_id, items, bytes, manifest, saved_at, used_at)
            values ${rows([[workspaceId, scope, 1, kind, model, sessionId, agentId, items, bytes, text, now, now]])}
            on conflict (workspace_id, scope) do nothing returning number`
      : sql`update search_snapshots set number = number + 1, items = ${items}, bytes = ${bytes}, manifest = ${text}, saved_at = ${now}
            where ${isPlace(facts)} and number = ${before} returning number`;
  const reopened = reopenChanges(workspaceId, kind, begunMs - CLOCK_SKEW_MS);
  const gone = await threadsGoneSince(db, workspaceId, kind, begunMs - CLOCK_SKEW_MS);
  if (manifest.threads.some(({ thread }) => gone.has(thread))) throw new SavedMeanwhile();
  await db.batch([
    sql`select ${SHARED_LOCK_BEGINS}${lockKey(workspaceId)}${LOCK_ENDS} as locked`,
    sql`select counted.total from (${countGoneSince(workspaceId, kind, begunMs - CLOCK_SKEW_MS)}) counted where counted.total = ${gone.size}`.orElse(
      () => new SavedMeanwhile(),
    ),
    subjectOf(facts).orElse(() => new SavedMeanwhile()),
    saved.orElse(() => new SavedMeanwhile()),
    ...useSegments(facts, manifest),
    reopened,
  ]);
  // Once more: what was committed beside this was not seen from inside, and whoever clears may not have seen this.
  await db.run(reopened);
  return before + 1;
}

/** Saves of a workspace that did not know of what was deleted before this call are over when it resolves. The embedded engine has one writer. */
export async function awaitSaves(db: Transactable, workspaceId: string): Promise<void> {
  await db.transaction((tx) => tx.query(sql`select ${LOCK_BEGINS}${lockKey(workspaceId)}${LOCK_ENDS} as locked`));
}

const lockKey = (workspaceId: string) => `snapshots ${workspaceId}`;
const SHARED_LOCK_BEGINS = perEngine({ sqlite: 'length(', postgres: 'cast(pg_advisory_xact_lock_shared(hashtextextended(' });
const LOCK_BEGINS = perEngine({ sqlite: 'length(', postgres: 'cast(pg_advisory_xact_lock(hashtextextended(' });
const LOCK_ENDS = perEngine({ sqlite: ')', postgres: ', 0)) as text)' });

/** Those of a manifest and no others; throws `SavedMeanwhile` where one of them was deleted. */
function useSegments(place: SnapshotPlace, { segments }: Manifest): Sql[] {
  const ids = segments.map(({ id }) => id);
  if (ids.length === 0) return [sql`update search_segments set is_used = ${false} where ${isPlace(place)}`];
  const among = sql`id in ${list(ids)}`;
  const counted = sql`select count(*) as total from search_segments where ${isPlace(place)} and ${among}`;
  return [
    sql`update search_segments set is_used = ${true} where ${isPlace(place)} and ${among}`,
    sql`update search_segments set is_used = ${false} where ${isPlace(place)} and not (${among})`,
    sql`select counted.total from (${counted}) counted where counted.total = ${ids.length}`.orElse(() => new SavedMeanwhile()),
  ];
}

/** What is deleted meanwhile is not there any more; what is deleted later takes the snapshot along. */
function subjectOf({ workspaceId, sessionId, agentId }: SnapshotFacts): Sql {
  if (sessionId !== null) return sql`select id from sessions where workspace_id = ${workspaceId} and id = ${sessionId}`;
  if (agentId !== null) return sql`select id from agents where workspace_id = ${workspaceId} and id = ${agentId}`;
  return sql`select id from workspaces where id = ${workspaceId}`;
}

/** At once for those who load; the bytes go in steps. Whether there was one, with that number where one is named. */
export async function dropSnapshot(db: Queryable, place: SnapshotPlace, number?: number): Promise<boolean> {
  const ofNumber = number === undefined ? sql`` : sql`and number = ${number}`;
  const gone = sql`delete from search_snapshots where ${isPlace(place)} ${ofNumber}`;
  try {
    // Those that are being written are not among them.
    const [, segments] = await db.batch([
      gone.orElse(() => new SavedMeanwhile()),
      sql<{ id: string }>`update search_segments set is_used = ${false} where ${isPlace(place)} and is_used = ${true} returning id`,
    ]);
    for (const { id } of segments) await deleteSegment(db, place.workspaceId, id);
    return true;
  } catch (error) {
    if (error instanceof SavedMeanwhile) return false;
    throw error;
  }
}

/** Of sessions, of agents, or of a whole workspace that is deleted. */
export async function dropSnapshotsOf(
  db: Queryable,
  workspaceId: string,
  column?: 'session_id' | 'agent_id',
  ids: readonly string[] = [],
): Promise<void> {
  const which = column ? sql`and ${raw(column)} in ${list(ids)}` : sql``;
  const found = await db.query(sql<SnapshotPlace>`
    select workspace_id as "workspaceId", scope from search_snapshots where workspace_id = ${workspaceId} ${which}`);
  for (const place of found) await dropSnapshot(db, place);
}

/** With other contents from which something was taken out. Throws `SavedMeanwhile` where it is not the one that was read. */
export async function replaceManifest(db: Queryable, snapshot: Snapshot, manifest: Manifest, pages: readonly Sql[] = []): Promise<void> {
  const total = (of: (segment: StoredSegment) => number) => manifest.segments.reduce((sum, segment) => sum + of(segment), 0);
  const replaced = sql`
    update search_snapshots set number = number + 1, items = ${total(({ items }) => items)}, bytes = ${total(({ bytes }) => bytes)},
      manifest = ${JSON.stringify(manifest)}
    where ${isPlace(snapshot)} and number = ${snapshot.number}`;
  await db.batch([replaced.orElse(() => new SavedMeanwhile()), ...useSegments(snapshot, manifest), ...pages]);
}

export async function noteUse(db: Queryable, place: SnapshotPlace, nowMs: number): Promise<void> {
  await db.run(sql`update search_snapshots set used_at = ${timestamp(nowMs)} where ${isPlace(place)}`);
}
