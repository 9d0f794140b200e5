/** Look-ups by key: those of one turn of the event loop share a connection and a packet, which saves this process about 40 % of their time. */
import type pg from 'pg';
import { BoundedLaneQueue } from '../../lanes/bounded-lane-queue.ts';
import { currentLane, runInServiceLane } from '../../lanes/current-lane.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { Sql } from '../sql.ts';
import { breaksConnection } from './failures.ts';
import { type Result, type StatementNames, send, together } from './statements.ts';

/** Who shares a packet waits for whoever is before them in it. A pooler that gives its session away after the first answer takes one at a time. */
export const MAX_TOGETHER = 32;
const MAX_WAITING = 10_000;
const MAX_WAITING_OF_LANE = 1_000;

interface Lookup {
  readonly statement: Sql;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

type WithClient = (work: (client: pg.PoolClient) => Promise<void>) => Promise<void>;

export class Lookups {
  readonly #withClient: WithClient;
  readonly #names: StatementNames;
  readonly #maxTogether: number;
  readonly #waiting = new BoundedLaneQueue<Lookup>({ maxItems: MAX_WAITING, maxItemsOfLane: MAX_WAITING_OF_LANE });
  /** Packets that have no connection yet; what goes into each is settled when it has one. */
  #unsent = 0;
  #scheduled = false;

  constructor(withClient: WithClient, names: StatementNames, maxTogether: number) {
    this.#withClient = withClient;
    this.#names = names;
    this.#maxTogether = maxTogether;
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
      runInServiceLane(() => setImmediate(() => this.#sendWaiting()));
    });
  }

  #sendWaiting(): void {
    this.#scheduled = false;
    while (this.#unsent * this.#maxTogether < this.#waiting.length) void this.#sendPacket();
  }

  async #sendPacket(): Promise<void> {
    this.#unsent++;
    let lookups: Lookup[] | undefined;
    try {
      await this.#withClient(async (client) => {
        lookups = this.#takePacket();
        await this.#send(client, lookups);
      });
    } catch (error) {
      for (const { reject } of lookups ?? this.#takePacket()) reject(error);
    }
  }

  #takePacket(): Lookup[] {
    this.#unsent--;
    const lookups: Lookup[] = [];
    while (lookups.length < this.#maxTogether && this.#waiting.length > 0) lookups.push(this.#waiting.take() as Lookup);
    return lookups;
  }

  async #send(client: pg.PoolClient, lookups: readonly Lookup[]): Promise<void> {
    let broken: unknown;
    const refuse = (lookup: Lookup) => (error: unknown) => {
      if (breaksConnection(error)) broken ??= error;
      lookup.reject(error);
    };
    const sent = together(client, () => lookups.map(({ statement }) => send(client, statement, this.#names)));
    await Promise.all(sent.map((answer, index) => answer.then(lookups[index]?.resolve, refuse(lookups[index] as Lookup))));
    if (broken !== undefined) throw broken;
  }
}
