/** What is in so far, for what would say it again. */
import type { OmissionReason } from '@commonplace/contract/contexts';
import { sharedPart } from './repetition.ts';
import type { Unit, UnitType } from './units.ts';

export class AlreadySaid {
  readonly #sameWords: number;
  /** Of what is in, by the type whose units it may repeat. */
  readonly #statements = new Map<UnitType, { readonly terms: ReadonlySet<string>; readonly by: UnitType }[]>();
  /** Of a unit: the share of its words that one statement has too, what has it, and how many it was held against. */
  readonly #overlaps = new Map<string, { share: number; by: UnitType | undefined; compared: number }>();
  readonly #texts = new Set<string>();
  readonly #messageTexts = new Set<string>();
  readonly #messageIds = new Set<string>();
  /** That are in, summaries among them. */
  readonly #memories = new Set<Unit>();
  readonly #memoriesByMessage = new Map<string, Unit[]>();

  constructor(sameWords: number) {
    this.#sameWords = sameWords;
  }

  shareOf({ key }: Unit): number {
    return this.#overlaps.get(key)?.share ?? 0;
  }

  /** Holds it against what came in since it was last looked at. Whether more of it turned out to be said. */
  compare(unit: Unit): boolean {
    const statements = this.#statements.get(unit.type) ?? [];
    const overlap = this.#overlaps.get(unit.key) ?? { share: 0, by: undefined, compared: 0 };
    if (overlap.compared === statements.length) return false;
    const before = overlap.share;
    const [terms, more] = unit.statements();
    for (const { terms: other, by } of statements.slice(overlap.compared)) {
      const share = terms && !more ? sharedPart(terms, other) : 0;
      if (share > overlap.share) Object.assign(overlap, { share, by });
    }
    overlap.compared = statements.length;
    this.#overlaps.set(unit.key, overlap);
    return overlap.share > before;
  }

  /** Why it need not come in. */
  reasonAgainst(unit: Unit): OmissionReason | undefined {
    if (this.#texts.has(textKeyOf(unit))) return 'same_text';
    if (unit.type !== 'memory' && unit.type !== 'summary') return undefined;
    if (this.#isSaidByMessages(unit)) return 'said_in_message';
    if (unit.type === 'summary') return undefined;
    const overlap = this.#overlaps.get(unit.key);
    if (!overlap || overlap.share < this.#sameWords) return undefined;
    return overlap.by === 'summary' ? 'said_in_summary' : 'same_text';
  }

  /** It is in: the memories and summaries that are in and say nothing beside it. */
  note(unit: Unit): [Unit, OmissionReason][] {
    const { type, piece } = unit;
    this.#texts.add(textKeyOf(unit));
    if (type === 'message') {
      this.#messageIds.add(piece.id);
      this.#messageTexts.add(unit.textKey());
      const concerned = [...(this.#memoriesByMessage.get(piece.id) ?? []), ...(this.#memoriesByMessage.get(unit.textKey()) ?? [])];
      return concerned
        .filter((memory) => this.#memories.has(memory) && this.#isSaidByMessages(memory))
        .map((memory) => [memory, 'said_in_message']);
    }
    const statements = unit.statements();
    // A page has the words of many a memory, and says none of them.
    const repeating: UnitType[] = type === 'summary' ? ['summary', 'memory'] : [type];
    for (const other of repeating) {
      const known = this.#statements.get(other) ?? [];
      this.#statements.set(other, [...known, ...statements.map((terms) => ({ terms, by: type }))]);
    }
    if (type === 'memory' || type === 'summary') this.#noteMemory(unit);
    if (type !== 'summary') return [];
    const isSaid = (memory: Unit) => {
      const [terms] = memory.statements();
      return (
        memory.type === 'memory' && terms !== undefined && statements.some((statement) => sharedPart(terms, statement) >= this.#sameWords)
      );
    };
    return [...this.#memories].filter(isSaid).map((memory) => [memory, 'said_in_summary']);
  }

  forget(unit: Unit): void {
    this.#memories.delete(unit);
  }

  #noteMemory(unit: Unit): void {
    this.#memories.add(unit);
    for (const key of [unit.textKey(), ...unit.causes.flat()]) {
      const known = this.#memoriesByMessage.get(key);
      if (known) known.push(unit);
      else this.#memoriesByMessage.set(key, [unit]);
    }
  }

  /** By the messages that it comes from, or by one that has its very words. */
  #isSaidByMessages({ causes, textKey }: Unit): boolean {
    return this.#messageTexts.has(textKey()) || causes.some((ids) => ids.length > 0 && ids.every((id) => this.#messageIds.has(id)));
  }
}

/** Messages are told apart by who says it. */
function textKeyOf({ type, piece, textKey }: Unit): string {
  return `${type === 'message' ? piece.role : ''} ${textKey()}`;
}
