import type { ItemKind } from './segments/store.ts';

/** What a slice has embedded in the background: a kind of item, and the table that holds its texts. */
export interface EmbeddedItems {
  /** Of its vectors. */
  readonly kind: ItemKind;
  /** Keyed by `workspace_id`, the scope and `id`. */
  readonly table: string;
  readonly scopeColumn: string;
  readonly textColumn: string;
}
