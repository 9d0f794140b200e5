/** Finds the values for which a sum of errors is least, a step at a time down its slope. Each value has a pace of its own (Adam). */

export interface Descent {
  readonly steps: number;
  /** How far a value goes in one step at most, or about. */
  readonly rate: number;
  /** How fast the sum grows with each value, where they are now. */
  readonly slopeAt: (values: Float64Array) => Float64Array;
  /** What a value becomes that would be `moved`, where not every one is allowed. */
  readonly bound: (moved: number, index: number) => number;
}

/** How much of the mean slope, and of the mean of its squares, is what it was before. */
const OF_MEAN = 0.9;
const OF_SQUARES = 0.99;
const TINY = 1e-8;

export function descend(from: Float64Array, { steps, rate, slopeAt, bound }: Descent): Float64Array {
  const values = from.slice();
  const [means, squares] = [new Float64Array(from.length), new Float64Array(from.length)];
  for (let step = 1; step <= steps; step++) {
    for (const [index, slope] of slopeAt(values).entries()) {
      const mean = OF_MEAN * (means[index] as number) + (1 - OF_MEAN) * slope;
      const square = OF_SQUARES * (squares[index] as number) + (1 - OF_SQUARES) * slope * slope;
      [means[index], squares[index]] = [mean, square];
      // Both began at 0, and are the larger for it the fewer steps there were.
      const pace = Math.sqrt(square / (1 - OF_SQUARES ** step)) + TINY;
      values[index] = bound((values[index] as number) - (rate * (mean / (1 - OF_MEAN ** step))) / pace, index);
    }
  }
  return values;
}
