/** Snapshots, segments and pages at rest. */
import { timestamp } from '../../clock.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { list, perEngine, raw, rows, type Sql, sql } from '../../db/sql.ts';
import { PAGE_KINDS, type Page, type PageKind } from './pages.ts';

export type ItemKind = 'message' | 'memory' | 'chunk';

/** What a snapshot is about. */
export interface SnapshotPlace {
  readonly workspaceId: string;
  /** The key of the scope. */
  readonly scope: string;
}

/** What was known of a session or document: of the items that are in the segments. */
export interface StoredThread {
  readonly thread: string;
  readonly count: number;
  readonly edits: string;
  readonly shared?: string | undefined;
  readonly lastId?: string | undefined;
}

export interface StoredSegment {
  readonly id: string;
  readonly items: number;
  /** Of the lists of words. */
  readonly entries: number;
  readonly bytes: number;
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

export interface Snapshot extends SnapshotFacts {
  readonly number: number;
  readonly usedAt: string;
  readonly manifest: Manifest;
}

/** Another node saved meanwhile, or what was saved was dropped: nothing is changed. */
export class SavedMeanwhile extends Error {
  constructor() {
    super('The search index was saved by another node meanwhile');
    this.name = 'SavedMeanwhile';
  }
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

const isPlace = ({ workspaceId, scope }: SnapshotPlace) => sql`workspace_id = ${workspaceId} and scope = ${scope}`;

export async function readSnapshot(db: Queryable, place: SnapshotPlace): Promise<Snapshot | undefined> {
  const [row] = await db.query(sql<SnapshotRow>`select ${snapshotColumns} from search_snapshots where ${isPlace(place)}`);
  return row && ofRow(row);
}

export async function snapshotsOf(db: Queryable, workspaceId: string): Promise<Snapshot[]> {
  const found = await db.query(sql<SnapshotRow>`select ${snapshotColumns} from search_snapshots where workspace_id = ${workspaceId}`);
  return found.map(ofRow);
}

/** Those used last, without what they consist of. */
export async function lastUsed(db: Queryable, limit: number): Promise<(SnapshotFacts & { bytes: number })[]> {
  return db.query(sql<SnapshotFacts & { bytes: number }>`
    select workspace_id as "workspaceId", scope, kind, model, session_id as "sessionId", agent_id as "agentId", bytes
    from search_snapshots order by used_at desc limit ${limit}`);
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
 * gone. What changed since the state was taken is looked at once more: it may have been cleared from the snapshot before this one.
 */
export async function commitSnapshot(
  db: Queryable,
  facts: SnapshotFacts,
  before: number,
  manifest: Manifest,
  { begunMs, nowMs }: SaveTimes,
): Promise<void> {
  const now = timestamp(nowMs);
  const { workspaceId, scope, kind, model, sessionId, agentId } = facts;
  const items = manifest.segments.reduce((sum, segment) => sum + segment.items, 0);
  const bytes = manifest.segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const text = JSON.stringify(manifest);
  const ids = manifest.segments.map(({ id }) => id);
  const among = ids.length > 0 ? sql`id in ${list(ids)}` : sql`1 = 0`;
  const saved =
    before === 0
      ? sql`insert into search_snapshots (workspace_id, scope, number, kind, model, session_id, agent_id, items, bytes, manifest, saved_at, used_at)
            values ${rows([[workspaceId, scope, 1, kind, model, sessionId, agentId, items, bytes, text, now, now]])}
            on conflict (workspace_id, scope) do nothing returning number`
      : sql`update search_snapshots set number = number + 1, items = ${items}, bytes = ${bytes}, manifest = ${text}, saved_at = ${now}
            where ${isPlace(facts)} and number = ${before} returning number`;
  await db.batch([
    subjectOf(facts).orElse(() => new SavedMeanwhile()),
    saved.orElse(() => new SavedMeanwhile()),
    sql`update search_segments set is_used = ${true} where ${isPlace(facts)} and ${among}`,
    sql`update search_segments set is_used = ${false} where ${isPlace(facts)} and not (${among})`,
    sql`update changed_items set is_cleared = ${false}
        where workspace_id = ${workspaceId} and kind = ${kind} and changed_at >= ${timestamp(begunMs - CLOCK_SKEW_MS)}`,
  ]);
}

/** What is deleted meanwhile is not there any more; what is deleted later takes the snapshot along. */
function subjectOf({ workspaceId, sessionId, agentId }: SnapshotFacts): Sql {
  if (sessionId !== null) return sql`select id from sessions where workspace_id = ${workspaceId} and id = ${sessionId}`;
  if (agentId !== null) return sql`select id from agents where workspace_id = ${workspaceId} and id = ${agentId}`;
  return sql`select id from workspaces where id = ${workspaceId}`;
}

/** At once for those who load; the bytes go in steps. */
export async function dropSnapshot(db: Queryable, place: SnapshotPlace, number?: number): Promise<void> {
  const gone = await db.run(sql`
    delete from search_snapshots where ${isPlace(place)} ${number === undefined ? sql`` : sql`and number = ${number}`}`);
  if (gone === 0) return;
  await db.run(sql`update search_segments set is_used = ${false} where ${isPlace(place)}`);
  await dropUnused(db, place);
}

/** Of a session, of an agent, or of a whole workspace that is deleted. */
export async function dropSnapshotsOf(db: Queryable, workspaceId: string, column?: 'session_id' | 'agent_id', id?: string): Promise<void> {
  const which = column && id ? sql`and ${raw(column)} = ${id}` : sql``;
  const found = await db.query(sql<SnapshotPlace>`
    select workspace_id as "workspaceId", scope from search_snapshots where workspace_id = ${workspaceId} ${which}`);
  for (const place of found) await dropSnapshot(db, place);
}

/** Written before its pages: what a process left that stopped in between is found by it. */
export function insertSegment({ workspaceId, scope }: SnapshotPlace, id: string, nowMs: number): Sql {
  return sql`insert into search_segments (workspace_id, id, scope, is_used, created_at)
    values (${workspaceId}, ${id}, ${scope}, ${false}, ${timestamp(nowMs)})`;
}

export function insertPages(workspaceId: string, segmentId: string, pages: readonly Page[]): Sql {
  return sql`insert into search_pages (workspace_id, segment_id, kind, number, bytes)
    values ${rows(pages.map(({ kind, number, bytes }) => [workspaceId, segmentId, PAGE_KINDS.indexOf(kind), number, bytes]))}`;
}

/** The driver of PostgreSQL reads all values as text: base64 is read three times as fast as hexadecimal digits. */
const pageBytes = perEngine({ sqlite: 'bytes', postgres: `encode(bytes, 'base64')` });

interface StoredPage {
  readonly kind: number;
  readonly number: number;
  readonly bytes: Uint8Array | string;
}

const PAGES_AT_ONCE = 32;
const DELETED_AT_ONCE = 32;

/** Pages in the order of their kinds and numbers, up to a kind; fewer than there should be where the segment was dropped meanwhile. */
export async function readPages(db: Queryable, workspaceId: string, segmentId: string, lastKind: PageKind = 'tags'): Promise<Page[]> {
  const pages: Page[] = [];
  let last: { kind: number; number: number } | undefined;
  for (;;) {
    const after = last ? sql`and (kind, number) > (${last.kind}, ${last.number})` : sql``;
    const found: StoredPage[] = await db.query(
      sql<StoredPage>`
        select kind, number, ${pageBytes} as bytes from search_pages where workspace_id = ${workspaceId} and segment_id = ${segmentId}
          and kind <= ${PAGE_KINDS.indexOf(lastKind)} ${after}
        order by kind, number limit ${PAGES_AT_ONCE}`,
    );
    for (const { kind, number, bytes } of found) {
      const name = PAGE_KINDS[kind];
      if (name) pages.push({ kind: name, number, bytes: typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : bytes });
    }
    if (found.length < PAGES_AT_ONCE) return pages;
    last = found.at(-1);
  }
}

/** The pages of segments of a scope that no snapshot names: those that were replaced, not those that are being written. */
export async function dropUnused(db: Queryable, place: SnapshotPlace, ids?: readonly string[]): Promise<void> {
  if (ids?.length === 0) return;
  const unused = await db.query(sql<{ id: string }>`
    select id from search_segments where ${isPlace(place)} and is_used = ${false} ${ids ? sql`and id in ${list(ids)}` : sql``}`);
  for (const { id } of unused) await deleteSegment(db, place.workspaceId, id);
}

async function deleteSegment(db: Queryable, workspaceId: string, id: string): Promise<void> {
  const own = sql`workspace_id = ${workspaceId} and segment_id = ${id}`;
  let deleted: number;
  do {
    deleted = await db.run(sql`
      delete from search_pages where ${own} and (kind, number) in (select kind, number from search_pages where ${own} limit ${DELETED_AT_ONCE})`);
  } while (deleted === DELETED_AT_ONCE);
  await db.run(sql`delete from search_segments where workspace_id = ${workspaceId} and id = ${id}`);
}

/** What processes left that stopped before they named their segments, or before they had dropped those that they replaced. */
export async function dropAbandonedSegments(db: Database, beforeMs: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const found = await db.query(sql<{ workspaceId: string; id: string }>`
      select workspace_id as "workspaceId", id from search_segments where is_used = ${false} and created_at < ${timestamp(beforeMs)} limit ${100}`);
    for (const { workspaceId, id } of found) {
      signal.throwIfAborted();
      await deleteSegment(db, workspaceId, id);
    }
    if (found.length < 100) return;
  }
}

/** Snapshots that nobody used since a time. */
export async function dropUnusedSnapshots(db: Database, beforeMs: number, signal: AbortSignal): Promise<void> {
  await dropSnapshotsWhere(db, sql`used_at < ${timestamp(beforeMs)}`, signal);
}

/** Those of models that are not in use any more. */
export async function dropSnapshotsOfOthers(db: Database, model: string, signal: AbortSignal): Promise<void> {
  await dropSnapshotsWhere(db, sql`model <> ${model}`, signal);
}

async function dropSnapshotsWhere(db: Database, condition: Sql, signal: AbortSignal): Promise<void> {
  for (;;) {
    const found = await db.query(sql<SnapshotPlace>`
      select workspace_id as "workspaceId", scope from search_snapshots where ${condition} limit ${100}`);
    for (const place of found) {
      signal.throwIfAborted();
      await dropSnapshot(db, place);
    }
    if (found.length < 100) return;
  }
}

export async function noteUse(db: Queryable, place: SnapshotPlace, nowMs: number): Promise<void> {
  await db.run(sql`update search_snapshots set used_at = ${timestamp(nowMs)} where ${isPlace(place)}`);
}
