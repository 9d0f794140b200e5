/** Sums over the vectors of a scope or of a segment, in whole numbers, so that they do not depend on the order in which items came and went. */

const FIXED_POINT = 2 ** 24;

export class VectorSums {
  /** Of the components as they are stored, for the thresholds of codes. */
  readonly whole: Float64Array;
  /** Of the components times their scales, in units of 2⁻²⁴. */
  readonly scaled: Float64Array;

  constructor(dimensions: number, whole = new Float64Array(dimensions), scaled = new Float64Array(dimensions)) {
    this.whole = whole;
    this.scaled = scaled;
  }

  /** Adds a row, or takes it away again. */
  add(rows: Int8Array, at: number, scale: number, sign: 1 | -1): void {
    if (scale === 0) return;
    const factor = scale * FIXED_POINT;
    const { whole, scaled } = this;
    for (let i = 0; i < whole.length; i++) {
      const component = rows[at + i] as number;
      whole[i] = (whole[i] as number) + sign * component;
      scaled[i] = (scaled[i] as number) + sign * Math.round(component * factor);
    }
  }

  addAll(other: VectorSums): void {
    for (let i = 0; i < this.whole.length; i++) {
      this.whole[i] = (this.whole[i] as number) + (other.whole[i] as number);
      this.scaled[i] = (this.scaled[i] as number) + (other.scaled[i] as number);
    }
  }

  /** The mean of `count` rows times a query. */
  mean(components: Int16Array, scale: number, count: number): number {
    let sum = 0;
    for (let i = 0; i < this.scaled.length; i++) sum += (components[i] as number) * (this.scaled[i] as number);
    return ((sum / FIXED_POINT) * scale) / count;
  }
}
