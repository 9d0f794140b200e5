/** Asks an index for hits, and reads what it needs to go on: pages of words, the vectors of candidates, the tokens of the best. */
import type { SearchIndexes } from './indexes.ts';
import type { PlacedHit } from './protocol.ts';
import type { IndexQuery } from './ranking/index-query.ts';
import { requireLoaded } from './scope-lost.ts';
import type { ScopeSource } from './scope-source.ts';
import type { Snapshots } from './segments/snapshots.ts';

/** What is stored of the scope can't be used, and why. */
export class ScopeUnusable extends Error {
  constructor(reason: string) {
    super(`What is stored of the search index can't be used: ${reason}`);
    this.name = 'ScopeUnusable';
  }
}

/** Throws `ScopeLost` where the index is not held any more. */
export async function searchIndex(
  indexes: SearchIndexes,
  snapshots: Snapshots | undefined,
  source: ScopeSource,
  name: string,
  query: IndexQuery,
): Promise<PlacedHit[]> {
  let answer = requireLoaded(await indexes.ask<'search'>({ op: 'search', scope: name, query }));
  for (;;) {
    if ('hits' in answer) return answer.hits;
    if ('unusable' in answer) throw new ScopeUnusable(answer.unusable);
    const { search, pages: wanted, vectors: places, tokens: asked } = answer;
    const pages = wanted.length === 0 ? [] : ((await snapshots?.readWordPages(source.workspaceId, wanted)) ?? []);
    const vectors = places.length === 0 ? [] : await source.vectors(places);
    const tokens = asked.length === 0 ? [] : await source.vectors(asked, 'token_codes');
    answer = requireLoaded(await indexes.ask<'goOn'>({ op: 'goOn', scope: name, search, pages, vectors, tokens }));
  }
}
