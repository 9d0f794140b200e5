/** Segments and their pages at rest. */
import { timestamp } from '../../clock.ts';
import type { Queryable } from '../../db/database.ts';
import { forShare, list, perEngine, rows, type Sql, sql } from '../../db/sql.ts';
import { PAGE_KINDS, type Page, type PageKind } from './pages.ts';

/** What a segment is a part of. */
export interface SnapshotPlace {
  readonly workspaceId: string;
  /** The key of the scope behind the number of the format, as `placeOf` names it. */
  readonly scope: string;
}

/** Another node saved meanwhile, or what was saved was dropped: nothing is changed. */
export class SavedMeanwhile extends Error {
  constructor() {
    super('The search index was saved by another node meanwhile');
    this.name = 'SavedMeanwhile';
  }
}

/** Written before its pages: what a process left that stopped in between is found by it. */
export function insertSegment({ workspaceId, scope }: SnapshotPlace, id: string, nowMs: number): Sql {
  return sql`insert into search_segments (workspace_id, id, scope, is_used, created_at)
    values (${workspaceId}, ${id}, ${scope}, ${false}, ${timestamp(nowMs)})`;
}

/** Throws `SavedMeanwhile` where the segment was deleted meanwhile: pages without it would stay for ever. */
export async function insertPages(db: Queryable, workspaceId: string, segmentId: string, pages: readonly Page[]): Promise<void> {
  const segment = sql`select id from search_segments where workspace_id = ${workspaceId} and id = ${segmentId}${forShare}`;
  await db.batch([segment.orElse(() => new SavedMeanwhile()), pagesInserted(workspaceId, segmentId, pages)]);
}

function pagesInserted(workspaceId: string, segmentId: string, pages: readonly Page[]): Sql {
  return sql`insert into search_pages (workspace_id, segment_id, kind, number, bytes)
    values ${rows(pages.map(({ kind, number, bytes }) => [workspaceId, segmentId, PAGE_KINDS.indexOf(kind), number, bytes]))}`;
}

/** Pages that are there, with other bytes. */
export function replacePages(workspaceId: string, segmentId: string, pages: readonly Page[]): Sql {
  return sql`${pagesInserted(workspaceId, segmentId, pages)}
    on conflict (workspace_id, segment_id, kind, number) do update set bytes = excluded.bytes`;
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

/** Those of some segments that no snapshot names. */
export async function dropUnused(db: Queryable, workspaceId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const found = await db.query(sql<{ id: string }>`
    select id from search_segments where workspace_id = ${workspaceId} and is_used = ${true} and id in ${list(ids)}`);
  const used = new Set(found.map(({ id }) => id));
  for (const id of ids) if (!used.has(id)) await deleteSegment(db, workspaceId, id);
}

/** A few pages at a time, for they are large. */
export async function deleteSegment(db: Queryable, workspaceId: string, id: string): Promise<void> {
  const own = sql`workspace_id = ${workspaceId} and segment_id = ${id}`;
  let deleted: number;
  do {
    deleted = await db.run(sql`
      delete from search_pages where ${own} and (kind, number) in (select kind, number from search_pages where ${own} limit ${DELETED_AT_ONCE})`);
  } while (deleted === DELETED_AT_ONCE);
  // Whoever writes to it comes first: what it wrote goes too, and from then on it can't.
  await db.batch([
    sql`delete from search_segments where workspace_id = ${workspaceId} and id = ${id}`,
    sql`delete from search_pages where ${own}`,
  ]);
}
