/** What the learnt weights make of a candidate. */

import type { ExtractedKind } from '../extraction.ts';
import type { Candidate, Gate, Place } from './candidate.ts';
import { listFeatures } from './features.ts';
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
  const find = finderOf(new Set([...weights.keys(), ...ofKinds.flatMap((each) => [...each.weights.keys()])]));
  return (candidate: Candidate, place: Place) => {
    const { finding, ruled, remembered } = candidate;
    if (ruled && remembered) return finding;
    const features = new Set<string>();
    listFeatures(candidate, place, (name, value, more) => {
      const feature = find(name, value, more);
      if (feature !== undefined) features.add(feature);
    });
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

/** Of most features nothing was learnt: looked up by their parts, they need not be put together. */
function finderOf(features: Iterable<string>): (name: string, value: string, more?: string) => string | undefined {
  const names = new Map<string, Map<string, Map<string, string>>>();
  for (const feature of features) {
    const start = feature.indexOf('=') + 1;
    const space = feature.indexOf(' ', start);
    const [name, value] = [feature.slice(0, start), feature.slice(start, space === -1 ? undefined : space)];
    const more = space === -1 ? '' : feature.slice(space);
    const values = names.get(name) ?? new Map<string, Map<string, string>>();
    const ends = values.get(value) ?? new Map<string, string>();
    names.set(name, values.set(value, ends.set(more, feature)));
  }
  const whole = new Map([...features].map((feature) => [feature, feature]));
  return (name, value, more) =>
    value === ''
      ? whole.get(name)
      : names
          .get(name)
          ?.get(value)
          ?.get(more === undefined ? '' : ` ${more}`);
}

export const learntGate: Gate = gateOf(learnt);

function sumOf(features: ReadonlySet<string>, weights: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const feature of features) sum += weights.get(feature) ?? 0;
  return sum;
}
