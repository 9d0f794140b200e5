/** 1-bit codes of vectors: whether each component is above a threshold. A query has weights beside its bits. */

import type { VectorSums } from '../../segments/vector-sums.ts';
import { DIMENSION_STEP, MOST_QUERY_WEIGHT, QUERY_CODE_STEP, QUERY_RANGE } from './kernel.ts';

/** Thresholds move in steps, so that a few new items seldom mean new codes for all. */
const THRESHOLD_STEP = 4;
/** Of a query's component one standard deviation from the centre: 7, the most, is for 2.3 and more. */
const WEIGHT_OF_DEVIATION = 3;

/** Components of a row with its padding. */
export function strideOf(dimensions: number): number {
  return Math.ceil(dimensions / DIMENSION_STEP) * DIMENSION_STEP;
}

/** About the mean of `count` vectors. */
export function thresholdsOf({ whole }: VectorSums, count: number): Int8Array {
  const thresholds = new Int8Array(strideOf(whole.length));
  for (let i = 0; i < whole.length; i++) thresholds[i] = Math.round((whole[i] as number) / count / THRESHOLD_STEP) * THRESHOLD_STEP;
  return thresholds;
}

/** What the bits of a query's code weigh together, and how long these weights are as a vector: of thresholds that are all 0. */
export function weightsOfCode(components: Int16Array, dimensions: number): { readonly total: number; readonly norm: number } {
  const centred = Float64Array.from(components.subarray(0, dimensions), (component) => (component * 127) / QUERY_RANGE);
  const deviation = Math.sqrt(centred.reduce((sum, component) => sum + component * component, 0) / dimensions) || 1;
  const weights = centred.map((component) => weightOf(component, deviation));
  return {
    total: weights.reduce((sum, weight) => sum + weight, 0),
    norm: Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0)) || 1,
  };
}

function weightOf(component: number, deviation: number): number {
  return Math.min(MOST_QUERY_WEIGHT, Math.round((Math.abs(component) / deviation) * WEIGHT_OF_DEVIATION));
}

/** A component of the query weighs by how far it is from the centre: far better than plain bits where nothing is near. */
export function queryCode(components: Int16Array, dimensions: number, thresholds: Int8Array): Uint8Array {
  const centred = Float64Array.from(components, (component, i) => (component * 127) / QUERY_RANGE - (thresholds[i] as number));
  const deviation = Math.sqrt(centred.reduce((sum, component) => sum + component * component, 0) / dimensions) || 1;
  const code = new Uint8Array((components.length / DIMENSION_STEP) * QUERY_CODE_STEP);
  for (let i = 0; i < dimensions; i++) {
    const component = centred[i] as number;
    const weight = weightOf(component, deviation);
    const at = Math.floor(i / DIMENSION_STEP) * QUERY_CODE_STEP + ((i % DIMENSION_STEP) >> 3);
    const bits = [component > 0 ? 1 : 0, weight & 1, (weight >> 1) & 1, weight >> 2];
    for (const [plane, bit] of bits.entries()) (code[at + 8 * plane] as number) |= bit << (i & 7);
  }
  return code;
}
