/**
 * One membership of a node among the nodes: a connection that listens, and a row in `nodes` with a lease that it renews.
 *
 * Others wait for this node until `lease_until` has passed by the database's clock. The node itself trusts its lease for
 * only two thirds of it, counted from before the renewal was sent, and gives the membership up if an answer takes longer than the
 * last third. So whoever saw the lease end can be sure that the node had stopped trusting what it remembers before that.
 * A membership that was given up is never resumed: the next one has another id.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { SERVER_MS, type ServerClock } from './server-clock.ts';

export const CHANNEL = 'commonplace';

export interface MembershipOptions {
  readonly connect: () => Promise<pg.Client>;
  readonly leaseMs: number;
  /** Set right by every answer about the lease: the server may be another one after a fail-over. */
  readonly clock: ServerClock;
  readonly onMessage: (membership: Membership, text: string) => void;
  /** The membership is over and not by `leave`: the node hears nothing any more. */
  readonly onLost: (membership: Membership, reason: string) => void;
}

interface Instant {
  readonly steadyMs: number;
  readonly wallMs: number;
}

/** Both clocks: the steady one stands still while a machine sleeps, the other can be set back. */
const instant = (): Instant => ({ steadyMs: performance.now(), wallMs: Date.now() });

export class Membership {
  readonly id = randomUUID();
  #options: MembershipOptions;
  #client: pg.Client;
  #renewedAt: Instant | undefined;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  private constructor(options: MembershipOptions, client: pg.Client) {
    this.#options = options;
    this.#client = client;
  }

  /** Enters under a new id. The row of the membership before, if any, goes at once, so that nobody waits for it. */
  static async enter(options: MembershipOptions, previousId?: string): Promise<Membership> {
    const client = await options.connect();
    const membership = new Membership(options, client);
    client.on('notification', ({ channel, payload }) => {
      if (channel === CHANNEL && payload !== undefined) options.onMessage(membership, payload);
    });
    client.on('error', (error) => membership.#lose(error.message));
    client.on('end', () => membership.#lose('the connection ended'));
    try {
      await options.clock.measure(client);
      // First the ears, then the row: whoever finds the row can count on being heard.
      await client.query(`listen ${CHANNEL}`);
      await client.query(`delete from nodes where id = $1 or lease_until < now() - interval '1 minute'`, [previousId ?? null]);
      const sentAt = instant();
      await client.query(`insert into nodes (id, lease_until, started_at) values ($1, now() + $2 * interval '1 millisecond', now())`, [
        membership.id,
        options.leaseMs,
      ]);
      membership.#renewedAt = sentAt;
      membership.#plan();
      return membership;
    } catch (error) {
      membership.#finish();
      client.connection.stream.destroy();
      throw error;
    }
  }

  /** Whether others surely still wait for this node. */
  get trusted(): boolean {
    if (this.#over || !this.#renewedAt) return false;
    const now = instant();
    const steadyMs = now.steadyMs - this.#renewedAt.steadyMs;
    const wallMs = now.wallMs - this.#renewedAt.wallMs;
    return Math.max(steadyMs, wallMs) < (this.#options.leaseMs * 2) / 3;
  }

  #plan(): void {
    this.#timer = setTimeout(() => void this.#renew(), this.#options.leaseMs / 3);
    this.#timer.unref();
  }

  async #renew(): Promise<void> {
    if (!this.trusted) return this.#lose('the lease was not renewed in time');
    const sentAt = instant();
    const slackMs = this.#options.leaseMs / 3;
    const impatience = setTimeout(() => this.#lose('the renewal of the lease took too long'), slackMs);
    try {
      const { rows } = await this.#client.query({
        name: 'renew',
        text: `update nodes set lease_until = now() + $2 * interval '1 millisecond' where id = $1 and lease_until > now() returning ${SERVER_MS} as ms`,
        values: [this.id, this.#options.leaseMs],
      });
      const receivedMs = performance.now();
      if (this.#over) return;
      if (rows.length === 0) return this.#lose('the lease had run out');
      this.#options.clock.note({ sentMs: sentAt.steadyMs, serverMs: rows[0].ms, receivedMs });
      if (receivedMs - sentAt.steadyMs > slackMs) return this.#lose('the renewal of the lease took too long');
      this.#renewedAt = sentAt;
      this.#plan();
    } catch (error) {
      this.#lose((error as Error).message);
    } finally {
      clearTimeout(impatience);
    }
  }

  async notify(text: string): Promise<void> {
    await this.#client.query({ name: 'notify', text: 'select pg_notify($1, $2)', values: [CHANNEL, text] });
  }

  /** The other nodes whose lease has not run out. */
  async others(): Promise<Set<string>> {
    const { rows } = await this.#client.query({
      name: 'others',
      text: 'select id from nodes where lease_until > now() and id <> $1',
      values: [this.id],
    });
    return new Set(rows.map((row: { id: string }) => row.id));
  }

  #finish(): boolean {
    const before = this.#over;
    this.#over = true;
    clearTimeout(this.#timer);
    return !before;
  }

  #lose(reason: string): void {
    if (!this.#finish()) return;
    this.#client.connection.stream.destroy();
    this.#options.onLost(this, reason);
  }

  /** Takes the row along, so that nobody waits for a node that is gone. */
  async leave(): Promise<void> {
    if (!this.#finish()) return;
    const impatience = setTimeout(() => this.#client.connection.stream.destroy(), this.#options.leaseMs / 3);
    try {
      await this.#client.query('delete from nodes where id = $1', [this.id]);
      await this.#client.end();
    } catch {
      // The lease runs out by itself.
      this.#client.connection.stream.destroy();
    } finally {
      clearTimeout(impatience);
    }
  }
}
