/** Asks an index for hits, and reads what it needs to go on: pages of words, the vectors of candidates, the tokens and texts of the best. */
import type { SearchIndexes } from './indexes.ts';
import type { PlacedHit, PlacedId } from './protocol.ts';
import type { IndexQuery } from './ranking/index-query.ts';
import type { FeedbackText } from './ranking/words/word-feedback.ts';
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
    const { search, pages, vectors, tokens, texts } = answer;
    const [readPages, readVectors, readTokens, readTexts] = await Promise.all([
      pages.length === 0 ? [] : (snapshots?.readWordPages(source.workspaceId, pages) ?? []),
      vectors.length === 0 ? [] : source.vectors(vectors),
      tokens.length === 0 ? [] : source.vectors(tokens, 'token_codes'),
      readTextsOf(source, texts),
    ]);
    const read = { pages: readPages, vectors: readVectors, tokens: readTokens, texts: readTexts };
    answer = requireLoaded(await indexes.ask<'goOn'>({ op: 'goOn', scope: name, search, ...read }));
  }
}

async function readTextsOf(source: ScopeSource, places: readonly PlacedId[]): Promise<FeedbackText[]> {
  const byThread = [...Map.groupBy(places, ({ thread }) => thread)];
  const read = byThread.map(([thread, some]) =>
    source.textsToEmbed(
      thread,
      some.map(({ id }) => id),
    ),
  );
  const found = new Map((await Promise.all(read)).flat().map((item) => [item.id, item]));
  // In the order in which they were asked for: the same search has the same sums.
  return places.flatMap(({ id }) => found.get(id) ?? []).map(({ prefix, text }) => ({ prefix, text }));
}
