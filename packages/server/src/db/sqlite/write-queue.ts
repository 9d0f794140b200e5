/** Writes on the main thread: what waits goes to the writer thread as one group, shares one commit, and is answered after it. */
import { currentLane, currentOrigin, runInLane, runInServiceLane } from '../../lanes/current-lane.ts';
import type { CheckpointReply } from '../continuous-backup/checkpoints.ts';
import type { Transaction } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { sizeOf } from './calls.ts';
import { toError } from './failures.ts';
import { finishWork, OpenTransaction } from './open-transaction.ts';
import type { Outcome, Unit } from './protocol.ts';
import { askWithUnits } from './unit-encoding.ts';
import { WaitingWrites } from './waiting-writes.ts';
import { type Finished, WriteGroup, type Writer } from './write-group.ts';
import type { CheckpointItem, InteractiveItem, Item, ScriptItem } from './write-items.ts';
import { unknownOutcome, WriterKeeper, type WriterOptions } from './writer-keeper.ts';

const MAX_GROUP_UNITS = 512;
const MAX_GROUP_BYTES = 8 * 1024 * 1024;
/** How long a group with interactive transactions in it may take on more work before it commits. */
const MAX_GROUP_MS = 20;
/** So many units have to wait before they go to the thread behind a group that it still works on: fewer are not worth a commit of their own. */
const MIN_AHEAD_UNITS = 8;
/** What was sent can't be overtaken by another lane's, nor taken back. */
const MAX_AHEAD_UNITS = 128;
const MAX_AHEAD_BYTES = 1024 * 1024;

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
  readonly #waiting: WaitingWrites;
  #inFlight: Item[] = [];
  /** The group that the thread works on, once all of it is sent. */
  #committing: WriteGroup | undefined;
  /** The one behind it, which the thread begins when that is committed. */
  #ahead: WriteGroup | undefined;
  #busy = false;
  #scheduled = false;
  #stalled = false;
  #closing = false;
  #onDrained: (() => void) | undefined;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.#keeper = new WriterKeeper(options);
    this.#waiting = new WaitingWrites(options.maxQueue);
  }

  async open(): Promise<void> {
    await this.#keeper.live();
  }

  get length(): number {
    return this.#waiting.length;
  }

  get lanesWaiting(): number {
    return this.#waiting.laneCount;
  }

  get refusedTotal(): number {
    return this.#waiting.refusedTotal;
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
    if (this.#busy || this.#waiting.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
    }
    await this.#keeper.close(chain);
  }

  #add(item: Item): void {
    if (this.#closing) throw new DatabaseUnavailable('The database is closing.');
    this.#refuseIfStalled();
    this.#waiting.add(item);
    if (this.#scheduled || (this.#busy && !this.#canSendAhead())) return;
    // Not at once: what else this turn of the event loop brings shares the commit.
    this.#scheduled = true;
    // A group is many requests' work, and none of them is its origin.
    runInServiceLane(() =>
      setImmediate(() => {
        this.#scheduled = false;
        if (this.#busy) this.#sendAhead();
        else void this.#drain();
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
    while (this.#ahead || this.#waiting.length > 0) {
      try {
        if (this.#ahead) await this.#finishAhead(this.#ahead);
        else await this.#runNext(await this.#keeper.live());
      } catch (error) {
        const failure = unknownOutcome(error);
        for (const item of this.#inFlight) item.reject(failure);
        // Without a live thread nothing was taken from the queue, and what waits must not wait forever.
        if (this.#inFlight.length === 0) this.#waiting.rejectAll(failure);
      }
      this.#inFlight = [];
      this.#committing = undefined;
    }
    this.#busy = false;
    this.#onDrained?.();
  }

  #runNext(thread: Writer): Promise<void> {
    const kind = this.#waiting.nextKind;
    if (kind === 'script') return this.#runScript(thread);
    if (kind === 'checkpoint') return this.#runCheckpoint(thread);
    return this.#runGroup(new WriteGroup(thread));
  }

  async #runGroup(group: WriteGroup): Promise<void> {
    const startedAt = performance.now();
    this.#inFlight = group.items;
    let isFirst = true;
    let finished: Finished | undefined;
    for (;;) {
      const hasTime = isFirst || performance.now() - startedAt < MAX_GROUP_MS;
      isFirst = false;
      const units = hasTime ? this.#waiting.takeUnits(MAX_GROUP_UNITS - group.items.length, MAX_GROUP_BYTES) : [];
      const next = hasTime && group.items.length + units.length < MAX_GROUP_UNITS ? this.#takeInteractive() : undefined;
      const reply = this.#answered(group.send(finished, units, next));
      if (!next) {
        await this.#commit(group, reply);
        return;
      }
      // The thread answers in order, so the work may start before the transaction is known to be open.
      reply.catch(() => {});
      finished = await this.#converse(group.thread, next);
    }
  }

  async #commit(group: WriteGroup, reply: Promise<unknown>): Promise<void> {
    this.#committing = group;
    this.#sendAhead();
    await reply;
    this.groupsTotal++;
    this.unitsTotal += group.items.length;
    this.lastGroupUnits = group.items.length;
    await group.settle(this.#options.file);
  }

  #canSendAhead(): boolean {
    return (
      this.#committing !== undefined &&
      this.#ahead === undefined &&
      !this.#stalled &&
      this.#waiting.length >= MIN_AHEAD_UNITS &&
      this.#waiting.areAllUnits
    );
  }

  /** So that the thread has its next group when it has committed the one that it works on, however busy this thread is then. */
  #sendAhead(): void {
    if (!this.#committing || !this.#canSendAhead()) return;
    this.#ahead = new WriteGroup(this.#committing.thread);
    void this.#ahead.send(undefined, this.#waiting.takeUnits(MAX_AHEAD_UNITS, MAX_AHEAD_BYTES));
  }

  /** Its time counts from here: until now the thread was with the group before it. */
  async #finishAhead(group: WriteGroup): Promise<void> {
    this.#ahead = undefined;
    this.#inFlight = group.items;
    await this.#commit(group, this.#answered(Promise.resolve(group.reply)));
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
    const item = this.#waiting.take() as ScriptItem;
    this.#inFlight.push(item);
    // Without a limit: a migration of a large database takes as long as it takes.
    const failure = await thread.ask('script', item.script);
    if (failure) item.reject(toError(failure, this.#options.file));
    else item.resolve();
  }

  async #runCheckpoint(thread: Writer): Promise<void> {
    const item = this.#waiting.take() as CheckpointItem;
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
    this.#options.log?.error({ waiting: this.#waiting.length }, `The writer thread has not answered for ${seconds} s`);
    for (const item of [...this.#inFlight, ...(this.#ahead?.items ?? [])]) {
      item.reject(
        new DatabaseUnavailable(
          `The statement took longer than ${seconds} s. It may still be carried out: look at what is stored before trying again.`,
          { retryAfterSeconds: 5 },
        ),
      );
    }
    const refusal = new DatabaseUnavailable('An earlier write took too long; this one was not carried out.', { retryAfterSeconds: 5 });
    this.#waiting.rejectAll(refusal);
  }

  #takeInteractive(): InteractiveItem | undefined {
    return this.#waiting.nextKind === 'interactive' ? (this.#waiting.take() as InteractiveItem) : undefined;
  }
}
