/** Segments and their pages at rest. */
import { timestamp } from '../../clock.ts';
import type { Queryable } from '../../db/database.ts';
import { forShare, join, list, rows, type Sql, sql } from '../../db/sql.ts';
import { PAGE_KINDS, type Page, type PageKind, type PagePlace, type WordPage } from './pages.ts';

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

interface StoredPage {
  readonly kind: number;
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Two or three megabytes: what others wait for whose statements come behind it, and what the main thread takes in at a time. */
const PAGES_AT_ONCE = 12;
const WORD_PAGES_AT_ONCE = 64;
const DELETED_AT_ONCE = 32;

/** Pages of some kinds, in their order; fewer than there should be where the segment was dropped meanwhile. */
export async function readPages(
  db: Queryable,
  workspaceId: string,
  segmentId: string,
  kinds: readonly PageKind[] = PAGE_KINDS,
): Promise<Page[]> {
  const pages: Page[] = [];
  let last: { kind: number; number: number } | undefined;
  for (;;) {
    const after = last ? sql`and (kind, number) > (${last.kind}, ${last.number})` : sql``;
    const found: StoredPage[] = await db.query(
      sql<StoredPage>`
        select kind, number, bytes from search_pages where workspace_id = ${workspaceId} and segment_id = ${segmentId}
          and kind in ${list(kinds.map((kind) => PAGE_KINDS.indexOf(kind)))} ${after}
        order by kind, number limit ${PAGES_AT_ONCE}`.inBinary(),
    );
    pages.push(...found.flatMap(pageOf));
    if (found.length < PAGES_AT_ONCE) return pages;
    last = found.at(-1);
  }
}

function pageOf({ kind, number, bytes }: StoredPage): Page[] {
  const name = PAGE_KINDS[kind];
  return name ? [{ kind: name, number, bytes }] : [];
}

/** Pages of words by their numbers, of several segments; those that are not there any more are left out. */
export async function readWordPages(db: Queryable, workspaceId: string, places: readonly PagePlace[]): Promise<WordPage[]> {
  const found: WordPage[] = [];
  for (let from = 0; from < places.length; from += WORD_PAGES_AT_ONCE) {
    const bySegment = Map.groupBy(places.slice(from, from + WORD_PAGES_AT_ONCE), ({ segmentId }) => segmentId);
    const wanted = Array.from(bySegment, ([id, some]) => sql`(segment_id = ${id} and number in ${list(some.map(({ number }) => number))})`);
    const rows = await db.query(
      sql<StoredPage & { segmentId: string }>`
        select cast(segment_id as text) as "segmentId", kind, number, bytes from search_pages
        where workspace_id = ${workspaceId} and kind = ${PAGE_KINDS.indexOf('words')} and (${join(wanted, ' or ')})`.inBinary(),
    );
    found.push(...rows.flatMap((row) => pageOf(row).map((page) => ({ ...page, segmentId: row.segmentId }))));
  }
  return found;
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
