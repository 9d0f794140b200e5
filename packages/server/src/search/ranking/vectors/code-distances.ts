/** How far the code of each slot's vector is from the query's: who is near, and about how similar they are. */

/** Of more slots a part tells how far the nearest are: some in each row of so many. */
const SAMPLED_FROM = 250_000;
const SAMPLE_ROW = 1024;
const SAMPLED_OF_ROW = 256;
/** The mean is taken of about so many. */
const MEAN_SAMPLES = 16_384;

export class CodeDistances {
  /** By slot; `#absent` where there is no vector. */
  readonly #distances: Int32Array;
  readonly #absent: number;
  /** A slot at the mean distance is as similar as the mean. */
  readonly #meanDistance: number;
  readonly #meanSimilarity: number;

  /** `coded`: how many slots have their distances; those behind them are to be set. */
  constructor(distances: Int32Array, absent: number, coded: number, meanSimilarity: number) {
    this.#distances = distances;
    this.#absent = absent;
    this.#meanDistance = meanOf(distances.subarray(0, coded), absent) || absent / 2;
    this.#meanSimilarity = meanSimilarity;
  }

  /** As far as one would be about whose similarity is known. */
  set(slot: number, similarity: number | undefined): void {
    if (similarity === undefined) {
      this.#distances[slot] = this.#absent;
      return;
    }
    const cosine = (similarity - this.#meanSimilarity) / (1 - this.#meanSimilarity);
    const angle = Math.acos(Math.max(-1, Math.min(1, cosine)));
    this.#distances[slot] = Math.min(this.#absent - 1, Math.round((this.#meanDistance * angle) / (Math.PI / 2)));
  }

  at(slot: number): number {
    return this.#distances[slot] as number;
  }

  /** About `count` of the eligible slots; more where several are equally near. */
  nearest(eligible: Uint8Array, count: number): number[] {
    const distances = this.#distances;
    const farthest = this.#farthestOf(eligible, count);
    const slots: number[] = [];
    for (let slot = 0; slot < distances.length; slot++) {
      if ((distances[slot] as number) <= farthest && eligible[slot] === 1) slots.push(slot);
    }
    return slots;
  }

  #farthestOf(eligible: Uint8Array, count: number): number {
    const distances = this.#distances;
    const isSampled = distances.length > SAMPLED_FROM;
    const looked = isSampled ? SAMPLED_OF_ROW : SAMPLE_ROW;
    const wanted = (count * looked) / SAMPLE_ROW;
    const atDistance = new Uint32Array(this.#absent + 1);
    for (let row = 0; row < distances.length; row += SAMPLE_ROW) {
      const end = Math.min(row + looked, distances.length);
      for (let slot = row; slot < end; slot++) {
        if (eligible[slot] === 0) continue;
        const distance = distances[slot] as number;
        atDistance[distance] = (atDistance[distance] as number) + 1;
      }
    }
    for (let found = 0, farthest = 0; farthest < this.#absent; farthest++) {
      found += atDistance[farthest] as number;
      if (found >= wanted) return farthest;
    }
    return this.#absent - 1;
  }

  /** Into `out` at some slots. Codes differ in as many bits as the angle between their vectors is wide. */
  estimate(slots: Uint32Array, out: Float64Array): void {
    const [mean, rest] = [this.#meanSimilarity, 1 - this.#meanSimilarity];
    for (const slot of slots) {
      const distance = this.at(slot);
      out[slot] = distance === this.#absent ? Number.NaN : mean + rest * Math.cos(((Math.PI / 2) * distance) / this.#meanDistance);
    }
  }
}

function meanOf(distances: Int32Array, absent: number): number {
  const step = Math.max(1, Math.floor(distances.length / MEAN_SAMPLES));
  let [sum, count] = [0, 0];
  for (let slot = 0; slot < distances.length; slot += step) {
    const distance = distances[slot] as number;
    if (distance === absent) continue;
    sum += distance;
    count++;
  }
  return count === 0 ? 0 : sum / count;
}
