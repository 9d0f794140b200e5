/**
 * What nodes tell each other over LISTEN and NOTIFY. Invalidations are sent by the transactions that they belong to; here
 * they are heard, and here a node makes sure that every other one has heard them.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../../logging.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { Audience } from '../invalidation.ts';
import { type Listener, Listeners } from '../listeners.ts';
import { translate } from './failures.ts';
import { Membership } from './membership.ts';
import type { ServerClock } from './server-clock.ts';

export interface NodesOptions {
  /** A connection for listening, outside the pool. */
  readonly connect: () => Promise<pg.Client>;
  readonly log: Log;
  readonly leaseMs: number;
  readonly clock: ServerClock;
}

/**
 * On the wire: an invalidation (from nobody, so nobody waits), a question to everyone whether they are this far (about
 * nothing), or the answer of one node. Nodes of an earlier version sent both in one, and are understood.
 */
type Message = { id: string; from: string; topic: string; payload: string } | { ack: string; node: string };

const ATTEMPTS = 3;
const LONGEST_BACKOFF_MS = 5_000;

/** A question that waits for the other nodes. */
class Question {
  readonly done = Promise.withResolvers<void>();
  readonly membership: Membership;
  #acked = new Set<string>();
  #awaited: Set<string> | undefined;

  constructor(membership: Membership) {
    this.membership = membership;
    this.done.promise.catch(() => undefined);
  }

  /** Acknowledgements can come before it is known who is awaited. */
  acknowledge(node: string): void {
    this.#acked.add(node);
    this.#look();
  }

  /** Who is live now. The first time it says who is awaited; later, who is no longer. */
  found(live: Set<string>): void {
    this.#awaited = this.#awaited ? this.#awaited.intersection(live) : live;
    this.#look();
  }

  #look(): void {
    if (this.#awaited?.isSubsetOf(this.#acked)) this.done.resolve();
  }
}

export class Nodes implements Audience {
  #options: NodesOptions;
  #listeners: Listeners;
  #questions = new Map<string, Question>();
  /** The round of questions under way, and the one that everybody waits for who came after it had begun. */
  #round: Promise<void> | undefined;
  #nextRound: Promise<void> | undefined;
  #membership: Membership | undefined;
  #previousId: string | undefined;
  #joining: Promise<Membership> | undefined;
  #closing = new AbortController();

  constructor(options: NodesOptions) {
    this.#options = options;
    this.#listeners = new Listeners(options.log);
  }

  get trusted(): boolean {
    return this.#membership?.trusted ?? false;
  }

  listen(topic: string, listener: Listener): void {
    this.#listeners.add(topic, listener);
  }

  hear(topic: string, payload: string): void {
    this.#listeners.hear(topic, payload);
  }

  async join(): Promise<void> {
    await this.#current();
  }

  /**
   * PostgreSQL delivers in the order of commits. So who answers a question has heard every invalidation that was committed
   * before it was asked, by whichever node. One round serves all who wait for it to begin.
   */
  settle(): Promise<void> {
    if (!this.#round) return this.#begin();
    this.#nextRound ??= this.#round.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#nextRound;
  }

  #begin(): Promise<void> {
    this.#nextRound = undefined;
    const round = this.#ask().finally(() => {
      if (this.#round === round) this.#round = undefined;
    });
    this.#round = round;
    return round;
  }

  async #ask(): Promise<void> {
    const id = randomUUID();
    for (let attempt = 1; ; attempt++) {
      try {
        const membership = await this.#current();
        return await this.#askOn(membership, { id, from: membership.id, topic: '', payload: '' });
      } catch (error) {
        if (attempt === ATTEMPTS || this.#closing.signal.aborted) {
          throw new DatabaseUnavailable('The other nodes could not be told', { cause: error });
        }
      }
    }
  }

  async #askOn(membership: Membership, message: Message & { id: string }): Promise<void> {
    const question = new Question(membership);
    this.#questions.set(message.id, question);
    try {
      // Who is live is read before the question goes out. Whoever enters after that reading has forgotten everything since.
      const [live] = await Promise.all([membership.others(), membership.notify(JSON.stringify(message))]);
      question.found(live);
      const waiting = new AbortController();
      void this.#watch(question, waiting.signal);
      try {
        await question.done.promise;
      } finally {
        waiting.abort();
      }
    } finally {
      this.#questions.delete(message.id);
    }
  }

  /** Stops waiting for nodes whose lease runs out, or who are gone. */
  async #watch(question: Question, signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await sleep(this.#options.leaseMs / 20, undefined, { signal });
        question.found(await question.membership.others());
      }
    } catch (error) {
      question.done.reject(error);
    }
  }

  #receive(membership: Membership, text: string): void {
    let message: Message;
    try {
      message = JSON.parse(text);
    } catch {
      return; // not from a node: anyone may NOTIFY
    }
    if ('ack' in message) {
      this.#questions.get(message.ack)?.acknowledge(message.node);
    } else if (message.from !== membership.id) {
      this.hear(message.topic, message.payload);
      if (message.from === '') return;
      // If this fails the connection is lost, and the caller learns from the lease.
      membership.notify(JSON.stringify({ ack: message.id, node: membership.id } satisfies Message)).catch(() => undefined);
    }
  }

  #current(): Promise<Membership> {
    if (this.#closing.signal.aborted) return Promise.reject(new DatabaseUnavailable('The database is closed'));
    if (this.#membership) return Promise.resolve(this.#membership);
    this.#joining ??= this.#enter().finally(() => {
      this.#joining = undefined;
    });
    return this.#joining;
  }

  async #enter(): Promise<Membership> {
    const { connect, leaseMs, clock } = this.#options;
    let lost = false;
    try {
      const membership = await Membership.enter(
        {
          connect,
          leaseMs,
          clock,
          onMessage: (from, text) => this.#receive(from, text),
          onLost: (which, reason) => {
            lost = true;
            this.#lost(which, reason);
          },
        },
        this.#previousId,
      );
      if (this.#closing.signal.aborted) {
        await membership.leave();
        throw new DatabaseUnavailable('The database is closed');
      }
      if (lost) throw new DatabaseUnavailable('The connection for broadcasts was lost at once');
      this.#previousId = membership.id;
      // Before the membership counts: what was remembered until now may be out of date.
      this.#listeners.hearEverything();
      this.#membership = membership;
      return membership;
    } catch (error) {
      throw translate(error);
    }
  }

  #lost(membership: Membership, reason: string): void {
    // Calls that wait on this membership learn it when they look who is live, and are sent again on the next.
    if (this.#membership !== membership) return;
    this.#membership = undefined;
    this.#options.log.warn({ reason }, 'broadcasts of other nodes are not heard; nothing remembered is relied on until they are');
    void this.#comeBack();
  }

  async #comeBack(): Promise<void> {
    const { signal } = this.#closing;
    for (let waitMs = 50; !signal.aborted && !this.#membership; waitMs = Math.min(waitMs * 2, LONGEST_BACKOFF_MS)) {
      try {
        await sleep(waitMs * (0.5 + Math.random()), undefined, { signal, ref: false });
        await this.#current();
        this.#options.log.info({}, 'broadcasts of other nodes are heard again');
      } catch (error) {
        if (!signal.aborted) this.#options.log.warn({ err: error }, 'could not listen to broadcasts');
      }
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const membership = this.#membership;
    this.#membership = undefined;
    for (const question of this.#questions.values()) question.done.reject(new Error('The database is closed'));
    await this.#joining?.catch(() => undefined);
    await membership?.leave();
  }
}
