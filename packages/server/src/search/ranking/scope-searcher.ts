/** Searches the index of one scope: a first pass over all items, a second over the best of them, and the hits. */
import { filterMask } from './filters.ts';
import type { IndexParts } from './index-parts.ts';
import type { Hit, IndexQuery } from './index-query.ts';
import { scoreShortlist } from './judging/scoring.ts';
import { type ReadForPass, SecondPass } from './judging/second-pass.ts';
import { makeShortlist, type Shortlist } from './judging/shortlist.ts';
import type { PageCache } from './page-cache.ts';
import { PagedSearch } from './paged-search.ts';
import type { Profile } from './profiles.ts';
import { propose, type RankParts } from './ranking.ts';
import type { ReadVectors } from './vectors/scope-vectors.ts';
import type { PagedWords } from './words/paged-words.ts';
import { heldWords } from './words/words.ts';

const NONE_READ: ReadVectors = new Map();
/** So often a search is begun anew because what it had found changed meanwhile. */
const MOST_ATTEMPTS = 3;

export interface SearchedParts extends IndexParts {
  readonly pagedWords: PagedWords;
}

export class ScopeSearcher {
  readonly #profile: Profile;
  /** As they are now: a scope that was compacted has others. */
  readonly #partsNow: () => SearchedParts;

  constructor(profile: Profile, partsNow: () => SearchedParts) {
    this.#profile = profile;
    this.#partsNow = partsNow;
  }

  /** Best first; of equal ones the later in order, then by id. Of a scope that is in memory whole, and prepared; by the first pass alone. */
  search(query: IndexQuery): Hit[] {
    return this.hitsOf(this.shortlist(query), query);
  }

  /** What the hits are chosen from. */
  shortlist(query: IndexQuery): Shortlist {
    const { items, tags, words } = this.#partsNow();
    const parts = this.#rankParts();
    const eligible = filterMask(query.filter, items, tags);
    const proposal = propose({ ...parts, words: heldWords(words), eligible, text: query.text, vector: query.vector });
    return makeShortlist(parts, proposal, query, NONE_READ);
  }

  /** Of a scope whose words and vectors are at rest. Its slots stay, so that it may change while they are read. */
  beginPagedSearch(query: IndexQuery, cache: PageCache): PagedSearch {
    return new PagedSearch(() => ({ ...this.#partsNow(), ...this.#rankParts() }), query, cache);
  }

  /** What orders a shortlist anew; nothing where there is nothing more to know, or the scope changes faster than it can be looked at. */
  beginSecondPass(shortlist: Shortlist, query: IndexQuery, before?: SecondPass): SecondPass | undefined {
    const attempt = (before?.attempt ?? 0) + 1;
    if (attempt > MOST_ATTEMPTS) return undefined;
    const pass = new SecondPass(this.#rankParts(), shortlist, query, { hasWords: !this.#isPaged, attempt });
    return pass.isNeeded ? pass : undefined;
  }

  isOutdated(pass: SecondPass): boolean {
    return pass.isOutdated(this.#partsNow().items);
  }

  finishSecondPass(pass: SecondPass, read: ReadForPass): Shortlist {
    const { items, words } = this.#partsNow();
    return pass.finish(items, this.#isPaged ? undefined : heldWords(words), read);
  }

  hitsOf(shortlist: Shortlist, { limit, minScore = 0, explain: isExplained }: IndexQuery): Hit[] {
    const { items } = this.#partsNow();
    const scored = scoreShortlist(shortlist, this.#profile.judgements, limit, (a, b) => items.compare(a, b));
    const hits = scored.filter(({ score }) => score >= minScore);
    return hits.map(({ slot, score, explain }) => ({ id: items.id(slot), score, ...(isExplained && { explain }) }));
  }

  /** Whether words and vectors of stored segments are at rest. */
  get #isPaged(): boolean {
    return this.#partsNow().vectors.pagedSlots > 0;
  }

  #rankParts(): RankParts {
    const { items, vectors, passages, speakers } = this.#partsNow();
    if (passages) for (const _ of passages.refresh(items));
    return { profile: this.#profile, items, vectors, passages, speakers };
  }
}
