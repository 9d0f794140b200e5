/** What the learnt weights make of a candidate. */

import type { ExtractedKind } from '../extraction.ts';
import type { Candidate, Gate, Place } from './candidate.ts';
import { featuresOf } from './features.ts';
import learnt from './weights.json' with { type: 'json' };

export interface GateWeights {
  /** What a candidate has to come to at least: one that a rule knows, and one that none does. */
  readonly thresholds: { readonly ruled: number; readonly open: number };
  readonly worth: Readonly<Record<string, number>>;
  readonly kinds: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** A candidate that the user asked to keep is kept. */
export function gateOf({ thresholds, worth, kinds }: GateWeights): Gate {
  const ofKinds = Object.entries(kinds).map(([kind, weights]) => ({
    kind: kind as ExtractedKind,
    weights: new Map(Object.entries(weights)),
  }));
  const weights = new Map(Object.entries(worth));
  const known = new Set([...weights.keys(), ...ofKinds.flatMap((each) => [...each.weights.keys()])]);
  return (candidate: Candidate, place: Place) => {
    const { finding, ruled, remembered } = candidate;
    if (ruled && remembered) return finding;
    // Few of them were learnt anything of.
    const features = new Set(featuresOf(candidate, place).filter((feature) => known.has(feature)));
    if (sumOf(features, weights) < (ruled ? thresholds.ruled : thresholds.open)) return undefined;
    if (ruled || finding.kind === 'short_lived') return finding;
    let [best, most]: [ExtractedKind, number] = [finding.kind, Number.NEGATIVE_INFINITY];
    for (const { kind, weights: own } of ofKinds) {
      const sum = sumOf(features, own);
      if (sum > most) [best, most] = [kind, sum];
    }
    return { ...finding, kind: best };
  };
}

export const learntGate: Gate = gateOf(learnt);

function sumOf(features: ReadonlySet<string>, weights: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const feature of features) sum += weights.get(feature) ?? 0;
  return sum;
}
