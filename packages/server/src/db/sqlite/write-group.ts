/** Writes that share one commit, while they are in the writer thread. */
import type { Thread } from '../../threads/thread.ts';
import { toError } from './failures.ts';
import type { OpenTransaction, WorkResult } from './open-transaction.ts';
import type { Outcome, TurnReply, WriterQuestions } from './protocol.ts';
import { askWithUnits } from './unit-encoding.ts';
import type { InteractiveItem, Item, UnitItem } from './write-items.ts';

export type Writer = Thread<WriterQuestions>;

/** An interactive transaction whose work is done; its caller hears of it after the commit. */
export interface Finished {
  readonly item: InteractiveItem;
  readonly tx: OpenTransaction;
  readonly result: WorkResult;
}

interface SentTurn {
  readonly finished: Finished | undefined;
  readonly items: readonly UnitItem[];
  readonly reply: Promise<TurnReply>;
}

export class WriteGroup {
  readonly thread: Writer;
  /** All that is in it, in the order in which it was taken. */
  readonly items: Item[] = [];
  readonly #sent: SentTurn[] = [];

  constructor(thread: Writer) {
    this.thread = thread;
  }

  /** To the last of what was sent. */
  get reply(): Promise<TurnReply> | undefined {
    return this.#sent.at(-1)?.reply;
  }

  /** Sends what comes after the transaction that is finished and before the next one, with which the group goes on; without one it commits. */
  send(finished: Finished | undefined, items: readonly UnitItem[], next?: InteractiveItem): Promise<TurnReply> {
    this.items.push(...items);
    if (next) this.items.push(next);
    const units = items.map(({ unit }) => unit);
    const ending = finished?.result.ending;
    const reply = askWithUnits(this.thread, units, (flat) => this.thread.ask('turn', ending, flat, next !== undefined, !next));
    // Whoever waits for the whole group hears of it.
    reply.catch(() => {});
    this.#sent.push({ finished, items, reply });
    return reply;
  }

  /** Tells everyone in it what became of theirs, once all that was sent is answered. */
  async settle(file: string): Promise<void> {
    const replies = await Promise.all(this.#sent.map(({ reply }) => reply));
    const broken = replies.at(-1)?.[2];
    if (broken) {
      const error = toError(broken, file);
      for (const { finished } of this.#sent) finished?.item.reject(finished.result.ending === 'undo' ? finished.result.error : error);
      for (const item of this.items) item.reject(error);
      return;
    }
    for (let index = 0; index < this.#sent.length; index++) {
      const { finished, items } = this.#sent[index] as SentTurn;
      const [outcomes, undone] = replies[index] as TurnReply;
      if (finished) settleTransaction(finished, undone && toError(undone, file));
      for (let place = 0; place < items.length; place++) items[place]?.resolve(outcomes[place] as Outcome);
    }
  }
}

function settleTransaction({ item, tx, result }: Finished, undone: Error | undefined): void {
  if (result.ending === 'undo') item.reject(result.error);
  else if (undone) item.reject(tx.failure ?? undone);
  else item.resolve(result.value);
}
