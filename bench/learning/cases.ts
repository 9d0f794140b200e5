/** Questions with what is known of each item that may be their answer, as a search would know it. */
import {
  type EmbeddedText,
  type Embedder,
  embedTexts,
  type Priority,
  RefusedText,
} from '../../packages/server/src/search/embedding/embedder.ts';
import { quantize } from '../../packages/server/src/search/embedding/quantize.ts';
import type { Features, Level } from '../../packages/server/src/search/ranking/judging/features.ts';
import type { ProfileName } from '../../packages/server/src/search/ranking/profiles.ts';
import { queryForEmbedding } from '../../packages/server/src/search/ranking/queries.ts';
import { ScopeIndex } from '../../packages/server/src/search/ranking/scope-index.ts';
import { textToEmbed } from '../../packages/server/src/search/searcher.ts';
import type { Collection, Question } from './collections.ts';

export interface Candidate {
  readonly features: Features;
  readonly isRelevant: boolean;
}

export interface Case {
  readonly question: Question;
  readonly coverage: number;
  readonly similarity: number;
  readonly candidates: readonly Candidate[];
}

/** `asked`: its own questions, or another's, to which it has no answer. */
export async function casesOf(
  collection: Collection,
  profile: ProfileName,
  level: Level,
  embedder: Embedder,
  asked: readonly Question[] = collection.questions,
): Promise<Case[]> {
  const { index, tokenCodes } = await indexOf(collection, profile, level, embedder);
  const itemOf = new Map(collection.items.map((item) => [item.id, item]));
  const cases: Case[] = [];
  for (const question of asked) {
    const { text } = question;
    const made = level === 'words' ? undefined : await embedOne(embedder, queryForEmbedding(text, index.speakers), 'query');
    const query = { text, vector: made?.vector, tokens: level === 'tokens' ? made?.questionTokens : undefined, limit: LIMIT };
    const shortlist = index.searcher.shortlist(query);
    const pass = index.searcher.beginSecondPass(shortlist, query);
    const { items, coverage, similarity } = pass
      ? index.searcher.finishSecondPass(pass, { tokens: tokenCodes, texts: pass.textsToRead().flatMap(({ id }) => itemOf.get(id) ?? []) })
      : shortlist;
    const isOwn = asked === collection.questions;
    const candidates = items.map(({ slot, features }) => ({
      features,
      isRelevant: isOwn && question.relevant.has((collection.items[slot] as { id: string }).id),
    }));
    cases.push({ question, coverage, similarity, candidates });
  }
  return cases;
}

interface BuiltIndex {
  readonly index: ScopeIndex;
  readonly tokenCodes: ReadonlyMap<string, Uint8Array>;
}

const indexes = new Map<string, BuiltIndex>();

async function indexOf(collection: Collection, profile: ProfileName, level: Level, embedder: Embedder): Promise<BuiltIndex> {
  const key = `${collection.name} ${level}`;
  const known = indexes.get(key);
  if (known) return known;
  const index = new ScopeIndex(profile);
  const items = [];
  const tokenCodes = new Map<string, Uint8Array>();
  for (const item of collection.items) {
    const made = level === 'words' ? undefined : await embedOne(embedder, textToEmbed(item), 'background');
    items.push({ ...item, vector: made && quantize(made.vector) });
    if (made?.tokenCodes) tokenCodes.set(item.id, made.tokenCodes);
  }
  for (const _ of index.upsert(items));
  const built = { index, tokenCodes };
  indexes.set(key, built);
  return built;
}

const embedded = new Map<string, EmbeddedText>();

async function embedOne(embedder: Embedder, text: string, priority: Priority): Promise<EmbeddedText> {
  const key = `${priority} ${text}`;
  const known = embedded.get(key);
  if (known) return known;
  const [made] = await embedTexts(embedder, [text], { priority });
  if (!made || made instanceof RefusedText) throw new Error(`The model refused a text: ${text}`);
  embedded.set(key, made);
  return made;
}

/** So many candidates are judged by their tokens. */
const LIMIT = 80;
const RECALLED = 10;

/** recall@10 by a score, the mean over the questions that have an answer. */
export function recallOf(cases: readonly Case[], score: (candidate: Candidate) => number, most = RECALLED): number {
  const answered = cases.filter(({ question }) => question.relevant.size > 0);
  const recalls = answered.map(({ question, candidates }) => {
    const scored = candidates.map((candidate) => ({ candidate, score: score(candidate) }));
    const best = scored.sort((a, b) => b.score - a.score).slice(0, most);
    return best.filter(({ candidate }) => candidate.isRelevant).length / question.relevant.size;
  });
  return recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length;
}
