import type { Feature, Features, Weights } from '../../packages/server/src/search/ranking/judging/features.ts';

export function sumOf(features: Features, weights: Weights): number {
  return Object.entries(weights).reduce((sum, [feature, weight]) => sum + weight * features[feature as Feature], 0);
}
