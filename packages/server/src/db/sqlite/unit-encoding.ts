/**
 * Units on their way to the writer: one flat list of plain values, which is cloned far sooner than lists in lists, and a number in
 * place of each text that the writer was told before.
 */
import type { Param } from '../sql.ts';
import { toStored } from './calls.ts';
import type { FlatUnits, StatementCall, Unit } from './protocol.ts';

/** The program has some hundreds of statements; those that insert many rows have another text for each number of rows. */
const MAX_NUMBERED = 1_000;
const MAX_NUMBERED_LENGTH = 32 * 1024;
const UNNUMBERED = -1;

/** Units with the numbers that they tell the writer; it knows those once it has answered. */
export interface EncodedUnits {
  readonly flat: FlatUnits;
  readonly told: readonly number[];
}

const encoders = new WeakMap<object, UnitEncoder>();

/** Asks a thread with units; each thread has an encoder of its own, as another knows no texts yet. */
export function askWithUnits<Answer>(thread: object, units: readonly Unit[], ask: (flat: FlatUnits) => Promise<Answer>): Promise<Answer> {
  const encoder = encoders.get(thread) ?? new UnitEncoder();
  encoders.set(thread, encoder);
  const encoded = encoder.encode(units);
  return ask(encoded.flat).then((answer) => {
    encoder.confirm(encoded);
    return answer;
  });
}

export class UnitEncoder {
  readonly #numbers = new Map<string, number>();
  readonly #known = new Set<number>();

  encode(units: readonly Unit[]): EncodedUnits {
    const flat: Param[] = [units.length];
    const told: number[] = [];
    for (const unit of units) {
      flat.push(unit.length);
      for (const [text, params, guarded] of unit) {
        const number = this.#numberOf(text);
        if (this.#known.has(number)) flat.push(number);
        else {
          flat.push(text, number);
          if (number !== UNNUMBERED) told.push(number);
        }
        flat.push(guarded, params.length);
        for (const param of params) flat.push(param as Param);
      }
    }
    return { flat, told };
  }

  /** The writer has answered what was encoded. */
  confirm({ told }: EncodedUnits): void {
    for (const number of told) this.#known.add(number);
  }

  #numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    if (number >= MAX_NUMBERED || text.length > MAX_NUMBERED_LENGTH) return UNNUMBERED;
    this.#numbers.set(text, number);
    return number;
  }
}

/** The writer's side. Values become those that SQLite stores here, off the main thread. */
export class UnitDecoder {
  readonly #texts: string[] = [];

  decode(flat: FlatUnits): Unit[] {
    let at = 0;
    const next = () => flat[at++] as Param;
    const units: Unit[] = [];
    for (let count = next() as number; count > 0; count--) {
      const unit: StatementCall[] = [];
      for (let statements = next() as number; statements > 0; statements--) {
        const text = this.#textOf(next() as string | number, next);
        const guarded = next() as boolean;
        const length = next() as number;
        unit.push([text, toStored(flat.slice(at, at + length)), guarded]);
        at += length;
      }
      units.push(unit);
    }
    return units;
  }

  #textOf(told: string | number, next: () => Param): string {
    if (typeof told === 'number') return this.#texts[told] as string;
    const number = next() as number;
    if (number !== UNNUMBERED) this.#texts[number] = told;
    return told;
  }
}
