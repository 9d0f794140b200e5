/** What one message asks to forget, while it is read. */

import type { Extraction, KnownMemory, SourceMessage, Withdrawal } from '../extraction.ts';
import type { Token } from '../sentences/tokens.ts';
import { forgottenBy, type ReadTurn, type SaidMemory } from './forgotten-memories.ts';
import { partsOfRequest, type Target } from './requests-to-forget.ts';

/** A sentence, or what is left of one that asks for something to be forgotten; or that request. */
export interface ReadPart {
  readonly says: readonly Token[];
  readonly forgets?: Target | undefined;
  /** That of the sentence. */
  readonly index: number;
}

export function* partsIn(sentences: Iterable<readonly Token[]>): Generator<ReadPart> {
  let index = 0;
  for (const sentence of sentences) {
    for (const part of partsOfRequest(sentence) ?? [{ says: sentence }]) yield { says: [], ...part, index };
    index++;
  }
}

export class Forgetting {
  readonly #message: SourceMessage;
  readonly #read: ReadTurn;
  readonly #ids = new Set<string>();
  /** The sentences of what the message said itself. */
  readonly #sentences = new Map<string, number>();
  #asksFor: 'nothing' | 'something' | 'all' = 'nothing';

  constructor(message: SourceMessage, read: ReadTurn) {
    this.#message = message;
    this.#read = read;
  }

  /** `said` in this message, `known` before it; both newest first. */
  ask(target: Target, said: readonly KnownMemory[], known: readonly KnownMemory[]): void {
    const own = this.left(said).map((memory): SaidMemory => ({ ...memory, sentence: this.#sentences.get(memory.id) ?? 0 }));
    const { ids, isAll } = forgottenBy(target, this.#message, own.reverse(), this.leftOf(known), this.#read);
    for (const id of ids) this.#ids.add(id);
    if (this.#asksFor !== 'all') this.#asksFor = isAll ? 'all' : 'something';
  }

  /** In which sentence something was said. */
  note(id: string, sentence: number): void {
    this.#sentences.set(id, sentence);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Of what the message said. */
  left(said: readonly KnownMemory[]): readonly KnownMemory[] {
    return this.#ids.size === 0 ? said : said.filter(({ id }) => !this.#ids.has(id));
  }

  /** Of what was known before it. */
  leftOf(known: readonly KnownMemory[]): readonly KnownMemory[] {
    return this.#asksFor === 'all' ? [] : this.left(known);
  }

  /** With what is only over, and not forgotten. */
  result(over: Iterable<string>): Pick<Extraction, 'withdrawn' | 'forgetsAll' | 'forgetsIn'> {
    const { id: messageId } = this.#message;
    const ended = [...over].filter((memory) => !this.#ids.has(memory)).map((memory): Withdrawal => ({ messageId, memory }));
    const forgotten = [...this.#ids].map((memory): Withdrawal => ({ messageId, memory, forgotten: true }));
    return {
      withdrawn: [...ended, ...forgotten],
      ...(this.#asksFor === 'all' && { forgetsAll: [messageId] }),
      ...(this.#asksFor !== 'nothing' && { forgetsIn: [messageId] }),
    };
  }
}
