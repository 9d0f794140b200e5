/** Questions with what is known of each item that may be their answer, as a search would know it. */
import type { Embedder } from '../../packages/server/src/search/embedding/embedder.ts';
import { quantize } from '../../packages/server/src/search/embedding/quantize.ts';
import type { Features, Level } from '../../packages/server/src/search/ranking/features.ts';
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
  const index = await indexOf(collection, profile, level, embedder);
  const cases: Case[] = [];
  for (const question of asked) {
    const vector = level === 'words' ? undefined : await embedOne(embedder, queryForEmbedding(question.text, index.speakers));
    const { items, coverage, similarity } = index.shortlist({ text: question.text, vector, limit: 10 });
    const isOwn = asked === collection.questions;
    const candidates = items.map(({ slot, features }) => ({
      features,
      isRelevant: isOwn && question.relevant.has((collection.items[slot] as { id: string }).id),
    }));
    cases.push({ question, coverage, similarity, candidates });
  }
  return cases;
}

const indexes = new Map<string, ScopeIndex>();

async function indexOf(collection: Collection, profile: ProfileName, level: Level, embedder: Embedder): Promise<ScopeIndex> {
  const key = `${collection.name} ${level}`;
  const known = indexes.get(key);
  if (known) return known;
  const index = new ScopeIndex(profile);
  const items = [];
  for (const item of collection.items)
    items.push(level === 'words' ? item : { ...item, vector: quantize(await embedOne(embedder, textToEmbed(item))) });
  for (const _ of index.upsert(items));
  indexes.set(key, index);
  return index;
}

const vectors = new Map<string, Float32Array>();

async function embedOne(embedder: Embedder, text: string): Promise<Float32Array> {
  const known = vectors.get(text);
  if (known) return known;
  const [vector] = await embedder.embed([text]);
  if (!(vector instanceof Float32Array)) throw new Error(`The model refused a text: ${text}`);
  vectors.set(text, vector);
  return vector;
}

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
