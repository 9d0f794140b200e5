/** Writes on the main thread: what waits goes to the writer thread as one group, shares one commit, and is answered after it. */
import { BoundedLaneQueue } from '../../lanes/bounded-lane-queue.ts';
import { currentLane, currentOrigin, runInLane, runInServiceLane } from '../../lanes/current-lane.ts';
import type { Thread } from '../../threads/thread.ts';
import type { CheckpointReply } from '../continuous-backup/checkpoints.ts';
import type { Transaction } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { sizeOf } from './calls.ts';
import { toError } from './failures.ts';
import { finishWork, OpenTransaction, type WorkResult } from './open-transaction.ts';
import type { Outcome, TurnReply, Unit, WriterQuestions } from './protocol.ts';
import { askWithUnits } from './unit-encoding.ts';
import type { CheckpointItem, InteractiveItem, Item, ScriptItem, UnitItem } from './write-items.ts';
import { unknownOutcome, WriterKeeper, type WriterOptions } from './writer-keeper.ts';

const MAX_GROUP_UNITS = 512;
const MAX_GROUP_BYTES = 8 * 1024 * 1024;
/** How long a group with interactive transactions in it may take on more work before it commits. */
const MAX_GROUP_MS = 20;
const MAX_QUEUE_BYTES = 64 * 1024 * 1024;
/** What one lane may have of the queue. */
const LANE_SHARE = 1 / 4;

type Writer = Thread<WriterQuestions>;

/** An interactive transaction whose work is done; its caller hears of it after the commit. */
interface Finished {
  readonly item: InteractiveItem;
  readonly tx: OpenTransaction;
  readonly result: WorkResult;
}

interface SentTurn {
  readonly finished: Finished | undefined;
  readonly items: readonly UnitItem[];
  readonly reply: Promise<TurnReply>;
}

export interface WriteQueueOptions extends WriterOptions {
  readonly transactionTimeoutMs: number;
  readonly maxQueue: number;
}

export class WriteQueue {
  groupsTotal = 0;
  unitsTotal = 0;
  lastGroupUnits = 0;
  readonly #options: WriteQueueOptions;
  readonly #keeper: WriterKeeper;
  readonly #queue: BoundedLaneQueue<Item>;
  #inFlight: Item[] = [];
  #busy = false;
  #scheduled = false;
  #stalled = false;
  #closing = false;
  #onDrained: (() => void) | undefined;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.#keeper = new WriterKeeper(options);
    this.#queue = new BoundedLaneQueue({
      maxItems: options.maxQueue,
      maxItemsOfLane: Math.ceil(options.maxQueue * LANE_SHARE),
      maxBytes: MAX_QUEUE_BYTES,
      maxBytesOfLane: MAX_QUEUE_BYTES * LANE_SHARE,
    });
  }

  async open(): Promise<void> {
    await this.#keeper.live();
  }

  get length(): number {
    return this.#queue.length;
  }

  get lanesWaiting(): number {
    return this.#queue.laneCount;
  }

  get refusedTotal(): number {
    return this.#queue.refusedTotal;
  }

  get restartsTotal(): number {
    return this.#keeper.restartsTotal;
  }

  run(unit: Unit): Promise<Outcome> {
    const size = unit.reduce((sum, call) => sum + sizeOf(call), 0);
    return new Promise((resolve, reject) => this.#add({ kind: 'unit', unit, size, resolve, reject }));
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const [lane, origin] = [currentLane(), currentOrigin()];
    return new Promise<T>((resolve, reject) => {
      // The queue begins it in the lane of whoever came first.
      const inItsLane = (tx: Transaction) => runInLane(lane, () => work(tx), origin);
      this.#add({ kind: 'interactive', work: inItsLane, resolve: (value) => resolve(value as T), reject });
    });
  }

  script(script: string, record: Unit): Promise<void> {
    return new Promise((resolve, reject) => this.#add({ kind: 'script', script: { script, record }, resolve, reject }));
  }

  /** For the continuous backup: when no transaction is open. */
  checkpoint(task: CheckpointItem['task']): Promise<CheckpointReply> {
    return new Promise((resolve, reject) => this.#add({ kind: 'checkpoint', task, resolve, reject }));
  }

  /** Passes through the writer thread, ahead of what waits. */
  async ping(): Promise<void> {
    this.#refuseIfStalled();
    await this.#keeper.ping();
  }

  /** Takes nothing more, finishes what waits, and ends the thread. The chain is that of the continuous backup. */
  async close(chain?: CheckpointReply['chain']): Promise<void> {
    this.#closing = true;
    if (this.#busy || this.#queue.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
    }
    await this.#keeper.close(chain);
  }

  #add(item: Item): void {
    if (this.#closing) throw new DatabaseUnavailable('The database is closing.');
    this.#refuseIfStalled();
    const refused = this.#queue.add(currentLane(), item, item.kind === 'unit' ? item.size : 0);
    for (const one of refused) one.reject(new DatabaseUnavailable('Too many writes are waiting; try again shortly.'));
    if (this.#busy || this.#scheduled) return;
    // Not at once: what else this turn of the event loop brings shares the commit.
    this.#scheduled = true;
    // A group is many requests' work, and none of them is its origin.
    runInServiceLane(() =>
      setImmediate(() => {
        this.#scheduled = false;
        void this.#drain();
      }),
    );
  }

  #refuseIfStalled(): void {
    if (this.#stalled)
      throw new DatabaseUnavailable('An earlier write is taking too long; nothing can be written until it ends.', { retryAfterSeconds: 5 });
  }

  async #drain(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    while (this.#queue.length > 0) {
      try {
        const thread = await this.#keeper.live();
        const kind = this.#queue.peek()?.kind;
        if (kind === 'script') await this.#runScript(thread);
        else if (kind === 'checkpoint') await this.#runCheckpoint(thread);
        else await this.#runGroup(thread);
      } catch (error) {
        const failure = unknownOutcome(error);
        // Without a live thread nothing was taken from the queue, and what waits must not wait forever.
        const items = this.#inFlight.length > 0 ? this.#inFlight : this.#queue.takeAll();
        for (const item of items) item.reject(failure);
      }
      this.#inFlight = [];
    }
    this.#busy = false;
    this.#onDrained?.();
  }

  async #runGroup(thread: Writer): Promise<void> {
    const startedAt = performance.now();
    const sent: SentTurn[] = [];
    let finished: Finished | undefined;
    for (;;) {
      const hasTime = sent.length === 0 || performance.now() - startedAt < MAX_GROUP_MS;
      const items = hasTime ? this.#takeUnits(MAX_GROUP_UNITS - this.#inFlight.length) : [];
      const next = hasTime ? this.#takeInteractive() : undefined;
      const units = items.map(({ unit }) => unit);
      const ending = finished?.result.ending;
      const turn = askWithUnits(thread, units, (flat) => thread.ask('turn', ending, flat, next !== undefined, !next));
      const reply = this.#answered(turn);
      sent.push({ finished, items, reply });
      if (!next) break;
      // The thread answers in order, so the work may start before the transaction is known to be open.
      reply.catch(() => {});
      finished = await this.#converse(thread, next);
    }
    const replies = await Promise.all(sent.map(({ reply }) => reply));
    this.groupsTotal++;
    this.unitsTotal += this.#inFlight.length;
    this.lastGroupUnits = this.#inFlight.length;
    this.#settle(sent, replies);
  }

  #settle(sent: readonly SentTurn[], replies: readonly TurnReply[]): void {
    const broken = replies.at(-1)?.[2];
    if (broken) {
      const error = toError(broken, this.#options.file);
      for (const { finished } of sent) finished?.item.reject(finished.result.ending === 'undo' ? finished.result.error : error);
      for (const item of this.#inFlight) item.reject(error);
      return;
    }
    for (let index = 0; index < sent.length; index++) {
      const { finished, items } = sent[index] as SentTurn;
      const [outcomes, undone] = replies[index] as TurnReply;
      if (finished) {
        const { item, tx, result } = finished;
        if (result.ending === 'undo') item.reject(result.error);
        else if (undone) item.reject(tx.failure ?? toError(undone, this.#options.file));
        else item.resolve(result.value);
      }
      for (let place = 0; place < items.length; place++) items[place]?.resolve(outcomes[place] as Outcome);
    }
  }

  async #converse(thread: Writer, item: InteractiveItem): Promise<Finished> {
    const tx = new OpenTransaction(this.#options.file, (unit) =>
      this.#answered(askWithUnits(thread, [unit], (flat) => thread.ask('step', flat))).catch((error) =>
        Promise.reject(unknownOutcome(error)),
      ),
    );
    return { item, tx, result: await finishWork(tx, item.work, this.#options.transactionTimeoutMs) };
  }

  async #runScript(thread: Writer): Promise<void> {
    const item = this.#queue.take() as ScriptItem;
    this.#inFlight.push(item);
    // Without a limit: a migration of a large database takes as long as it takes.
    const failure = await thread.ask('script', item.script);
    if (failure) item.reject(toError(failure, this.#options.file));
    else item.resolve();
  }

  async #runCheckpoint(thread: Writer): Promise<void> {
    const item = this.#queue.take() as CheckpointItem;
    this.#inFlight.push(item);
    const reply = await this.#answered(thread.ask('checkpoint', item.task));
    if ('message' in reply) item.reject(toError(reply, this.#options.file));
    else item.resolve(reply);
  }

  async #answered<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const timer = setTimeout(() => this.#stall(), this.#options.statementTimeoutMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      this.#stalled = false;
    }
  }

  /** The thread can't be interrupted, and its outcome is not known: nobody waits for it any longer, and it goes on alone. */
  #stall(): void {
    this.#stalled = true;
    const seconds = this.#options.statementTimeoutMs / 1000;
    this.#options.log?.error({ waiting: this.#queue.length }, `The writer thread has not answered for ${seconds} s`);
    for (const item of this.#inFlight) {
      item.reject(
        new DatabaseUnavailable(
          `The statement took longer than ${seconds} s. It may still be carried out: look at what is stored before trying again.`,
          { retryAfterSeconds: 5 },
        ),
      );
    }
    const refusal = new DatabaseUnavailable('An earlier write took too long; this one was not carried out.', { retryAfterSeconds: 5 });
    for (const item of this.#queue.takeAll()) item.reject(refusal);
  }

  #takeUnits(maxUnits: number): UnitItem[] {
    const items: UnitItem[] = [];
    let bytes = 0;
    for (let item = this.#queue.peek(); item?.kind === 'unit' && items.length < maxUnits; item = this.#queue.peek()) {
      bytes += item.size;
      if (items.length > 0 && bytes > MAX_GROUP_BYTES) break;
      items.push(item);
      this.#queue.take();
    }
    this.#inFlight.push(...items);
    return items;
  }

  #takeInteractive(): InteractiveItem | undefined {
    const item = this.#queue.peek();
    if (item?.kind !== 'interactive' || this.#inFlight.length >= MAX_GROUP_UNITS) return undefined;
    this.#queue.take();
    this.#inFlight.push(item);
    return item;
  }
}
