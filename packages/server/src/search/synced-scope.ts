/** What is known of a scope that is in memory. */
import type { ScopeSize } from './protocol.ts';

export interface KnownThread {
  count: number;
  edits: string;
  shared: string | undefined;
  lastId: string | undefined;
}

export interface Synced {
  /** What the index knows it by: another name after each loading, so that nobody searches one that is loaded by half. */
  readonly name: string;
  readonly generation: number;
  marker: string | undefined;
  readonly threads: Map<string, KnownThread>;
  /** Items that came since it was last saved or loaded. */
  unsaved: number;
  /** Of the snapshot that it was loaded from or saved as; 0 for none. */
  snapshotNumber: number;
  /** What it has in memory, and may have before what is stored of it is left at rest. */
  size: ScopeSize;
  mostSize: ScopeSize;
}

/** It takes more memory than one scope may: what is stored of it must be left at rest. */
export class ScopeOutgrown extends Error {
  constructor() {
    super('The search index is too large to be held whole');
    this.name = 'ScopeOutgrown';
  }
}

export function isOutgrown({ size, mostSize }: Synced): boolean {
  return size.bytes > mostSize.bytes || size.size > mostSize.size;
}

/** After what was read is noted: whatever is stored next goes on from there. */
export function checkSize(known: Synced): void {
  if (isOutgrown(known)) throw new ScopeOutgrown();
}
