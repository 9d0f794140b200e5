/** Look-ups by key: those of one turn of the event loop share a connection and a packet, which saves this process about 40 % of their time. */
import { BoundedLaneQueue } from '../../lanes/bounded-lane-queue.ts';
import { currentLane, runInServiceLane } from '../../lanes/current-lane.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { Sql } from '../sql.ts';
import { breaksConnection } from './failures.ts';
import type { PacketClient } from './packet-client.ts';
import { type Result, sendPacket } from './packets.ts';
import { type StatementNames, stepOf, together } from './statements.ts';

/** Who shares a packet waits for whoever is before them in it. A pooler that gives its session away after the first answer takes one at a time. */
export const MAX_TOGETHER = 32;
/** Packets that leave at once. While so many are under way the next one fills: under load there are half as many, each twice as full. */
const FEW_PACKETS = 2;
/** A packet that is slow to be answered keeps those that come after it no longer than this. */
const LONGEST_FILLING_MS = 2;
const MAX_WAITING = 10_000;
const MAX_WAITING_OF_LANE = 1_000;

interface Lookup {
  readonly statement: Sql;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

type WithClient = (work: (client: PacketClient) => Promise<void>) => Promise<void>;

export class Lookups {
  readonly #withClient: WithClient;
  readonly #names: StatementNames;
  readonly #maxTogether: number;
  readonly #sendsApart: () => boolean;
  readonly #waiting = new BoundedLaneQueue<Lookup>({ maxItems: MAX_WAITING, maxItemsOfLane: MAX_WAITING_OF_LANE });
  /** Packets that have no connection yet; what goes into each is settled when it has one. */
  #unsent = 0;
  #underWay = 0;
  #scheduled = false;
  #filling: NodeJS.Timeout | undefined;

  constructor(withClient: WithClient, names: StatementNames, maxTogether: number, sendsApart: () => boolean) {
    this.#withClient = withClient;
    this.#names = names;
    this.#maxTogether = maxTogether;
    this.#sendsApart = sendsApart;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get lanesWaiting(): number {
    return this.#waiting.laneCount;
  }

  get refusedTotal(): number {
    return this.#waiting.refusedTotal;
  }

  find(statement: Sql): Promise<Result> {
    return new Promise((resolve, reject) => {
      const refused = this.#waiting.add(currentLane(), { statement, resolve, reject });
      for (const lookup of refused) lookup.reject(new DatabaseUnavailable('Too many look-ups are waiting; try again shortly.'));
      if (this.#scheduled) return;
      this.#scheduled = true;
      // Not at once: what else this turn of the event loop brings goes along. The packets are of all lanes.
      runInServiceLane(() =>
        setImmediate(() => {
          this.#scheduled = false;
          this.#sendWaiting();
        }),
      );
    });
  }

  /** How many wait for whom there is no packet yet. */
  get #unpacked(): number {
    return this.#waiting.length - this.#unsent * this.#maxTogether;
  }

  #sendWaiting(): void {
    while (this.#unpacked > 0 && (this.#underWay < FEW_PACKETS || this.#unpacked >= this.#maxTogether)) void this.#sendPacket();
    if (this.#unpacked > 0) this.#filling ??= setTimeout(() => this.#sendRest(), LONGEST_FILLING_MS);
  }

  #sendRest(): void {
    this.#filling = undefined;
    while (this.#unpacked > 0) void this.#sendPacket();
  }

  async #sendPacket(): Promise<void> {
    this.#unsent++;
    this.#underWay++;
    let lookups: Lookup[] | undefined;
    try {
      await this.#withClient(async (client) => {
        lookups = this.#takePacket();
        await (this.#sendsApart() ? this.#sendApart(client, lookups) : this.#send(client, lookups));
      });
    } catch (error) {
      for (const { reject } of lookups ?? this.#takePacket()) reject(error);
    }
    this.#underWay--;
    this.#sendWaiting();
  }

  #takePacket(): Lookup[] {
    this.#unsent--;
    const lookups: Lookup[] = [];
    while (lookups.length < this.#maxTogether && this.#waiting.length > 0) lookups.push(this.#waiting.take() as Lookup);
    return lookups;
  }

  /** One that fails takes no other with it: those behind it, which were not looked at, go again. */
  async #send(client: PacketClient, lookups: readonly Lookup[]): Promise<void> {
    let next = 0;
    while (next < lookups.length) {
      const sent = lookups.slice(next);
      const { results, failure } = await sendPacket(
        client,
        sent.map(({ statement }) => stepOf(statement, this.#names)),
      );
      for (const [index, result] of results.entries()) sent[index]?.resolve(result);
      next += results.length;
      if (failure === undefined) return;
      if (breaksConnection(failure)) {
        for (const { reject } of lookups.slice(next)) reject(failure);
        throw failure;
      }
      lookups[next++]?.reject(failure);
    }
  }

  /** Each as a transaction of its own, still in one packet. */
  async #sendApart(client: PacketClient, lookups: readonly Lookup[]): Promise<void> {
    let broken: unknown;
    const sent = together(client, () => lookups.map(({ statement }) => sendPacket(client, [stepOf(statement, this.#names)])));
    for (const [index, { results, failure }] of (await Promise.all(sent)).entries()) {
      if (failure === undefined) lookups[index]?.resolve(results[0] as Result);
      else lookups[index]?.reject(failure);
      if (breaksConnection(failure)) broken ??= failure;
    }
    if (broken !== undefined) throw broken;
  }
}
