/** A search whose best items are known but for their tokens: it waits until those are read. */

import type { IndexQuery } from './index-query.ts';
import type { HeldItem, Items } from './items.ts';
import { NONE } from './none.ts';
import { LEAST_JUDGED_BY_TOKENS } from './profiles.ts';
import type { RankParts } from './ranking.ts';
import { narrowShortlist } from './scoring.ts';
import type { Shortlist, Shortlisted } from './shortlist.ts';
import { type TokenQuery, TokenSimilarities, tokenQuery } from './token-part.ts';

/** One of the best, whatever slot it has by then. */
interface Waiting {
  readonly item: Shortlisted;
  readonly held: HeldItem;
  /** Those that it is read together with. */
  readonly beside: readonly HeldItem[];
}

/** The codes of tokens that were read, by the ids of their items. */
export type ReadTokens = Iterable<readonly [id: string, codes: Uint8Array]>;

export class TokenSearch {
  readonly query: IndexQuery;
  readonly #shortlist: Shortlist;
  readonly #tokens: TokenQuery;
  readonly #waiting: readonly Waiting[];

  private constructor(query: IndexQuery, shortlist: Shortlist, tokens: TokenQuery, waiting: readonly Waiting[]) {
    this.query = query;
    this.#shortlist = shortlist;
    this.#tokens = tokens;
    this.#waiting = waiting;
  }

  /** Nothing where tokens tell nothing: the question has none that counts, or no item has a vector. */
  static begin(parts: RankParts, whole: Shortlist, query: IndexQuery): TokenSearch | undefined {
    const { items, passages, profile } = parts;
    const { judgements } = profile;
    if (!query.tokens || !query.vector || !judgements.tokens.weights.ownTokens) return undefined;
    const most = Math.max(LEAST_JUDGED_BY_TOKENS, query.limit);
    const shortlist = narrowShortlist(whole, judgements, most, (a, b) => items.compare(a, b));
    if (!shortlist.items.some(({ level }) => level !== 'words')) return undefined;
    const tokens = tokenQuery(query.tokens, query.vector.length, (term) => whole.values.get(term) ?? 0);
    if (!tokens) return undefined;
    const heldAt = (slot: number | undefined) => (slot === undefined || slot === NONE ? [] : [heldItem(items, slot)]);
    const waiting = shortlist.items.map((item): Waiting => {
      const beside = [...heldAt(passages?.before[item.slot]), ...heldAt(passages?.after[item.slot])];
      return { item, held: heldItem(items, item.slot), beside };
    });
    return new TokenSearch(query, shortlist, tokens, waiting);
  }

  /** Each once. */
  tokensToRead(): Pick<HeldItem, 'id' | 'thread'>[] {
    const all = this.#waiting.flatMap(({ held, beside }) => [held, ...beside]);
    return [...new Map(all.map(({ id, thread }) => [id, { id, thread }])).values()];
  }

  /** What was edited or removed meanwhile is no answer any more; what has no tokens is judged without. */
  finish({ items }: Pick<RankParts, 'items'>, read: ReadTokens): Shortlist {
    const codes = [...read];
    const placeOf = new Map(codes.map(([id], place) => [id, place]));
    const similarities = new TokenSimilarities(
      this.#tokens,
      codes.map(([, bytes]) => bytes),
    );
    const judged = this.#waiting.flatMap(({ item, held, beside }): Shortlisted[] => {
      const slot = items.slotOf(held.id);
      if (slot === undefined || items.version(slot) !== held.version) return [];
      const own = placeOf.get(held.id);
      if (own === undefined) return [{ ...item, slot }];
      const together = [own, ...beside.flatMap(({ id }) => placeOf.get(id) ?? [])];
      const features = { ...item.features, ownTokens: similarities.of([own]), passageTokens: similarities.of(together) };
      return [{ ...item, slot, level: 'tokens', features }];
    });
    return { ...this.#shortlist, items: judged };
  }
}

function heldItem(items: Items, slot: number): HeldItem {
  return { id: items.id(slot), thread: items.thread(slot), version: items.version(slot) };
}
