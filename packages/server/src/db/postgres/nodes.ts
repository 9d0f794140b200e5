/** Broadcasts between nodes over LISTEN and NOTIFY, each acknowledged by every live node before it counts as done. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../../logging.ts';
import { DatabaseUnavailable } from '../errors.ts';

import { translate } from './failures.ts';
import { Membership } from './membership.ts';

export interface NodesOptions {
  /** A connection for listening, outside the pool. */
  readonly connect: () => Promise<pg.Client>;
  readonly log: Log;
  readonly leaseMs: number;
}

type Listener = (payload: string) => void;

/** On the wire: a delivery to everyone, or the answer of one node to the one who called. */
type Message = { id: string; from: string; topic: string; payload: string } | { ack: string; node: string };

/** NOTIFY takes less than 8,000 bytes. */
const MAX_MESSAGE_BYTES = 7_900;
/** Every listener gets it when broadcasts may have been missed. */
const EVERYTHING = '*';
const ATTEMPTS = 3;
const LONGEST_BACKOFF_MS = 5_000;

/** A broadcast that waits for the other nodes. */
class Delivery {
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

export class Nodes {
  #options: NodesOptions;
  #listeners = new Map<string, Listener[]>();
  #calls = new Map<string, Delivery>();
  #membership: Membership | undefined;
  #previousId: string | undefined;
  #joining: Promise<Membership> | undefined;
  #closing = new AbortController();

  constructor(options: NodesOptions) {
    this.#options = options;
  }

  get trusted(): boolean {
    return this.#membership?.trusted ?? false;
  }

  listen(topic: string, listener: Listener): void {
    const listeners = this.#listeners.get(topic) ?? [];
    listeners.push(listener);
    this.#listeners.set(topic, listeners);
  }

  async join(): Promise<void> {
    await this.#current();
  }

  async broadcast(topic: string, payload: string): Promise<void> {
    const id = randomUUID();
    const sizeBytes = Buffer.byteLength(JSON.stringify({ id, from: id, topic, payload } satisfies Message));
    if (sizeBytes > MAX_MESSAGE_BYTES) throw new RangeError(`A broadcast may take ${MAX_MESSAGE_BYTES} bytes; this one takes ${sizeBytes}`);
    this.#hear(topic, payload);
    for (let attempt = 1; ; attempt++) {
      const membership = await this.#current();
      try {
        return await this.#deliver(membership, { id, from: membership.id, topic, payload });
      } catch (error) {
        if (attempt === ATTEMPTS || this.#closing.signal.aborted) {
          throw new DatabaseUnavailable('The other nodes could not be told', { cause: error });
        }
      }
    }
  }

  async #deliver(membership: Membership, message: Message & { id: string }): Promise<void> {
    const delivery = new Delivery(membership);
    this.#calls.set(message.id, delivery);
    try {
      // Who is live is read before the delivery goes out. Whoever enters after that reading has forgotten everything since.
      const [live] = await Promise.all([membership.others(), membership.notify(JSON.stringify(message))]);
      delivery.found(live);
      const waiting = new AbortController();
      void this.#watch(delivery, waiting.signal);
      try {
        await delivery.done.promise;
      } finally {
        waiting.abort();
      }
    } finally {
      this.#calls.delete(message.id);
    }
  }

  /** Stops waiting for nodes whose lease runs out, or who are gone. */
  async #watch(delivery: Delivery, signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await sleep(this.#options.leaseMs / 20, undefined, { signal });
        delivery.found(await delivery.membership.others());
      }
    } catch (error) {
      delivery.done.reject(error);
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
      this.#calls.get(message.ack)?.acknowledge(message.node);
    } else if (message.from !== membership.id) {
      this.#hear(message.topic, message.payload);
      // If this fails the connection is lost, and the caller learns from the lease.
      membership.notify(JSON.stringify({ ack: message.id, node: membership.id } satisfies Message)).catch(() => undefined);
    }
  }

  #hear(topic: string, payload: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) this.#tell(listener, topic, payload);
  }

  #tell(listener: Listener, topic: string, payload: string): void {
    try {
      listener(payload);
    } catch (error) {
      this.#options.log.error({ err: error, topic }, 'a listener of broadcasts failed');
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
    const { connect, leaseMs } = this.#options;
    let lost = false;
    try {
      const membership = await Membership.enter(
        {
          connect,
          leaseMs,
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
      for (const [topic, listeners] of this.#listeners) for (const listener of listeners) this.#tell(listener, topic, EVERYTHING);
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
    for (const delivery of this.#calls.values()) delivery.done.reject(new Error('The database is closed'));
    await this.#joining?.catch(() => undefined);
    await membership?.leave();
  }
}
