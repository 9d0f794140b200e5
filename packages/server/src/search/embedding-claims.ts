/** Which node embeds which of the queued texts: a claim that lapses, so that none is embedded twice and none waits for a node that died. */
import { timestamp } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import { join, nothing, perEngine, raw, rows, type Sql, sql } from '../db/sql.ts';
import { FIRST_WORKSPACE_ID, waitingWorkspaces } from '../db/waiting-workspaces.ts';
import type { EmbeddedItems } from './embedded-items.ts';
import { MOST_EMBEDDED_CHARACTERS } from './embedding/embedder.ts';
import type { QueuedItem } from './vectors.ts';

/** What embeds longer than this is embedded by another node as well, and the first to be done is kept. */
export const CLAIM_MS = 60_000;
const WORKSPACES_AT_ONCE = 8;

export interface ClaimedItem extends QueuedItem {
  /** As this claim wrote it, which tells it from a later one; null where nobody else could claim it. */
  readonly claimedUntil: string | null;
  /** As far as a model reads it; null where it is no more. */
  readonly text: string | null;
}

/**
 * Some workspaces whose texts wait, going round from one call to the next: nobody waits for another's import.
 */
export async function queuedWorkspaces(db: Database, afterWorkspaceId: string | undefined): Promise<string[]> {
  const from = (after: string) => waitingWorkspaces(db, { table: 'embedding_queue' }, after, WORKSPACES_AT_ONCE);
  const found = await from(afterWorkspaceId ?? FIRST_WORKSPACE_ID);
  return found.length === 0 && afterWorkspaceId !== undefined ? from(FIRST_WORKSPACE_ID) : found;
}

const selected = raw(`q.workspace_id as "workspaceId", q.kind, q.scope_id as "scopeId", q.item_id as "itemId", q.created_at as "queuedAt"`);
const inOrder = raw('order by workspace_id, kind, scope_id, item_id');

export interface ClaimOptions {
  readonly workspaceId: string;
  readonly most: number;
  readonly nowMs: number;
  /** Where the texts are. */
  readonly sources: readonly EmbeddedItems[];
  /** In this process. The embedded engine has no other, and claims nothing: it passes over all from the first to the last of these. */
  readonly underWay?: readonly QueuedItem[] | undefined;
}

/** The first of a workspace's texts that nobody embeds. */
export async function claimItems(
  db: Queryable,
  { workspaceId, most, nowMs, sources, underWay = [] }: ClaimOptions,
): Promise<ClaimedItem[]> {
  const text = textOf(workspaceId, sources);
  if (db.engine === 'sqlite') {
    return db.query(sql<ClaimedItem>`
      select ${selected}, null as "claimedUntil", ${text} as text from embedding_queue q
      where workspace_id = ${workspaceId} ${outside(underWay)} ${inOrder} limit ${most}`);
  }
  // By their places in the table, and without a limit that the planner could see: the queue grows and empties within minutes, and by what the
  // server last knew of it, it would sort all of it each time.
  const claimed = await db.query(sql<ClaimedItem>`
    update embedding_queue q set claimed_until = ${timestamp(nowMs + CLAIM_MS)}
    where workspace_id = ${workspaceId} and ctid = any (array(
      select ctid from embedding_queue
      where workspace_id = ${workspaceId} and (claimed_until is null or claimed_until <= ${timestamp(nowMs)})
      ${inOrder} limit (select ${most}::bigint) for update skip locked))
    returning ${selected}, q.claimed_until as "claimedUntil", ${text} as text`);
  return claimed.sort(compareItems);
}

/** A look-up for each item, whatever the server takes the table for. */
function textOf(workspaceId: string, sources: readonly EmbeddedItems[]): Sql {
  if (sources.length === 0) return raw('null');
  const cases = sources.map(
    ({ kind, table, scopeColumn, textColumn }) => sql`
      when ${kind} then (
        select substr(t.${raw(textColumn)}, 1, ${MOST_EMBEDDED_CHARACTERS}) from ${raw(table)} t
        where t.workspace_id = ${workspaceId} and t.${raw(scopeColumn)} = q.scope_id and t.id = q.item_id)`,
  );
  return sql`case q.kind ${join(cases, ' ')} end`;
}

function outside(underWay: readonly QueuedItem[]): Sql {
  const [first, last = first] = endsOf(underWay);
  if (!first || !last) return nothing;
  const place = ({ kind, scopeId, itemId }: QueuedItem) => rows([[kind, scopeId, itemId]]);
  return sql`and ((kind, scope_id, item_id) < ${place(first)} or (kind, scope_id, item_id) > ${place(last)})`;
}

/** The first and the last in the order of the queue. */
export function endsOf(items: readonly QueuedItem[]): QueuedItem[] {
  let [first] = items;
  let last = first;
  for (const item of items) {
    if (first && compareItems(item, first) < 0) first = item;
    if (last && compareItems(item, last) > 0) last = item;
  }
  return first && last ? [first, last] : [];
}

function compareItems(a: QueuedItem, b: QueuedItem): number {
  return compare(a.kind, b.kind) || compare(a.scopeId, b.scopeId) || compare(a.itemId, b.itemId);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Gives claims up that came to nothing, so that whoever is able takes the texts at once. Those that ran out and are another's by now stay. */
export async function releaseItems(db: Queryable, items: readonly ClaimedItem[]): Promise<void> {
  for (const own of Map.groupBy(items, ({ workspaceId, claimedUntil }) => `${workspaceId} ${claimedUntil}`).values()) {
    const { workspaceId, claimedUntil } = own[0] as ClaimedItem;
    if (claimedUntil === null) continue;
    const places = own.map(({ kind, scopeId, itemId }) => [kind, scopeId, itemId]);
    await db.run(sql`
      update embedding_queue set claimed_until = null
      where workspace_id = ${workspaceId} and claimed_until = ${claimedUntil}
        and (kind, scope_id, item_id) in (values ${typedPlace}, ${rows(places)})`);
  }
}

/** A list of values has no types of its own on PostgreSQL: a row of nulls, which nothing equals, brings them. */
const typedPlace = perEngine({ sqlite: '(null, null, null)', postgres: '(null::text, null::uuid, null::uuid)' });
