/** Sending for one webhook while its lease is held: the lines of its deliveries side by side, each in its order. */
import type { Event } from '@commonplace/contract/events';
import type { DeliveryAttempt } from '@commonplace/contract/webhooks';
import { type Clock, timestamp } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { type QueuedDelivery, TEST_TYPE } from './delivery-store.ts';
import {
  type ClaimedWebhook,
  dropDelivery,
  giveUp,
  type Lease,
  makeDeliveries,
  readDue,
  settleDelivered,
  settleFailed,
} from './queue-store.ts';
import { retryDelayMs } from './rules.ts';
import type { Outcome, Sent } from './sending.ts';
import { signaturesOf } from './signing.ts';
import { requireWebhook, type StoredWebhook } from './store.ts';

/** Lines of a webhook at the same time. */
export const IN_FLIGHT = 8;
const MOST_READY = 64;
const USER_AGENT = 'Commonplace-Webhooks';
/** Of one line before others have their turn. */
const MOST_OF_LINE = 16;
const LOOK_AGAIN_MS = 1_000;
/** Then others that are due have their turn. */
const SLICE_MS = 30_000;
const NOTED_EVERY_MS = 60_000;

export interface RunServices {
  readonly db: Database;
  readonly clock: Clock;
  readonly retryDelaysMs: readonly number[];
  /** As it is now; undefined where it is gone. */
  loadEvent(workspaceId: string, seq: number): Promise<Event | undefined>;
  /** In the lane of its workspace, when there is room. What `prepare` gives is sent at once; nothing where it gives nothing. */
  send(workspaceId: string, prepare: () => Sent | undefined, signal: AbortSignal): Promise<Outcome | undefined>;
}

export class WebhookRun {
  readonly lease: Lease;
  /** By the monotonic clock: nothing is sent after that. */
  leaseUntilMs: number;
  readonly #webhook: StoredWebhook;
  readonly #services: RunServices;
  readonly #abort = new AbortController();
  readonly #ready: QueuedDelivery[] = [];
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #sentOfLine = new Map<string, number>();
  #afterSeq: number;
  #mayHaveEvents = true;
  #mayBeDue = true;
  #isStopped = false;
  #isFailing: boolean;
  #notedMs: number;
  #failure: unknown;
  #wakeUp: (() => void) | undefined;

  constructor({ lease, webhook }: ClaimedWebhook, services: RunServices, leaseUntilMs: number) {
    this.lease = lease;
    this.leaseUntilMs = leaseUntilMs;
    this.#webhook = webhook;
    this.#services = services;
    this.#afterSeq = webhook.afterSeq;
    this.#isFailing = webhook.failingSince !== null;
    this.#notedMs = webhook.lastSuccessAt === null ? 0 : Date.parse(webhook.lastSuccessAt);
  }

  /** Until nothing is due any more, or its time is over, or it is stopped. */
  async run(): Promise<void> {
    const endMs = this.#services.clock.monotonicMs() + SLICE_MS;
    while (!this.#isStopped && this.#services.clock.monotonicMs() < endMs) {
      await this.#fill();
      while (!this.#isStopped && this.#inFlight.size < IN_FLIGHT && this.#ready.length > 0)
        this.#start(this.#ready.shift() as QueuedDelivery);
      if (this.#mayHaveEvents || this.#mayBeDue) {
        if (this.#ready.length < IN_FLIGHT && !this.#isStopped) continue;
      } else if (this.#inFlight.size === 0) break;
      await this.#somethingHappens();
    }
    this.#isStopped = true;
    await Promise.all(this.#inFlight.values());
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** There may be events. */
  wake(): void {
    this.#mayHaveEvents = true;
    this.#mayBeDue = true;
    this.#wakeUp?.();
  }

  /** Sends nothing more; what is on its way is waited for. */
  stop(): void {
    this.#isStopped = true;
    this.#wakeUp?.();
  }

  /** Somebody else may send for the webhook: what is on its way is given up, and not written down. */
  abort(): void {
    this.stop();
    this.#abort.abort();
  }

  async #fill(): Promise<void> {
    if (this.#mayHaveEvents && this.#ready.length < MOST_READY) await this.#makeMore();
    if (this.#mayBeDue && this.#ready.length < IN_FLIGHT) await this.#readMore();
  }

  async #makeMore(): Promise<void> {
    const { db, clock } = this.#services;
    this.#mayHaveEvents = false;
    const place = { types: this.#webhook.types, afterSeq: this.#afterSeq };
    const { reachedSeq, made } = await makeDeliveries(db, this.lease, place, clock.nowMs());
    if (reachedSeq > this.#afterSeq) this.#mayHaveEvents = true;
    if (made > 0) this.#mayBeDue = true;
    this.#afterSeq = reachedSeq;
  }

  async #readMore(): Promise<void> {
    const { db, clock } = this.#services;
    this.#mayBeDue = false;
    this.#sentOfLine.clear();
    // What is settled while others are read is among them still, as it was.
    const before = this.#lines();
    const due = await readDue(db, this.lease, MOST_READY + before.size, clock.nowMs());
    const now = this.#lines();
    const fresh = due.filter(({ line }) => !before.has(line) && !now.has(line));
    this.#ready.push(...fresh);
    if (fresh.length >= MOST_READY || due.some(({ line }) => before.has(line) && !now.has(line))) this.#mayBeDue = true;
  }

  /** Those of which one is on its way, or about to be. */
  #lines(): Set<string> {
    return new Set([...this.#inFlight.keys(), ...this.#ready.map(({ line }) => line)]);
  }

  #start(delivery: QueuedDelivery): void {
    const work = this.#deliver(delivery)
      .then((next) => this.#lineUp(next))
      .catch((error: unknown) => {
        this.#failure ??= error;
        this.stop();
      })
      .finally(() => {
        this.#inFlight.delete(delivery.line);
        this.#wakeUp?.();
      });
    this.#inFlight.set(delivery.line, work);
  }

  #lineUp(next: QueuedDelivery | undefined): void {
    if (!next) return;
    const sent = (this.#sentOfLine.get(next.line) ?? 0) + 1;
    this.#sentOfLine.set(next.line, sent);
    if (sent < MOST_OF_LINE) this.#ready.push(next);
    else this.#mayBeDue = true;
  }

  async #somethingHappens(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#mayHaveEvents = true;
        this.#mayBeDue = true;
        resolve();
      }, LOOK_AGAIN_MS);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wakeUp = undefined;
  }

  /** The next of its line, where its turn has come. */
  async #deliver(delivery: QueuedDelivery): Promise<QueuedDelivery | undefined> {
    const { db, clock } = this.#services;
    const event = await this.#eventOf(delivery);
    if (!event) return dropDelivery(db, this.lease, delivery, clock.nowMs());
    if (!db.trustsBroadcasts() && !(await this.#isUnchanged())) this.stop();
    const body = JSON.stringify(event);
    let startedMs = clock.nowMs();
    let startMs = clock.monotonicMs();
    const prepare = () => {
      if (this.#isStopped || clock.monotonicMs() >= this.leaseUntilMs) return undefined;
      startedMs = clock.nowMs();
      startMs = clock.monotonicMs();
      return { url: this.#webhook.url, headers: this.#headersOf(event.id, body, startedMs), body };
    };
    const outcome = await this.#services.send(this.lease.workspaceId, prepare, this.#abort.signal);
    if (!outcome || this.#abort.signal.aborted) return undefined;
    const attempt = { attemptedAt: timestamp(startedMs), durationMs: Math.round(clock.monotonicMs() - startMs), ...outcome };
    return this.#settle(delivery, attempt);
  }

  async #settle(delivery: QueuedDelivery, attempt: DeliveryAttempt): Promise<QueuedDelivery | undefined> {
    const { db, clock, retryDelaysMs } = this.#services;
    const nowMs = clock.nowMs();
    if (attempt.error === null) {
      const notes = this.#isFailing || nowMs - this.#notedMs >= NOTED_EVERY_MS;
      const next = await settleDelivered(db, this.lease, delivery, attempt, notes, nowMs);
      if (notes) this.#notedMs = nowMs;
      this.#isFailing = false;
      return next;
    }
    this.#isFailing = true;
    // Who tests wants to know at once.
    const delayMs = delivery.type === TEST_TYPE ? undefined : retryDelayMs(delivery.tries + 1, retryDelaysMs);
    if (delayMs !== undefined) await settleFailed(db, this.lease, delivery, attempt, delayMs, nowMs);
    else if (await giveUp(db, this.lease, delivery, attempt, nowMs)) this.stop();
    return undefined;
  }

  async #eventOf({ type, eventId, seq, createdAt }: QueuedDelivery): Promise<Event | undefined> {
    const { workspaceId, webhookId } = this.lease;
    if (seq !== null) return this.#services.loadEvent(workspaceId, seq);
    const webhook = await requireWebhook(this.#services.db, workspaceId, webhookId);
    return { id: eventId, type, workspaceId, createdAt, data: { webhook } };
  }

  /** Where changes are not heard of for sure, they are looked for. */
  async #isUnchanged(): Promise<boolean> {
    const { workspaceId, webhookId } = this.lease;
    const now = await requireWebhook(this.#services.db, workspaceId, webhookId).catch(() => undefined);
    return now?.updatedAt === this.#webhook.updatedAt;
  }

  #headersOf(id: string, body: string, nowMs: number): Record<string, string> {
    const { secret, formerSecret, formerSecretUntil } = this.#webhook;
    const isFormerValid = formerSecret !== null && formerSecretUntil !== null && Date.parse(formerSecretUntil) > nowMs;
    const secrets = isFormerValid ? [secret, formerSecret] : [secret];
    const seconds = Math.floor(nowMs / 1000);
    return {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signaturesOf(secrets, { id, timestamp: seconds, body }),
    };
  }
}
