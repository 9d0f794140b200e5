/** A group of items of one workspace: claimed with their texts, embedded in one call, stored a part at a time. */
import type { Database } from '../db/database.ts';
import { perEngine, raw, rows, sql } from '../db/sql.ts';
import type { EmbeddedItems } from './embedded-items.ts';
import { type Embedder, MOST_EMBEDDED_CHARACTERS, RefusedText } from './embedding/embedder.ts';
import { quantize } from './embedding/quantize.ts';
import { type ClaimedItem, claimItems, compareItems, type ItemSpan } from './embedding-claims.ts';
import { type QueuedItem, type SettledItems, settleQueued } from './vectors.ts';

/** In one statement: neither the event loop nor another's write waits long for it. */
const ITEMS_AT_ONCE = 128;
/** Of a group: no more texts are read than that and one part of it. */
const MOST_CHARACTERS = 200_000;

export interface ItemGroup {
  readonly workspaceId: string;
  /** In order. */
  readonly items: readonly ClaimedItem[];
  readonly texts: ReadonlyMap<string, string>;
}

/** Up to `most` items with their texts. */
export async function gatherGroup(
  db: Database,
  sources: ReadonlyMap<string, EmbeddedItems>,
  workspaceId: string,
  most: number,
  nowMs: number,
  underWay: ItemSpan | undefined,
): Promise<ItemGroup> {
  const items: ClaimedItem[] = [];
  const texts = new Map<string, string>();
  let characters = 0;
  while (items.length < most && characters < MOST_CHARACTERS) {
    const limit = Math.min(ITEMS_AT_ONCE, most - items.length);
    const some = await claimItems(db, workspaceId, limit, nowMs, spanAround(items, underWay));
    items.push(...some);
    for (const [id, text] of await readTexts(db, sources, workspaceId, some)) {
      texts.set(id, text);
      characters += text.length;
    }
    if (some.length < limit) break;
  }
  return { workspaceId, items: items.sort(compareItems), texts };
}

function spanAround(items: readonly QueuedItem[], underWay: ItemSpan | undefined): ItemSpan | undefined {
  const ends = [...items, ...(underWay ? [underWay.first, underWay.last] : [])].sort(compareItems);
  const [first, last] = [ends.at(0), ends.at(-1)];
  return first && last && { first, last };
}

/** One query for each kind, whatever sessions they are of. */
async function readTexts(
  db: Database,
  sources: ReadonlyMap<string, EmbeddedItems>,
  workspaceId: string,
  items: readonly QueuedItem[],
): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const [kind, some] of Map.groupBy(items, (item) => item.kind)) {
    const source = sources.get(kind);
    if (!source) continue;
    const wanted = rows(some.map(({ scopeId, itemId }) => [scopeId, itemId]));
    const texts = await db.query(sql<{ id: string; content: string }>`
      with wanted (scope_id, item_id) as (values ${wanted})
      select t.id, substr(t.${raw(source.textColumn)}, 1, ${MOST_EMBEDDED_CHARACTERS}) as content from wanted
      cross join ${raw(source.table)} t
      where t.workspace_id = ${workspaceId} and t.${raw(source.scopeColumn)} = ${wantedScope} and t.id = ${wantedItem}`);
    for (const { id, content } of texts) found.push([id, content]);
  }
  return found;
}

/** A list of values has the type of its texts on PostgreSQL. */
const wantedScope = perEngine({ sqlite: 'wanted.scope_id', postgres: 'cast(wanted.scope_id as uuid)' });
const wantedItem = perEngine({ sqlite: 'wanted.item_id', postgres: 'cast(wanted.item_id as uuid)' });

export interface StoredGroup {
  readonly stored: number;
  readonly refused: SettledItems['refused'];
}

/** What was edited or deleted meanwhile is not stored. */
export async function embedGroup(
  db: Database,
  embedder: Embedder,
  { workspaceId, items, texts }: ItemGroup,
  nowMs: () => number,
  signal: AbortSignal,
): Promise<StoredGroup> {
  const present = items.filter(({ itemId }) => texts.has(itemId));
  const made =
    present.length === 0
      ? []
      : await embedder.embed(
          present.map(({ itemId }) => texts.get(itemId) as string),
          { priority: 'background', lane: workspaceId, signal },
        );
  const outcomes = new Map(present.map(({ itemId }, index) => [itemId, made[index] as Float32Array | RefusedText]));
  let stored = 0;
  const refused: SettledItems['refused'][number][] = [];
  for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) {
    const part = settledItems(items.slice(start, start + ITEMS_AT_ONCE), outcomes);
    const kept = await settleQueued(db, workspaceId, part, embedder.model, nowMs());
    stored += part.vectors.filter(({ item }) => kept.has(item.itemId)).length;
    refused.push(...part.refused.filter(({ item }) => kept.has(item.itemId)));
  }
  return { stored, refused };
}

function settledItems(items: readonly QueuedItem[], outcomes: ReadonlyMap<string, Float32Array | RefusedText>): SettledItems {
  const vectors: SettledItems['vectors'][number][] = [];
  const refused: SettledItems['refused'][number][] = [];
  const gone: QueuedItem[] = [];
  for (const item of items) {
    const outcome = outcomes.get(item.itemId);
    if (outcome === undefined) gone.push(item);
    else if (outcome instanceof RefusedText) refused.push({ item, reason: outcome.reason });
    else vectors.push({ item, vector: quantize(outcome) });
  }
  return { vectors, refused, gone };
}
