/** Which node embeds which of the queued texts: a claim that lapses, so that none is embedded twice and none waits for a node that died. */
import { timestamp } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import { nothing, raw, rows, sql } from '../db/sql.ts';
import { FIRST_WORKSPACE_ID, waitingWorkspaces } from '../db/waiting-workspaces.ts';
import type { QueuedItem } from './vectors.ts';

/** What embeds longer than this is embedded by another node as well, and the first to be done is kept. */
export const CLAIM_MS = 60_000;
const WORKSPACES_AT_ONCE = 8;

export interface ClaimedItem extends QueuedItem {
  /** As this claim wrote it, which tells it from a later one; null where nobody else could claim it. */
  readonly claimedUntil: string | null;
}

/**
 * Some workspaces whose texts wait, going round from one call to the next: nobody waits for another's import.
 */
export async function queuedWorkspaces(db: Database, afterWorkspaceId: string | undefined): Promise<string[]> {
  const from = (after: string) => waitingWorkspaces(db, { table: 'embedding_queue' }, after, WORKSPACES_AT_ONCE);
  const found = await from(afterWorkspaceId ?? FIRST_WORKSPACE_ID);
  return found.length === 0 && afterWorkspaceId !== undefined ? from(FIRST_WORKSPACE_ID) : found;
}

const selected = raw(`workspace_id as "workspaceId", kind, scope_id as "scopeId", item_id as "itemId", created_at as "queuedAt"`);
const inOrder = raw('order by workspace_id, kind, scope_id, item_id');

/** Items from the first to the last of those that are under way. */
export interface ItemSpan {
  readonly first: QueuedItem;
  readonly last: QueuedItem;
}

/**
 * The first of a workspace's texts that no other node has claimed. The embedded engine has one process, which claims nothing, and passes over
 * what it has `underWay`.
 */
export async function claimItems(
  db: Queryable,
  workspaceId: string,
  most: number,
  nowMs: number,
  underWay?: ItemSpan,
): Promise<ClaimedItem[]> {
  if (db.engine === 'sqlite') {
    const place = ({ kind, scopeId, itemId }: QueuedItem) => rows([[kind, scopeId, itemId]]);
    const outside = underWay
      ? sql`and ((kind, scope_id, item_id) < ${place(underWay.first)} or (kind, scope_id, item_id) > ${place(underWay.last)})`
      : nothing;
    return db.query(sql<ClaimedItem>`
      select ${selected}, null as "claimedUntil" from embedding_queue where workspace_id = ${workspaceId} ${outside} ${inOrder} limit ${most}`);
  }
  const claimed = await db.query(sql<ClaimedItem>`
    update embedding_queue set claimed_until = ${timestamp(nowMs + CLAIM_MS)}
    where workspace_id = ${workspaceId} and (kind, scope_id, item_id) in (
      select kind, scope_id, item_id from embedding_queue
      where workspace_id = ${workspaceId} and (claimed_until is null or claimed_until <= ${timestamp(nowMs)})
      ${inOrder} limit ${most} for update skip locked)
    returning ${selected}, claimed_until as "claimedUntil"`);
  return claimed.sort(compareItems);
}

export const compareItems = (a: QueuedItem, b: QueuedItem): number => (placeOf(a) < placeOf(b) ? -1 : 1);

const placeOf = ({ kind, scopeId, itemId }: QueuedItem) => `${kind} ${scopeId} ${itemId}`;

/** Gives claims up that came to nothing, so that whoever is able takes the texts at once. Those that ran out and are another's by now stay. */
export async function releaseItems(db: Queryable, items: readonly ClaimedItem[]): Promise<void> {
  for (const [workspaceId, own] of Map.groupBy(items, (item) => item.workspaceId)) {
    const held = own.filter(({ claimedUntil }) => claimedUntil !== null);
    const [first] = held;
    if (!first) continue;
    const places = held.map(({ kind, scopeId, itemId }) => [kind, scopeId, itemId]);
    await db.run(sql`
      update embedding_queue set claimed_until = null
      where workspace_id = ${workspaceId} and (kind, scope_id, item_id) in (${rows(places)}) and claimed_until = ${first.claimedUntil}`);
  }
}
