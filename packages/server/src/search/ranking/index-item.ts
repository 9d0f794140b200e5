/** What is searched: a message, a memory or a chunk, as an index takes it in. */

export interface IndexItem {
  readonly id: string;
  /** Items of one thread are neighbours in this order. */
  readonly order: string;
  /** Session or document. */
  readonly thread: string;
  readonly text: string;
  /** Title and heading path of a chunk, speaker or role of a message. */
  readonly prefix?: string | undefined;
  /** The number of its edits, so that a listing tells what changed. */
  readonly version?: number | undefined;
  /** The model does not take its text: it has no vector, and waits for none. */
  readonly isRefused?: boolean | undefined;
  /** float32 scale, then int8 components; value = scale × component. */
  readonly vector?: Uint8Array | undefined;
  readonly tags: readonly string[];
  /** JSON: its top-level values are tags as well. Left out where it has none. */
  readonly meta?: string | undefined;
  /** Milliseconds. */
  readonly time?: number | undefined;
  /** When it ceases to be an answer to what holds at a moment. */
  readonly end?: number | undefined;
}
