/** What the main thread asks the thread of the search indexes. */
import type { ProfileName } from './ranking/profiles.ts';
import type { Hit, IndexItem, IndexQuery } from './ranking/scope-index.ts';

/** An item with the number of its edits, so that a listing tells what changed. */
export interface VersionedItem extends IndexItem {
  readonly version: number;
  /** The model does not take its text: it has no vector, and waits for none. */
  readonly isRefused?: boolean | undefined;
}

/** A hit, the session or document that it belongs to, and the version of the item that was scored. */
export interface PlacedHit extends Hit {
  readonly thread: string;
  readonly version: number;
}

export type Request =
  | { readonly op: 'open'; readonly scope: string; readonly workspaceId: string; readonly profile: ProfileName }
  | { readonly op: 'upsert'; readonly scope: string; readonly items: VersionedItem[] }
  /** Drops what a thread no longer lists; answers with the ids that are new or changed. */
  | { readonly op: 'compare'; readonly scope: string; readonly thread: string; readonly listed: { id: string; version: number }[] }
  | { readonly op: 'removeThread'; readonly scope: string; readonly thread: string }
  /** For the items that are still held in that version; one without a vector does not wait for it any more. */
  | { readonly op: 'addVectors'; readonly scope: string; readonly vectors: { id: string; version: number; vector?: Uint8Array }[] }
  | { readonly op: 'describe'; readonly scope: string; readonly vectorlessLimit: number }
  /** The oldest of those without a vector. */
  | { readonly op: 'vectorless'; readonly scope: string; readonly limit: number }
  | { readonly op: 'search'; readonly scope: string; readonly query: IndexQuery }
  | { readonly op: 'drop'; readonly scope: string }
  /** Scopes whose names begin so make no room for others; one beginning at a time. */
  | { readonly op: 'pin'; readonly beginning: string | undefined }
  | { readonly op: 'gauges' };

export interface PlacedId {
  readonly id: string;
  readonly thread: string;
}

export interface Description {
  readonly size: number;
  readonly vectorlessCount: number;
  /** The newest of those without a vector. */
  readonly vectorless: PlacedId[];
  readonly speakers: string[];
}

/** `undefined` where the scope is not held: it was never loaded, or had to make room. */
export interface Answers {
  open: { size: number };
  upsert: { size: number } | undefined;
  compare: { wanted: string[] } | undefined;
  removeThread: { size: number } | undefined;
  addVectors: { size: number } | undefined;
  describe: Description | undefined;
  vectorless: PlacedId[] | undefined;
  search: PlacedHit[] | undefined;
  drop: undefined;
  pin: undefined;
  gauges: Record<string, number>;
}

/** Each question with its request, by the name of what is to be done. */
export type IndexQuestions = { [Op in Request['op']]: (request: Extract<Request, { op: Op }>) => Answers[Op] };

export interface IndexThreadData {
  readonly memoryBytes: number;
}
