/** Chooses what goes in: what is worth most for its tokens, one by one, each worth less the more there is like it. */
import type { ContextPiece, OmissionReason } from '@commonplace/contract/contexts';
import { sharedPart } from './repetition.ts';
import type { Weights } from './weights.ts';

export type UnitType = 'summary' | 'memory' | 'knowledge' | 'message';

/** A piece that is in or out as a whole. */
export interface Unit {
  /** Names it among all, and decides between equals. */
  readonly key: string;
  readonly type: UnitType;
  /** What it adds to the messages. */
  readonly tokens: number;
  /** What it adds to the answer. */
  readonly bytes: number;
  readonly value: number;
  readonly piece: ContextPiece;
  /** Of each statement in it, for those that repeat one. */
  readonly statements: readonly ReadonlySet<string>[];
  /** Of a memory: the messages that say it. */
  readonly causes: readonly (readonly string[])[];
  /** Of a chunk: its document and the headings above it. */
  readonly shownTitle: string;
  /** In whatever else is. */
  readonly isRequired: boolean;
  /** Equal for what says the same word for word. Messages are told apart by who says it. */
  readonly textKey: string;
}

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

type Kind = keyof Weights['kinds'];

export class Selection {
  readonly chosen = new Map<string, Unit>();
  /** Of what is chosen: what messages can say as well. */
  readonly #memories = new Set<Unit>();
  readonly omitted = new Map<string, { readonly unit: Unit; readonly reason: OmissionReason }>();
  readonly #options: SelectionOptions;
  readonly #messageIds = new Set<string>();
  readonly #texts = new Set<string>();
  readonly #counts = new Map<UnitType, number>();
  readonly #spent = new Map<Kind, number>();
  /** Of what waits: the share of its words that one statement of what is in has too, and what has it. */
  readonly #overlaps = new Map<string, { readonly share: number; readonly type: UnitType }>();
  #tokensLeft: number;
  #bytesLeft: number;

  constructor(options: SelectionOptions) {
    this.#options = options;
    this.#tokensLeft = options.room.tokens;
    this.#bytesLeft = options.room.bytes;
  }

  /** Whatever it costs: the caller has seen to it that it fits. */
  take(unit: Unit): void {
    this.#take(unit, 'latest', []);
  }

  /** The latest messages in a row, as far as `tokens` go. */
  fillLatest(latest: Latest, tokens: number): void {
    let left = tokens;
    for (let unit = latest.peek(); unit && unit.tokens <= left && this.#fits(unit); unit = latest.peek()) {
      left -= unit.tokens;
      this.#take(unit, 'latest', []);
      latest.advance();
    }
  }

  fill(units: readonly Unit[], latest: Latest): void {
    let waiting = units.filter((unit) => !this.chosen.has(unit.key));
    for (const unit of this.chosen.values()) this.#noteStatements(unit, waiting);
    for (;;) {
      waiting = waiting.filter((unit) => !this.chosen.has(unit.key) && !this.#isSaid(unit));
      let next = latest.peek();
      while (next && this.chosen.has(next.key)) {
        latest.advance();
        next = latest.peek();
      }
      const best = this.#best(waiting, next);
      if (!best) break;
      this.#take(best.unit, best.kind, waiting);
    }
    const { tokens } = this.#options.room;
    for (const unit of waiting) this.omitted.set(unit.key, { unit, reason: unit.tokens > tokens ? 'too_large' : 'over_budget' });
  }

  /** For a whole that came out larger than its parts. */
  drop(unit: Unit, reason: OmissionReason): void {
    this.chosen.delete(unit.key);
    this.#memories.delete(unit);
    this.omitted.set(unit.key, { unit, reason });
    const { tokens, bytes, type } = unit;
    this.#tokensLeft += tokens;
    this.#bytesLeft += bytes;
    const count = (this.#counts.get(type) ?? 1) - 1;
    this.#counts.set(type, count);
    if (count === 0) this.#tokensLeft += this.#options.firstTokens[type];
  }

  #best(waiting: readonly Unit[], latest: Unit | undefined): { unit: Unit; kind: Kind } | undefined {
    let best: { unit: Unit; kind: Kind; worth: number } | undefined;
    const consider = (unit: Unit, kind: Kind, value: number) => {
      if (!this.#fits(unit)) return;
      const worth = this.#worth(unit, kind, value);
      if (!best || worth > best.worth || (worth === best.worth && unit.key < best.unit.key)) best = { unit, kind, worth };
    };
    for (const unit of waiting) consider(unit, unit.type, unit.value);
    if (latest) consider(latest, 'latest', this.#options.weights.kinds.latest.value);
    return best;
  }

  #worth({ key, tokens }: Unit, kind: Kind, value: number): number {
    const { tokenBudget, weights } = this.#options;
    const { share } = weights.kinds[kind];
    const crowding = 1 + (this.#spent.get(kind) ?? 0) / (share * tokenBudget);
    const repetition = 1 - weights.repetition * (this.#overlaps.get(key)?.share ?? 0);
    return (value * repetition) / (crowding * tokens ** weights.tokenPower);
  }

  #fits({ type, tokens, bytes }: Unit): boolean {
    const first = (this.#counts.get(type) ?? 0) === 0 ? this.#options.firstTokens[type] : 0;
    return tokens + first <= this.#tokensLeft && bytes <= this.#bytesLeft;
  }

  #take(unit: Unit, kind: Kind, waiting: readonly Unit[]): void {
    const { key, type, tokens, bytes, piece } = unit;
    const count = this.#counts.get(type) ?? 0;
    this.#tokensLeft -= tokens + (count === 0 ? this.#options.firstTokens[type] : 0);
    this.#bytesLeft -= bytes;
    this.#counts.set(type, count + 1);
    this.#spent.set(kind, (this.#spent.get(kind) ?? 0) + tokens);
    this.chosen.set(key, unit);
    this.#texts.add(unit.textKey);
    if (type !== 'message') {
      this.#noteStatements(unit, waiting);
      if (type === 'summary') this.#dropSaidIn(unit);
      if (type === 'memory') this.#memories.add(unit);
      return;
    }
    this.#messageIds.add(piece.id);
    // What this message says was perhaps in already, in other words.
    for (const other of this.#memories) if (this.#isSaidByMessages(other)) this.drop(other, 'said_in_message');
  }

  #dropSaidIn({ statements }: Unit): void {
    const { sameWords } = this.#options.weights;
    for (const memory of this.#memories) {
      const [terms] = memory.statements;
      if (terms && statements.some((statement) => sharedPart(terms, statement) >= sameWords)) this.drop(memory, 'said_in_summary');
    }
  }

  #noteStatements({ type, statements }: Unit, waiting: readonly Unit[]): void {
    if (statements.length === 0) return;
    // A page has the words of many a memory, and says none of them.
    const alike = waiting.filter((unit) => unit.type === type || (type === 'summary' && unit.type === 'memory'));
    for (const { key, statements: own } of alike) {
      const [terms] = own;
      if (!terms || own.length > 1) continue;
      const share = Math.max(...statements.map((statement) => sharedPart(terms, statement)));
      if (share > (this.#overlaps.get(key)?.share ?? 0)) this.#overlaps.set(key, { share, type });
    }
  }

  /** Whether what waits is in already in another form; it is left out then. */
  #isSaid(unit: Unit): boolean {
    const reason = this.#reasonAgainst(unit);
    if (reason) this.omitted.set(unit.key, { unit, reason });
    return reason !== undefined;
  }

  #reasonAgainst(unit: Unit): OmissionReason | undefined {
    if (this.omitted.has(unit.key)) return this.omitted.get(unit.key)?.reason;
    const { leastScore, sameWords } = this.#options.weights;
    if (unit.piece.score !== undefined && unit.piece.score < leastScore) return 'low_score';
    if (this.#texts.has(unit.textKey)) return 'same_text';
    if (this.#isSaidByMessages(unit)) return 'said_in_message';
    const overlap = this.#overlaps.get(unit.key);
    if (unit.type !== 'memory' || !overlap || overlap.share < sameWords) return undefined;
    return overlap.type === 'summary' ? 'said_in_summary' : 'same_text';
  }

  #isSaidByMessages({ causes }: Unit): boolean {
    return causes.some((ids) => ids.length > 0 && ids.every((id) => this.#messageIds.has(id)));
  }
}

/** The end of the conversation, one message after the other into the past. */
export interface Latest {
  peek(): Unit | undefined;
  advance(): void;
}
