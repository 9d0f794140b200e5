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

export interface QueryCode {
  /** The bits, and beside them the three bits of each weight. */
  readonly code: Uint8Array;
  /** What the weights are together, and how long they are as a vector. */
  readonly total: number;
  readonly norm: number;
}

const BITS = DIMENSION_STEP >> 3;

/** A component of the query weighs by how far it is from the centre: far better than plain bits where nothing is near. */
export function encodeQuery(components: Int16Array, dimensions: number, thresholds: Int8Array): QueryCode {
  const centred = new Float64Array(dimensions);
  let squares = 0;
  for (let i = 0; i < dimensions; i++) {
    const component = ((components[i] as number) * 127) / QUERY_RANGE - (thresholds[i] as number);
    centred[i] = component;
    squares += component * component;
  }
  const scale = WEIGHT_OF_DEVIATION / (Math.sqrt(squares / dimensions) || 1);
  const code = new Uint8Array((components.length / DIMENSION_STEP) * QUERY_CODE_STEP);
  let [total, squaredWeights] = [0, 0];
  for (let i = 0; i < dimensions; i++) {
    const component = centred[i] as number;
    const weight = Math.min(MOST_QUERY_WEIGHT, Math.round(Math.abs(component) * scale));
    total += weight;
    squaredWeights += weight * weight;
    const at = Math.floor(i / DIMENSION_STEP) * QUERY_CODE_STEP + ((i % DIMENSION_STEP) >> 3);
    const shift = i & 7;
    if (component > 0) code[at] = (code[at] as number) | (1 << shift);
    for (let plane = 0; plane < 3; plane++) {
      const place = at + BITS * (plane + 1);
      code[place] = (code[place] as number) | (((weight >> plane) & 1) << shift);
    }
  }
  return { code, total, norm: Math.sqrt(squaredWeights) || 1 };
}
