/** A search whose best items are known: it waits for the tokens of the best, and for the texts of the very best, and orders them anew. */

import type { IndexQuery } from '../index-query.ts';
import type { HeldItem, Items } from '../items.ts';
import { NONE } from '../none.ts';
import { JUDGED_BY_TOKENS, type Profile } from '../profiles.ts';
import type { RankParts } from '../ranking.ts';
import { type FeedbackText, feedbackTerms, scoreFeedback } from '../words/word-feedback.ts';
import type { WordSource } from '../words/words.ts';
import type { Features } from './features.ts';
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

/** What was read meanwhile. */
export interface ReadForPass {
  /** By the ids of their items. */
  readonly tokens: Iterable<readonly [id: string, codes: Uint8Array]>;
  readonly texts: readonly FeedbackText[];
}

export type ItemToRead = Pick<HeldItem, 'id' | 'thread'>;

export class SecondPass {
  readonly query: IndexQuery;
  /** From 1 on. */
  readonly attempt: number;
  readonly #profile: Profile;
  readonly #shortlist: Shortlist;
  readonly #tokens: TokenQuery | undefined;
  readonly #waiting: readonly Waiting[];
  /** Those whose texts are read, in the order of the first pass. */
  readonly #best: readonly HeldItem[];

  /** `hasWords`: whether the words of the scope are in memory. */
  constructor(
    { items, passages, profile }: RankParts,
    whole: Shortlist,
    query: IndexQuery,
    { hasWords, attempt }: { readonly hasWords: boolean; readonly attempt: number },
  ) {
    this.query = query;
    this.attempt = attempt;
    this.#profile = profile;
    const most = Math.max(JUDGED_BY_TOKENS, query.limit);
    this.#shortlist = narrowShortlist(whole, profile.judgements, most, (a, b) => items.compare(a, b));
    const hasVectors = this.#shortlist.items.some(({ level }) => level !== 'words');
    const isByTokens = hasVectors && profile.judgements.tokens.weights.ownTokens !== undefined;
    if (isByTokens && query.tokens && query.vector)
      this.#tokens = tokenQuery(query.tokens, query.vector.length, (term) => whole.values.get(term) ?? 0);
    const heldAt = (slot: number | undefined) => (slot === undefined || slot === NONE ? [] : [heldItem(items, slot)]);
    this.#waiting = this.#shortlist.items.map((item) => {
      const beside = [...heldAt(passages?.before[item.slot]), ...heldAt(passages?.after[item.slot])];
      return { item, held: heldItem(items, item.slot), beside };
    });
    this.#best = hasWords ? whole.items.slice(0, profile.feedbackTexts).map(({ slot }) => heldItem(items, slot)) : [];
  }

  /** Whether there is anything to read. */
  get isNeeded(): boolean {
    return this.#waiting.length > 0 && (this.#tokens !== undefined || this.#best.length > 0);
  }

  /** Each once. */
  tokensToRead(): ItemToRead[] {
    if (!this.#tokens) return [];
    const all = this.#waiting.slice(0, JUDGED_BY_TOKENS).flatMap(({ held, beside }) => [held, ...beside]);
    return [...new Map(all.map(({ id, thread }) => [id, { id, thread }])).values()];
  }

  textsToRead(): ItemToRead[] {
    return this.#best.map(({ id, thread }) => ({ id, thread }));
  }

  /** Whether one of the best was edited or removed meanwhile: something else may be an answer in its stead. */
  isOutdated(items: Items): boolean {
    return this.#waiting.some(({ held }) => slotOf(items, held) === undefined);
  }

  /** What was edited or removed meanwhile is no answer any more; what has no tokens is judged without. `words`: where they are in memory. */
  finish(items: Items, words: WordSource | undefined, read: ReadForPass): Shortlist {
    const there = this.#waiting.flatMap(({ item, held, beside }) => {
      const slot = slotOf(items, held);
      return slot === undefined ? [] : [{ item: { ...item, slot }, held, beside }];
    });
    const feedback = words && this.#feedbackOf(there, items, words, read.texts);
    const judgeTokens = this.#judgingTokens(read.tokens);
    const judged = there.map(({ item, held, beside }, i): Shortlisted => {
      // Tokens count beside a vector, and may be stored before the vector has come to the index.
      const ofTokens = item.level === 'words' ? undefined : judgeTokens(held, beside);
      const features: Features = { ...item.features, ...(feedback && { feedbackWords: feedback[i] as number }), ...ofTokens };
      return { ...item, level: ofTokens ? 'tokens' : item.level, features };
    });
    return { ...this.#shortlist, items: judged };
  }

  #feedbackOf(there: readonly Waiting[], items: Items, words: WordSource, texts: readonly FeedbackText[]): Float64Array | undefined {
    if (texts.length === 0) return undefined;
    const slots = there.map(({ item }) => item.slot);
    return scoreFeedback(feedbackTerms(texts, this.#profile), slots, items, words, this.#profile);
  }

  #judgingTokens(read: ReadForPass['tokens']) {
    const codes = [...read];
    const placeOf = new Map(codes.map(([id], place) => [id, place]));
    const similarities =
      this.#tokens &&
      new TokenSimilarities(
        this.#tokens,
        codes.map(([, bytes]) => bytes),
      );
    return ({ id }: HeldItem, beside: readonly HeldItem[]): Pick<Features, 'ownTokens' | 'passageTokens'> | undefined => {
      const own = placeOf.get(id);
      if (own === undefined || !similarities) return undefined;
      const together = [own, ...beside.flatMap((other) => placeOf.get(other.id) ?? [])];
      const passageTokens = this.#profile.wordReach > 0 ? Math.max(0, similarities.of(together)) : 0;
      return { ownTokens: Math.max(0, similarities.of([own])), passageTokens };
    };
  }
}

/** Of an item that is there as it was. */
function slotOf(items: Items, { id, version }: HeldItem): number | undefined {
  const slot = items.slotOf(id);
  return slot === undefined || items.version(slot) !== version ? undefined : slot;
}

function heldItem(items: Items, slot: number): HeldItem {
  return { id: items.id(slot), thread: items.thread(slot), version: items.version(slot) };
}
