/** Loads what is kept of a scope into its index: whole, or with the words and vectors of large segments left at rest. */
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import { LaneLimiter } from '../../lanes/lane-limiter.ts';
import type { ScopeLimits, SearchIndexes } from '../indexes.ts';
import type { ScopeSize } from '../protocol.ts';
import { requireLoaded } from '../scope-lost.ts';
import type { ScopeSource } from '../scope-source.ts';
import type { Synced } from '../synced-scope.ts';
import { HELD_KINDS, PAGED_KINDS, type Page } from './pages.ts';
import { MOST_ITEMS } from './segment.ts';
import { readPages } from './segment-store.ts';
import {
  dropSnapshot,
  type Manifest,
  placeOf,
  readSnapshot,
  readSnapshotNumber,
  type Snapshot,
  type StoredSegment,
  type StoredThread,
} from './store.ts';

/** So often a snapshot may be replaced while it is read. */
const MOST_TRIES = 3;
/** Segments in memory on their way to an index, of one workspace and of all. One is read while the index takes in the one before it. */
const SEGMENTS_OF_WORKSPACE = 2;
const SEGMENTS_OF_ALL = 3;
/** What an index takes in memory, beside what is stored of it. */
const MEMORY_OF_STORED = 1.7;
/** What an item takes whose words and vector are at rest. */
const PAGED_ITEM_BYTES = 180;
/** A segment of which so much is gone is held, so that it is written anew with the next save. */
const MOST_GONE_SHARE = 0.25;
/** Of what a scope may take: small segments that are held beside those at rest. */
const SMALL_SHARE = 0.125;

/** What was known of the threads when it was saved, and what the index takes now. */
export interface LoadedSnapshot {
  readonly number: number;
  readonly threads: readonly StoredThread[];
  readonly size: ScopeSize;
  /** How many of its items are at rest. */
  readonly pagedItems: number;
}

/** What a scope is stored as: segments that it has at rest, and those that it has in memory whole. */
export interface SavedSegments {
  readonly atRest: readonly StoredSegment[];
  readonly inMemory: readonly StoredSegment[];
}

/** About what a snapshot takes in memory. */
export function memoryOf({ items, bytes }: { readonly items: number; readonly bytes: number }, { scopeBytes }: ScopeLimits): number {
  const held = bytes * MEMORY_OF_STORED;
  return held > scopeBytes ? items * PAGED_ITEM_BYTES : held;
}

export class SnapshotLoader {
  readonly #db: Database;
  readonly #indexes: SearchIndexes;
  readonly #log: Logger;
  readonly #underWay = new LaneLimiter({ inFlight: SEGMENTS_OF_ALL, inFlightOfLane: SEGMENTS_OF_WORKSPACE });
  /** Two at once would take as long, and keep more from others. */
  readonly #reading = new LaneLimiter({ inFlightOfLane: 1 });
  loaded = 0;
  unusable = 0;

  constructor(db: Database, indexes: SearchIndexes, log: Logger) {
    this.#db = db;
    this.#indexes = indexes;
    this.#log = log;
  }

  /** The index has the items then. `reopen` makes it empty again. */
  async load(source: ScopeSource, name: string, reopen: () => Promise<unknown>, isLarge: boolean): Promise<LoadedSnapshot | undefined> {
    for (let tries = 1; ; tries++) {
      const snapshot = await readSnapshot(this.#db, placeOf(source));
      if (!snapshot) return undefined;
      const { number, manifest } = snapshot;
      const outcome = await this.#append(source, name, manifest, isLarge);
      if (typeof outcome !== 'string' && !(await this.#isErasedSince(snapshot))) {
        this.loaded++;
        return { number, threads: manifest.threads, ...outcome };
      }
      await reopen();
      // Another took its place while it was read.
      const current = await readSnapshot(this.#db, placeOf(source));
      if (current && current.number !== number && tries < MOST_TRIES) continue;
      await this.discard(source, number, typeof outcome === 'string' ? outcome : 'it changed again and again');
      return undefined;
    }
  }

  /**
   * Its words and vectors leave memory where its segments, which are stored just now, have all of them. It is loaded anew where they
   * don't, and where one should be written anew.
   */
  async leaveAtRest(source: ScopeSource, known: Synced, { atRest, inMemory }: SavedSegments): Promise<void> {
    if (atRest.some(isWorn)) return;
    const { workspaceId } = source;
    const stored: { id: string; pages: Page[] }[] = [];
    for (const { id } of inMemory) {
      const pages = await this.#reading.run(workspaceId, () => readPages(this.#db, workspaceId, id, PAGED_KINDS));
      stored.push({ id, pages: pages.map(inOwnBuffer) });
    }
    // Something may have been erased from one while it was read.
    if ((await readSnapshotNumber(this.#db, placeOf(source))) !== known.snapshotNumber) return;
    const buffers = stored.flatMap(({ pages }) => pages.map(({ bytes }) => bytes.buffer as ArrayBuffer));
    const answer = await this.#indexes.ask<'leaveAtRest'>({ op: 'leaveAtRest', scope: known.name, segments: stored }, buffers);
    if (!answer?.isAtRest) return;
    const { size, bytes } = answer;
    known.size = { size, bytes };
    known.mostSize = sizeWithTail(known.size, size, this.#indexes.limits);
  }

  /** Unless it is another by now. */
  async discard(source: ScopeSource, number: number, reason: string): Promise<void> {
    if (!(await dropSnapshot(this.#db, placeOf(source), number))) return;
    this.unusable++;
    this.#log.warn({ scope: source.key, reason }, 'a stored search index was dropped, and is built anew');
  }

  /** Whether some pages may have been read before and others after something was erased from a segment. */
  async #isErasedSince(snapshot: Snapshot): Promise<boolean> {
    const number = await readSnapshotNumber(this.#db, snapshot);
    if (number === undefined || number === snapshot.number) return false;
    const current = await readSnapshot(this.#db, snapshot);
    const items = new Map(current?.manifest.segments.map((segment) => [segment.id, segment.items]));
    return snapshot.manifest.segments.some((segment) => (items.get(segment.id) ?? segment.items) !== segment.items);
  }

  /** What it takes then, or why it can't be used. The next segment is read while the index takes in the last. */
  async #append(
    source: ScopeSource,
    name: string,
    manifest: Manifest,
    isLarge: boolean,
  ): Promise<Pick<LoadedSnapshot, 'size' | 'pagedItems'> | string> {
    const { paged, held } = divideSegments(manifest.segments, this.#indexes.limits, isLarge);
    const reserved = this.#indexes.ask<'reserve'>({
      op: 'reserve',
      scope: name,
      items: sum(manifest.segments, countOf),
      held: sum(held, countOf),
    });
    const appended = [
      ...paged.map((segment) => this.#appendSegment(source, name, segment, 'appendPaged')),
      ...held.map((segment) => this.#appendSegment(source, name, segment, 'append')),
    ];
    let size: ScopeSize = { size: 0, bytes: 0 };
    const [, ...outcomes] = await Promise.all([reserved, ...appended]);
    for (const outcome of outcomes) {
      if (typeof outcome === 'string') return outcome;
      size = outcome;
    }
    return { size, pagedItems: sum(paged, ({ items, gone = [] }) => items - gone.length) };
  }

  async #appendSegment(
    source: ScopeSource,
    name: string,
    segment: StoredSegment,
    op: 'append' | 'appendPaged',
  ): Promise<ScopeSize | string> {
    const { workspaceId, model } = source;
    return this.#underWay.run(workspaceId, async () => {
      const kinds = op === 'append' ? HELD_KINDS : PAGED_KINDS;
      const read = await this.#reading.run(workspaceId, () => readPages(this.#db, workspaceId, segment.id, kinds));
      const pages = read.map(inOwnBuffer);
      const buffers = pages.map(({ bytes }) => bytes.buffer as ArrayBuffer);
      const request = { op, scope: name, segmentId: segment.id, model, pages, gone: segment.gone ?? [] };
      const answer = requireLoaded(await this.#indexes.ask<'append' | 'appendPaged'>(request, buffers));
      return 'unusable' in answer ? answer.unusable : answer;
    });
  }
}

/** What it may have in memory, where so many of its items are at rest; more than it has, so that it goes on in any case. */
export function sizeWithTail({ size, bytes }: ScopeSize, pagedItems: number, { tailBytes, tailItems }: ScopeLimits): ScopeSize {
  return { size: Math.max(pagedItems + tailItems, size + tailItems / 2), bytes: bytes + tailBytes };
}

/** Whether so much of it is gone that it should be written anew. */
function isWorn({ items, gone = [] }: StoredSegment): boolean {
  return gone.length > items * MOST_GONE_SHARE;
}

/** What is at rest comes first. Of a large scope the small segments are held, and those of which much is gone: so they are written anew. */
function divideSegments(segments: readonly StoredSegment[], { scopeBytes, tailBytes }: ScopeLimits, isLarge: boolean) {
  const memory = ({ bytes }: StoredSegment) => bytes * MEMORY_OF_STORED;
  if (!isLarge && sum(segments, memory) <= scopeBytes) return { paged: [], held: segments };
  const room = { small: scopeBytes * SMALL_SHARE, worn: tailBytes };
  const held: StoredSegment[] = [];
  for (const segment of segments.toSorted((a, b) => a.bytes - b.bytes)) {
    const kind = isWorn(segment) ? 'worn' : 'small';
    if ((kind === 'small' && segment.items * 2 > MOST_ITEMS) || memory(segment) > room[kind]) continue;
    room[kind] -= memory(segment);
    held.push(segment);
  }
  return { paged: segments.filter((segment) => !held.includes(segment)), held };
}

const countOf = ({ items }: StoredSegment) => items;

function sum(segments: readonly StoredSegment[], of: (segment: StoredSegment) => number): number {
  return segments.reduce((total, segment) => total + of(segment), 0);
}

/** To be handed over, and not copied: what the driver gives may share its buffer with other rows. */
function inOwnBuffer(page: Page): Page {
  const { bytes } = page;
  const isOwn = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength && !Buffer.isBuffer(bytes);
  return isOwn ? page : { ...page, bytes: new Uint8Array(bytes) };
}
