/** What is known of a scope that is in memory. */

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
  /** What it takes in memory, and may take before what is stored of it is left at rest. */
  bytes: number;
  mostBytes: number;
}

/** It takes more memory than one scope may: what is stored of it must be left at rest. */
export class ScopeOutgrown extends Error {
  constructor() {
    super('The search index is too large to be held whole');
    this.name = 'ScopeOutgrown';
  }
}

/** After what was read is noted: whatever is stored next goes on from there. */
export function checkSize({ bytes, mostBytes }: Synced): void {
  if (bytes > mostBytes) throw new ScopeOutgrown();
}
