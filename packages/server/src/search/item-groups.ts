/** A group of items of one workspace: claimed with their texts, embedded in one call, stored a part at a time. */
import type { Database } from '../db/database.ts';
import type { EmbeddedItems } from './embedded-items.ts';
import { type EmbeddedText, type Embedder, embedTexts, RefusedText } from './embedding/embedder.ts';
import { type ClaimedItem, claimItems, releaseItems } from './embedding-claims.ts';
import { type SettledItems, settleQueued } from './settling.ts';
import { type QueuedItem, storedVector } from './vectors.ts';

/** In one statement: neither the event loop nor another's write waits long for it. */
const ITEMS_AT_ONCE = 128;
/** Of a group: no more texts are read than that and one part of it. */
const MOST_CHARACTERS = 200_000;

/** Up to `most` items of a workspace. `underWay` are in this process already. */
export async function gatherGroup(
  db: Database,
  sources: readonly EmbeddedItems[],
  { workspaceId, most, nowMs, underWay }: { workspaceId: string; most: number; nowMs: number; underWay: readonly QueuedItem[] },
): Promise<ClaimedItem[]> {
  const items: ClaimedItem[] = [];
  let characters = 0;
  try {
    while (items.length < most && characters < MOST_CHARACTERS) {
      const limit = Math.min(ITEMS_AT_ONCE, most - items.length);
      const some = await claimItems(db, { workspaceId, most: limit, nowMs, sources, underWay: [...underWay, ...items] });
      for (const { text } of some) characters += text?.length ?? 0;
      items.push(...some);
      if (some.length < limit) break;
    }
  } catch (error) {
    await releaseItems(db, items).catch(() => undefined);
    throw error;
  }
  return items;
}

export interface StoredGroup {
  readonly stored: number;
  readonly refused: SettledItems['refused'];
}

/** What was edited or deleted meanwhile is not stored. */
export async function embedGroup(
  db: Database,
  embedder: Embedder,
  items: readonly ClaimedItem[],
  nowMs: () => number,
  signal: AbortSignal,
): Promise<StoredGroup> {
  const workspaceId = items[0]?.workspaceId ?? '';
  const texts = items.flatMap(({ text }) => (text === null ? [] : [text]));
  const made = texts.length === 0 ? [] : await embedTexts(embedder, texts, { priority: 'background', lane: workspaceId, signal });
  let next = 0;
  const outcomes = items.map(({ text }) => (text === null ? undefined : made[next++]));
  let stored = 0;
  const refused: SettledItems['refused'][number][] = [];
  for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) {
    const end = start + ITEMS_AT_ONCE;
    const part = { workspaceId, model: embedder.model, ...settledItems(items.slice(start, end), outcomes.slice(start, end)) };
    const kept = await settleQueued(db, part, nowMs());
    stored += part.vectors.filter(({ item }) => kept.has(item.itemId)).length;
    refused.push(...part.refused.filter(({ item }) => kept.has(item.itemId)));
  }
  return { stored, refused };
}

function settledItems(
  items: readonly QueuedItem[],
  outcomes: readonly (EmbeddedText | RefusedText | undefined)[],
): Pick<SettledItems, 'vectors' | 'refused' | 'gone'> {
  const vectors: SettledItems['vectors'][number][] = [];
  const refused: SettledItems['refused'][number][] = [];
  const gone: QueuedItem[] = [];
  for (const [index, item] of items.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined) gone.push(item);
    else if (outcome instanceof RefusedText) refused.push({ item, reason: outcome.reason });
    else vectors.push({ item, ...storedVector(outcome) });
  }
  return { vectors, refused, gone };
}
