/** Where the items of a scope come from. */
import type { VersionedItem } from './protocol.ts';
import type { ProfileName } from './ranking/profiles.ts';
import type { ItemKind } from './segments/store.ts';
import type { VectorColumn } from './vectors.ts';

export const PAGE_ITEMS = 2000;
/** Of texts; what one page takes in memory, in a message to the thread, and of a reader's time. */
export const PAGE_BYTES = 4 * 1024 * 1024;

/** A session or a document: what its items count, and a mark that moves with every edit or deletion. */
export interface ThreadState {
  readonly thread: string;
  readonly count: number;
  readonly edits: string;
  /** What all of its items have from it, labels say: when it changes, they are all read again. */
  readonly shared?: string;
}

export interface ItemPlace {
  readonly thread: string;
  readonly id: string;
}

/** Items in order, as many as `PAGE_ITEMS` and `PAGE_BYTES` allow and at least one if there is one. */
export interface ItemPage {
  readonly items: VersionedItem[];
  /** Whether nothing is left after them. */
  readonly isLast: boolean;
}

/** What a scope is about: a session, an agent, or neither for all of a workspace. */
export interface KeptScope {
  readonly kind: ItemKind;
  /** Whether its index is kept only when it is too large to be held in memory whole: there are many such scopes, and most are small. */
  readonly onlyLarge?: boolean | undefined;
  readonly sessionId?: string | undefined;
  readonly agentId?: string | undefined;
}

export interface ScopeSource {
  /** Names the scope among all others. */
  readonly key: string;
  /** Whose lane its searches go in. */
  readonly workspaceId: string;
  readonly profile: ProfileName;
  /** Whose vectors its items come with. */
  readonly model: string;
  /** How its index is kept in the database. */
  readonly kept?: KeptScope | undefined;
  /** How many items have no vector of the model. */
  missingVectors(): Promise<number>;
  /** Cheap; equal to the last one means that nothing changed. */
  marker(): Promise<string>;
  threads(): Promise<ThreadState[]>;
  listing(thread: string): Promise<{ id: string; version: number }[]>;
  /** Of some items, as far as they are there. */
  versions(thread: string, ids: readonly string[]): Promise<{ id: string; version: number }[]>;
  /** All items of some threads, by thread and then in order: those after a place, or from the beginning. */
  itemsAfter(threads: readonly string[], after: ItemPlace | undefined): Promise<ItemPage>;
  /** What changed in a thread between two marks of its edits; nothing where that is not known, and a listing must tell. */
  changed?(thread: string, after: string, upTo: string): Promise<string[] | undefined>;
  /** Some of those with these ids, in order; the others when they are asked for again. */
  items(thread: string, ids: readonly string[]): Promise<ItemPage>;
  /** The vectors of some items, or the codes of their tokens, as far as there are any. */
  vectors(places: readonly ItemPlace[], column?: VectorColumn): Promise<(readonly [id: string, bytes: Uint8Array])[]>;
  /** All of those with these ids, the texts cut to what a model reads of them. */
  textsToEmbed(thread: string, ids: readonly string[]): Promise<VersionedItem[]>;
}
