/** What the main thread asks a thread of the search indexes. */
import type { IndexItem } from './ranking/index-item.ts';
import type { Hit, IndexQuery } from './ranking/index-query.ts';
import type { HeldItem } from './ranking/items.ts';
import type { ProfileName } from './ranking/profiles.ts';
import type { AvailableSegment, KeptSegment, PartlySaved } from './ranking/saving.ts';
import type { FeedbackText } from './ranking/words/word-feedback.ts';
import type { Page, PagePlace, WordPage } from './segments/pages.ts';

/** An item with the number of its edits, so that a listing tells what changed. */
export interface VersionedItem extends IndexItem {
  readonly version: number;
}

/** A hit, the session or document that it belongs to, and the version of the item that was scored. */
export interface PlacedHit extends Hit {
  readonly thread: string;
  readonly version: number;
}

export type Request =
  | { readonly op: 'open'; readonly scope: string; readonly workspaceId: string; readonly profile: ProfileName }
  /** `isAnew`: also what is at rest as it is. */
  | { readonly op: 'upsert'; readonly scope: string; readonly items: VersionedItem[]; readonly isAnew?: boolean }
  /** Room for the stored segments that follow; of so many items the vectors are held. */
  | { readonly op: 'reserve'; readonly scope: string; readonly items: number; readonly held: number }
  /** A stored segment without the local slots in `gone`: whole, or with its words and vectors left at rest. */
  | {
      readonly op: 'append' | 'appendPaged';
      readonly scope: string;
      readonly segmentId: string;
      readonly model: string;
      readonly pages: Page[];
      readonly gone: readonly number[];
    }
  /** All that is in memory whole is stored as these segments: their words and vectors need not be any more. */
  | { readonly op: 'leaveAtRest'; readonly scope: string; readonly segments: readonly { readonly id: string; readonly pages: Page[] }[] }
  /** Drops what a thread no longer lists; answers with the ids that are new or changed. */
  | { readonly op: 'compare'; readonly scope: string; readonly thread: string; readonly listed: { id: string; version: number }[] }
  | { readonly op: 'remove'; readonly scope: string; readonly ids: string[] }
  | { readonly op: 'countThread'; readonly scope: string; readonly thread: string }
  | { readonly op: 'removeThread'; readonly scope: string; readonly thread: string }
  /** For the items that are still held in that version; one without a vector does not wait for it any more. */
  | { readonly op: 'addVectors'; readonly scope: string; readonly vectors: { id: string; version: number; vector?: Uint8Array }[] }
  | { readonly op: 'describe'; readonly scope: string; readonly vectorlessLimit: number }
  /** The oldest of those without a vector. */
  | { readonly op: 'vectorless'; readonly scope: string; readonly limit: number }
  | { readonly op: 'search'; readonly scope: string; readonly query: IndexQuery }
  /** With what a search asked to be read. */
  | {
      readonly op: 'goOn';
      readonly scope: string;
      readonly search: number;
      readonly pages: readonly WordPage[];
      readonly vectors: readonly (readonly [id: string, vector: Uint8Array])[];
      readonly tokens: readonly (readonly [id: string, codes: Uint8Array])[];
      readonly texts: readonly FeedbackText[];
    }
  /**
   * What to write so that all settled items are stored, or all there are; the plan is held until the next one. `available`: the segments
   * that are stored still.
   */
  | { readonly op: 'planSave'; readonly scope: string; readonly available: readonly AvailableSegment[]; readonly isWhole: boolean }
  /** The pages of one part of the plan; not in the lane of the workspace, so that no search waits for it. */
  | { readonly op: 'encodePart'; readonly scope: string; readonly part: number; readonly model: string }
  | { readonly op: 'noteSaved'; readonly scope: string; readonly segmentIds: readonly string[] }
  | { readonly op: 'drop'; readonly scope: string }
  | { readonly op: 'gauges' };

export type PlacedId = Pick<HeldItem, 'id' | 'thread'>;

/** How many items a scope has, and about how many bytes it takes. */
export interface ScopeSize {
  readonly size: number;
  readonly bytes: number;
}

export interface Description extends ScopeSize {
  readonly vectorlessCount: number;
  readonly isPaged: boolean;
  /** The newest of those without a vector. */
  readonly vectorless: PlacedId[];
  readonly speakers: string[];
}

export interface PlannedSave {
  /** How many items each new segment has. */
  readonly parts: readonly number[];
  readonly kept: readonly KeptSegment[];
  readonly partly: readonly PartlySaved[];
}

/** What a search goes on with: pages of words, the vectors of candidates, or the tokens and texts of the best. */
export interface NeededForSearch {
  readonly search: number;
  readonly pages: readonly PagePlace[];
  readonly vectors: readonly PlacedId[];
  readonly tokens: readonly PlacedId[];
  readonly texts: readonly PlacedId[];
}

/** `unusable`: what is at rest can't be used, and why. A search may read words into memory: the size is that after it. */
export type SearchAnswer = ({ readonly hits: PlacedHit[] } & ScopeSize) | NeededForSearch | { readonly unusable: string };

/** `undefined` where the scope is not held: it was never loaded, or had to make room. */
export interface Answers {
  open: ScopeSize;
  upsert: ScopeSize | undefined;
  reserve: undefined;
  /** `unusable`: what is stored can't be used, and why. */
  append: ScopeSize | { readonly unusable: string } | undefined;
  appendPaged: Answers['append'];
  /** `isAtRest`: false where something else is in memory by now. */
  leaveAtRest: (ScopeSize & { readonly isAtRest: boolean }) | undefined;
  /** `outdated`: what a stored segment says of these items is not so any more. */
  compare: (ScopeSize & { wanted: string[]; outdated: string[] }) | undefined;
  remove: ScopeSize | undefined;
  countThread: { readonly count: number } | undefined;
  removeThread: (ScopeSize & { readonly wasStored: boolean }) | undefined;
  /** `atRest`: those that must be taken in anew to have their vectors. */
  addVectors: (ScopeSize & { readonly atRest: PlacedId[] }) | undefined;
  describe: Description | undefined;
  vectorless: PlacedId[] | undefined;
  search: SearchAnswer | undefined;
  goOn: SearchAnswer | undefined;
  planSave: PlannedSave | undefined;
  /** Also where slots moved since the plan was made. */
  encodePart: Page[] | undefined;
  noteSaved: undefined;
  drop: undefined;
  gauges: Record<string, number>;
}

/** Each question with its request, by the name of what is to be done. */
export type IndexQuestions = { [Op in Request['op']]: (request: Extract<Request, { op: Op }>) => Answers[Op] };
