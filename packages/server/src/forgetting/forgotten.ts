/** What was forgotten, as a receipt tells it: how many of each kind, and a digest by which those who know the ids can check it. */
import { createHash } from 'node:crypto';
import type { Receipt } from '@commonplace/contract/receipts';
import type { PurgedCounts, PurgedKind } from '../sessions/store/purging.ts';

const KINDS = ['sessions', 'messages', 'memories', 'history', 'statements', 'vectors', 'queued', 'answers', 'events'] as const;
KINDS satisfies readonly PurgedKind[];

export class Forgotten {
  readonly #counts = new Map<PurgedKind, number>();
  readonly #hash = createHash('sha256');

  /** Names in rising order: a line for each. */
  name(...path: string[]): void {
    this.#hash.update(`${path.join('/')}\n`);
  }

  add(counts: PurgedCounts): void {
    for (const kind of KINDS) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + (counts[kind] ?? 0));
  }

  get isNothing(): boolean {
    return this.#counts.values().every((count) => count === 0);
  }

  /** Once only: nothing is added after it. */
  summary(): Pick<Receipt, 'counts' | 'digest'> {
    return { counts: Object.fromEntries(KINDS.map((kind) => [kind, this.#counts.get(kind) ?? 0])), digest: this.#hash.digest('hex') };
  }
}
