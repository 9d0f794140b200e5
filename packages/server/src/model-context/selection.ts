/** Chooses what goes in: what is worth most for its tokens, one by one, each worth less the more there is like it. */
import type { OmissionReason } from '@commonplace/contract/contexts';
import { AlreadySaid } from './already-said.ts';
import type { Unit, UnitType } from './units.ts';
import type { Weights } from './weights.ts';

export interface Room {
  readonly tokens: number;
  readonly bytes: number;
}

export interface SelectionOptions {
  readonly tokenBudget: number;
  readonly weights: Weights;
  readonly room: Room;
  /** What the first of a type adds beside itself: the tags around them. */
  readonly firstTokens: Readonly<Record<UnitType, number>>;
}

export interface Omission {
  readonly unit: Unit;
  readonly reason: OmissionReason;
}

type Kind = UnitType | 'latest';

/** A text is seldom less than this part of what its length says: what does not fit by that is not even counted. */
const LEAST_OF_ROUGH = 0.5;

export class Selection {
  readonly chosen = new Map<string, Unit>();
  readonly #omitted = new Map<string, Omission>();
  readonly #options: SelectionOptions;
  readonly #alreadySaid: AlreadySaid;
  /** Of each type, best first. */
  readonly #waiting = new Map<UnitType, Unit[]>();
  readonly #counts = new Map<UnitType, number>();
  readonly #spent = new Map<Kind, number>();
  #tokensLeft: number;
  #bytesLeft: number;

  constructor(options: SelectionOptions) {
    this.#options = options;
    this.#alreadySaid = new AlreadySaid(options.weights.sameWords);
    this.#tokensLeft = options.room.tokens;
    this.#bytesLeft = options.room.bytes;
  }

  /** Whatever it costs: the caller has seen to it that it fits. */
  require(unit: Unit): void {
    this.#take({ ...unit, tokens: () => 0, bytes: () => 0, isRequired: true }, 'latest');
  }

  /** The latest messages in a row, as far as `tokens` go. */
  fillLatest(latest: Latest, tokens: number): void {
    let left = tokens;
    for (let unit = latest.peek(); unit && unit.tokens() <= left && this.#fits(unit); unit = latest.peek()) {
      left -= unit.tokens();
      this.#take(unit, 'latest');
      latest.advance();
    }
  }

  fill(units: readonly Unit[], latest: Latest): void {
    for (const [type, some] of Map.groupBy(units, (unit) => unit.type)) this.#waiting.set(type, some.toSorted(this.#byDensity));
    for (let best = this.#best(latest); best; best = this.#best(latest)) this.#take(best.unit, best.kind);
  }

  /** All that is not in, and why. */
  leftOut(): Iterable<Omission> {
    for (const unit of [...this.#waiting.values()].flat()) {
      if (!this.#isSettled(unit)) this.#omitted.set(unit.key, { unit, reason: this.#reasonAgainst(unit) ?? 'over_budget' });
    }
    return this.#omitted.values();
  }

  /** For a whole that came out larger than its parts, and for what another piece says as well. */
  drop(unit: Unit, reason: OmissionReason): void {
    this.chosen.delete(unit.key);
    this.#alreadySaid.forget(unit);
    this.#omitted.set(unit.key, { unit, reason });
    this.#tokensLeft += unit.tokens();
    this.#bytesLeft += unit.bytes();
    const count = (this.#counts.get(unit.type) ?? 1) - 1;
    this.#counts.set(unit.type, count);
    if (count === 0) this.#tokensLeft += this.#options.firstTokens[unit.type];
  }

  #best(latest: Latest): { unit: Unit; kind: Kind } | undefined {
    let best: { unit: Unit; kind: Kind; worth: number } | undefined;
    const consider = (unit: Unit | undefined, kind: Kind, density: number) => {
      if (!unit) return;
      const worth = density / this.#crowding(kind);
      if (!best || worth > best.worth || (worth === best.worth && unit.key < best.unit.key)) best = { unit, kind, worth };
    };
    for (const type of this.#waiting.keys()) {
      const unit = this.#bestOf(type);
      consider(unit, type, unit ? this.#density(unit, unit.value) : 0);
    }
    const next = this.#nextOf(latest);
    if (next && this.#fits(next)) consider(next, 'latest', this.#density(next, this.#options.weights.latest));
    return best;
  }

  #nextOf(latest: Latest): Unit | undefined {
    let next = latest.peek();
    while (next && this.chosen.has(next.key)) {
      latest.advance();
      next = latest.peek();
    }
    return next;
  }

  /** What came in meanwhile can only make a unit worth less: it is looked at again when it comes to the front, and others then come before it. */
  #bestOf(type: UnitType): Unit | undefined {
    const waiting = this.#waiting.get(type) as Unit[];
    for (;;) {
      while (waiting[0] && this.#isSettled(waiting[0])) waiting.shift();
      const best = waiting.find((unit) => !this.#isSettled(unit) && this.#fits(unit));
      if (!best) return undefined;
      const isWorthLess = this.#alreadySaid.compare(best);
      const reason = this.#reasonAgainst(best);
      if (reason) this.#omitted.set(best.key, { unit: best, reason });
      else if (isWorthLess) waiting.sort(this.#byDensity);
      else return best;
    }
  }

  #isSettled({ key }: Unit): boolean {
    return this.chosen.has(key) || this.#omitted.has(key);
  }

  readonly #byDensity = (one: Unit, other: Unit): number =>
    this.#density(other, other.value) - this.#density(one, one.value) || (one.key < other.key ? -1 : 1);

  #density(unit: Unit, value: number): number {
    const { repetition, tokenPower } = this.#options.weights;
    return (value * (1 - repetition * this.#alreadySaid.shareOf(unit))) / unit.roughTokens ** tokenPower;
  }

  #crowding(kind: Kind): number {
    const { tokenBudget, weights } = this.#options;
    return 1 + (weights.crowding * (this.#spent.get(kind) ?? 0)) / tokenBudget;
  }

  #fits(unit: Unit): boolean {
    const first = (this.#counts.get(unit.type) ?? 0) === 0 ? this.#options.firstTokens[unit.type] : 0;
    const left = this.#tokensLeft - first;
    return LEAST_OF_ROUGH * unit.roughTokens <= left && unit.tokens() <= left && unit.bytes() <= this.#bytesLeft;
  }

  #take(unit: Unit, kind: Kind): void {
    const { key, type } = unit;
    const count = this.#counts.get(type) ?? 0;
    this.#tokensLeft -= unit.tokens() + (count === 0 ? this.#options.firstTokens[type] : 0);
    this.#bytesLeft -= unit.bytes();
    this.#counts.set(type, count + 1);
    this.#spent.set(kind, (this.#spent.get(kind) ?? 0) + unit.tokens());
    this.chosen.set(key, unit);
    // The latest messages come in whatever was said against them as hits.
    this.#omitted.delete(key);
    // What it says was perhaps in already, in other words.
    for (const [memory, reason] of this.#alreadySaid.note(unit)) this.drop(memory, reason);
  }

  #reasonAgainst(unit: Unit): OmissionReason | undefined {
    const { score } = unit.piece;
    return score !== undefined && score < this.#options.weights.leastScore ? 'low_score' : this.#alreadySaid.reasonAgainst(unit);
  }
}

/** The end of the conversation, one message after the other into the past. */
export interface Latest {
  peek(): Unit | undefined;
  advance(): void;
}
